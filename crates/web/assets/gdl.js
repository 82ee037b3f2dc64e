// The language as the editor sees it: tokens, keywords and what they mean. Pure, tested without a browser.

export const KEYWORDS = {
  "<=": "A rule: the first part holds if all the others do.",
  role: "Somebody who plays. The order of the roles is that of the joint moves.",
  init: "A fact of the first state.",
  true: "Holds if the fact is part of the current state.",
  next: "A fact of the next state. What no rule derives is gone.",
  legal: "A move that a role may make now.",
  does: "Holds if the role makes this move in the current step.",
  goal: "What a role gets, from 0 to 100. It counts in terminal states.",
  terminal: "The match is over in the states where this holds.",
  distinct: "Holds if the two terms are different.",
  not: "Holds if the condition does not.",
  or: "Holds if one of the conditions does.",
  and: "Holds if all of the conditions do.",
  base: "A fact that a state may have; optional.",
  input: "A move that a role may have; optional.",
  sees: "What a role perceives in a game with hidden information (GDL-II).",
  random: "The role of chance: it moves at random (GDL-II).",
};

/** The token at the beginning of a text: [kind, length]. */
export function token(text) {
  const blank = /^\s+/.exec(text);
  if (blank) return ["blank", blank[0].length];
  if (text.startsWith(";")) return ["comment", text.length];
  if (text[0] === "(" || text[0] === ")") return ["paren", 1];
  const word = /^[^\s();]+/.exec(text)[0];
  if (word.startsWith("?")) return ["variable", word.length];
  if (Object.hasOwn(KEYWORDS, word.toLowerCase())) return ["keyword", word.length];
  return [/^\d+$/.test(word) ? "number" : "word", word.length];
}

/** What a word means in a sheet: lines for people; empty if nothing is known. */
export function meaning(word, checked) {
  const name = word.toLowerCase();
  const lines = Object.hasOwn(KEYWORDS, name) ? [KEYWORDS[name]] : [];
  for (const relation of checked?.relations ?? []) {
    if (relation.name.toLowerCase() !== name) continue;
    const plural = (count, noun) => (count === 0 ? null : `${count} ${noun}${count === 1 ? "" : "s"}`);
    const parts = [plural(relation.facts, "fact"), plural(relation.rules, "rule")].filter(Boolean).join(" and ");
    lines.push(`${relation.title}/${relation.arity}: ${parts}, from line ${relation.line}`);
    if (relation.comment) lines.push(relation.comment);
  }
  return lines;
}

/** A small complete game to start from. */
export const EXAMPLE = `; Take the last stone
;
; Seven stones lie on the table. Each turn the player to move takes one or two of them; whoever takes
; the last one wins.

(role left)
(role right)

; The first state.
(init (stones 7))
(init (control left))

; Moves.
(<= (legal ?player (take ?count))
    (true (control ?player))
    (true (stones ?now))
    (minus ?now ?count ?then))
(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

; What comes next.
(<= (next (stones ?then))
    (does ?player (take ?count))
    (true (stones ?now))
    (minus ?now ?count ?then))
(<= (next (control ?other))
    (true (control ?player))
    (role ?other)
    (distinct ?player ?other))

; The end: whoever is to move with nothing left has lost.
(<= terminal (true (stones 0)))
(<= (goal ?player 0) (true (control ?player)))
(<= (goal ?player 100)
    (role ?player)
    (not (true (control ?player))))

; ?now minus ?count is ?then.
(minus 7 1 6)
(minus 7 2 5)
(minus 6 1 5)
(minus 6 2 4)
(minus 5 1 4)
(minus 5 2 3)
(minus 4 1 3)
(minus 4 2 2)
(minus 3 1 2)
(minus 3 2 1)
(minus 2 1 1)
(minus 2 2 0)
(minus 1 1 0)
`;
