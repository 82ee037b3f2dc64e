// Requests to the server that sent this page.

/** A request that was not granted, with the reason for people. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? `The server said ${response.status}.`);
  return body;
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
}

export async function get(path) {
  return answer(await reach(path));
}

/** Sends a text that is JSON already. */
export async function send(path, body) {
  const headers = { "content-type": "application/json" };
  return answer(await reach(path, { method: "POST", headers, body }));
}

export const post = (path, body) => send(path, JSON.stringify(body));

/** A part of an address. */
export const part = encodeURIComponent;
