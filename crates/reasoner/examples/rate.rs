use ludex_game::*;
use ludex_gdl::*;
use ludex_reasoner::*;
fn main() {
    let secs: f64 = std::env::var("S").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    for f in std::env::args().skip(1) {
        let s = Source::new(f.clone(), std::fs::read(&f).unwrap());
        let l = load(&s);
        let t = std::time::Instant::now();
        let lim = Limits { time: std::time::Duration::from_secs(20), ..Limits::default() };
        let w = match std::env::var("W").as_deref() {
            Ok("64") => Width::Lanes64,
            Ok("256") => Width::Lanes256,
            _ => Width::Lanes512,
        };
        match Ground::new(&l.rules, &lim).and_then(|g| BatchGame::new(g, w)) {
            Ok(g) => {
                let setup = t.elapsed().as_secs_f64();
                let init = g.initial();
                let mut n = 512;
                let mut best = 0.0f64;
                let mut res = Playouts::default();
                let t0 = std::time::Instant::now();
                while t0.elapsed().as_secs_f64() < secs {
                    let t = std::time::Instant::now();
                    res = g
                        .playouts(&mut Request {
                            from: &init,
                            count: n,
                            max_steps: 1000,
                            seed: 1,
                            policy: None,
                        })
                        .unwrap();
                    let e = t.elapsed().as_secs_f64();
                    best = best.max(res.steps as f64 / e);
                    if e < secs / 8.0 {
                        n *= 2;
                    }
                }
                println!(
                    "{} setup {:.3}s {:.2} M/s {:?}",
                    f.rsplit('/').next().unwrap(),
                    setup,
                    best / 1e6,
                    (
                        res.steps as f64 / (res.finished + res.cut_off + res.stuck) as f64,
                        res.cut_off,
                        res.stuck,
                        res.goal_sums.iter().map(|&g| g as f64 / res.finished as f64).collect::<Vec<_>>(),
                        res.faulty_goals.clone()
                    )
                )
            }
            Err(e) => println!("{} STOP {}", f.rsplit('/').next().unwrap(), e),
        }
    }
}
