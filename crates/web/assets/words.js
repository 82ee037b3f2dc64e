// Words of rules as people say them: pure functions, tested without a browser.

/** A move as people say it: without the outer parentheses and underscores. */
export function spoken(name) {
  const inside = name.startsWith("(") && name.endsWith(")") ? name.slice(1, -1) : name;
  return inside.replaceAll("_", " ");
}

/** Moves in the order of their words, numbers by their size. */
export function inOrder(names) {
  return [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/** What is different in moves that are alike: the words that not all have, or else the whole moves. */
export function differing(names) {
  const split = names.map((name) => spoken(name).split(" "));
  const alike = split.every((words) => words.length === split[0].length);
  const rest = split.map((words) => words.filter((word, at) => split.some((other) => other[at] !== word)));
  const short = rest.map((words) => words.join(" "));
  return alike && short.every((text) => text !== "") ? short : names.map(spoken);
}

const IDLE = new Set(["noop", "wait", "pass", "nil", "skip"]);

/** The moves of a step in a few words: [role, move] of those who did something. */
export function told(joint, roles) {
  const all = joint.map((name, role) => [roles[role] ?? "", name]);
  const done = all.filter(([, name]) => !IDLE.has(name));
  return done.length > 0 ? done : all.slice(0, 1);
}

/** The comment at the head of a sheet as paragraphs: lines that go on are joined, the title is left out. */
export function paragraphs(text, title) {
  const found = [];
  let open = false;
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "" || line === title) open = false;
    else if (open && !/^\p{Lu}[\p{L} ]*:/u.test(line)) found.push(`${found.pop()} ${line}`);
    else {
      found.push(line);
      open = true;
    }
  }
  return found;
}
