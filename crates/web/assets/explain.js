// Words for what is understood of games: pure functions, tested without a browser.

const ROLES = { board: "board", step_counter: "step counter", quantity: "quantity", variable: "variable",
  mapping: "mapping", flag: "flag", set: "set", constant: "constant" };

/** What a fact is, in a word or two. */
export function roleWords(role) {
  return ROLES[role] ?? String(role).replaceAll("_", " ");
}

/** Who moves when. The kind is a word, or an object with the word and the order. */
export function turnWords(turns) {
  const [kind, order] = typeof turns === "string" ? [turns, []] : Object.entries(turns)[0] ?? ["", []];
  switch (kind.toLowerCase().replaceAll("_", "")) {
    case "alone": return "one player";
    case "inturn": return `in turn: ${order.join(", ")}`;
    case "oneatatime": return "one at a time, not always in the same order";
    case "atonce": return "several choose at once";
    default: return "nobody has a choice in random play";
  }
}

/** A number of bytes for people. */
export function bytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let at = 0;
  let value = count;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`;
}
