// Sheets that are being written, kept in this browser.

const PLACE = "ludex.drafts";
const MOST = 30;

function all() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

/** A draft: { name, text, time }; null if there is none. */
export function draft(id) {
  return all()[id] ?? null;
}

/** All drafts, the newest first: [id, draft]. */
export function drafts() {
  return Object.entries(all()).sort(([, a], [, b]) => b.time - a.time);
}

/** Keeps a draft; the oldest are forgotten. False if there is no room. */
export function keep(id, name, text) {
  const entries = Object.entries({ ...all(), [id]: { name, text, time: Date.now() } });
  entries.sort(([, a], [, b]) => b.time - a.time);
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(entries.slice(0, MOST))));
    return true;
  } catch {
    return false;
  }
}

/** A name for a new draft. */
export function fresh() {
  return [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => byte.toString(36).padStart(2, "0")).join("");
}
