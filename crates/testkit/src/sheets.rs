//! Small sheets with something odd, used by the tests of several crates.

use std::fmt::Write;

/// Facts grow with every step and the game never ends: no circuit, no end to grounding.
pub const ENDLESS: &str = "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (true (n end))) (goal a 0)";

/// Facts grow with every step, three steps long: no circuit, but it can be played.
pub const GROWING: &str = "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (true (n (s (s (s z)))))) (goal a 0)";

/// Recursion through the state (a loop in the circuit), simultaneous moves, goals of both kinds.
pub const LOOP: &str = "(role a) (role b) (init (at 1))
    (edge 1 2) (edge 2 3) (edge 3 1) (edge 3 4) (edge 4 2)
    (<= (init (open ?x ?y)) (edge ?x ?y))
    (<= (reach ?x ?y) (edge ?x ?y) (true (open ?x ?y)))
    (<= (reach ?x ?z) (edge ?y ?z) (true (open ?y ?z)) (reach ?x ?y))
    (<= (legal a (go ?y)) (true (at ?x)) (reach ?x ?y)) (legal a stay)
    (<= (legal b (close ?x ?y)) (true (open ?x ?y))) (legal b stay)
    (<= (next (at ?y)) (does a (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does a stay))
    (<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does b (close ?x ?y))))
    (<= terminal (true (at ?x)) (not (reach ?x ?x))) (<= terminal (true (at 4)))
    (<= (goal a 100) (true (at 4))) (<= (goal a 0) (not (true (at 4)))) (<= (goal b 50) (true (open 1 2)))";

/// Heaps to take from. The no-op is legal by a plain fact: no gate has its value.
pub const HEAPS: &str = "(role left) (role right) (init (turn left)) (init (heap a 3)) (init (heap b 4))
    (less 1 0) (less 2 1) (less 3 2) (less 4 3) (fewer 2 0) (fewer 3 1) (fewer 4 2)
    (other left right) (other right left)
    (<= (legal ?p (take ?h ?m)) (true (turn ?p)) (true (heap ?h ?n)) (less ?n ?m))
    (<= (legal ?p (take ?h ?m)) (true (turn ?p)) (true (heap ?h ?n)) (fewer ?n ?m))
    (<= (legal left wait) (true (turn right))) (<= (legal right wait) (true (turn left)))
    (<= (next (heap ?h ?m)) (does ?p (take ?h ?m)))
    (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (taken ?h)))
    (<= (taken ?h) (does ?p (take ?h ?m)))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= terminal (true (heap a 0)) (true (heap b 0)))
    (<= (goal ?q 100) (true (turn ?p)) (other ?p ?q)) (<= (goal ?p 0) (true (turn ?p)))";

/// The robot is safe or gambles, then the role `random` rolls a die with three sides. Goals are
/// those of the robot and of `random`.
pub fn dice(safe: [u8; 2], gamble: [[u8; 2]; 3]) -> String {
    let mut sheet = "
        (role robot) (role random)
        (init (step 1))
        (<= (legal robot safe) (true (step 1)))
        (<= (legal robot gamble) (true (step 1)))
        (<= (legal robot noop) (true (step 2)))
        (<= (legal random noop) (true (step 1)))
        (<= (legal random (roll ?n)) (true (step 2)) (side ?n))
        (side 1) (side 2) (side 3)
        (<= (next (step 2)) (true (step 1)))
        (<= (next (step 3)) (true (step 2)))
        (<= (next (chosen ?m)) (true (step 1)) (does robot ?m))
        (<= (next (chosen ?m)) (true (chosen ?m)))
        (<= (next (rolled ?n)) (does random (roll ?n)))
        (<= terminal (true (step 3)))
    "
    .to_owned();
    for (role, at) in [("robot", 0), ("random", 1)] {
        let _ = writeln!(sheet, "(<= (goal {role} {}) (true (chosen safe)))", safe[at]);
        for (side, goals) in (1..).zip(gamble) {
            let rolled = format!("(true (chosen gamble)) (true (rolled {side}))");
            let _ = writeln!(sheet, "(<= (goal {role} {}) {rolled})", goals[at]);
        }
    }
    sheet
}
