// The keys of seats that this browser holds, by match. They are secrets: whoever has one plays.

const PLACE = "ludex.keys";
const MOST = 60;

function all() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

/** What is known about a match: { keys, invites: [{ role, key }], owner }. */
export function keysOf(id) {
  return all()[id] ?? { keys: [], invites: [], owner: null };
}

/** Remembers keys; the oldest matches are forgotten. */
export function remember(id, known) {
  const entries = Object.entries({ ...all(), [id]: known }).slice(-MOST);
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // Without storage a page that is loaded again only watches.
  }
}
