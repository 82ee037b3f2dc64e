// The matches of this server: to go on with, or to watch.

import { get, part, post, send } from "./api.js";
import { go } from "./app.js";
import { add, h, put, toast } from "./dom.js";

const AGAIN = 3000; // milliseconds

/** Opens a record, given as text. */
export async function replay(text) {
  const { id } = await send("/api/records", text);
  await go(`/match/${part(id)}`);
}

export async function matches(main) {
  document.title = "Matches · Ludex";
  const list = h("ul", { class: "matches" });
  const file = h("input", { type: "file", accept: ".json", hidden: true, "aria-label": "A record", onchange: async () => {
    const [chosen] = file.files;
    file.value = "";
    try {
      if (chosen) await replay(await chosen.text());
    } catch (error) {
      toast(error.message);
    }
  } });
  put(main, h("div", { class: "hero" }, h("h1", {}, "Matches"),
    h("p", { class: "muted" }, "What is played on this server. Records of matches can be looked at here too.")),
  h("p", {}, h("button", { type: "button", onclick: () => file.click() }, "Open a record"), file), list);
  const update = async () => {
    const all = await get("/api/matches");
    if (all.length === 0) {
      put(list, h("li", { class: "muted" }, "No match yet. ", h("a", { href: "/" }, "Choose a game.")));
      return;
    }
    put(list, all.map((match) => h("li", {}, h("a", { href: `/match/${part(match.id)}` },
      h("strong", {}, match.title), h("span", { class: "muted" }, match.players.join(", ")),
      match.elsewhere && h("span", { class: "muted" }, "another process"),
      match.viewers > 0 && h("span", { class: "muted" }, match.viewers === 1 ? "1 looks on" : `${match.viewers} look on`),
      h("span", { class: match.over ? "badge" : "badge live" },
        match.over ? (match.goals.join(" : ") || "over") : `step ${match.steps}`)))));
  };
  const kept = h("ul", { class: "matches" });
  const rows = await get("/api/store").catch(() => []);
  if (rows.length > 0) {
    add(main, [h("h2", {}, "Earlier"), kept]);
    put(kept, rows.map((row) => h("li", {}, h("button", { type: "button", class: "row", onclick: async () => {
      try {
        const { id } = await post(`/api/store/${part(row.number)}`, {});
        await go(`/match/${part(id)}`);
      } catch (error) {
        toast(error.message);
      }
    } }, h("strong", {}, row.game.replaceAll("_", " ")), h("span", { class: "muted" }, row.players.join(", ")),
    h("span", { class: "muted" }, new Date(row.finished).toLocaleString()),
    h("span", { class: "badge" }, row.goals.join(" : ") || "no result")))));
  }
  await update();
  const timer = setInterval(() => {
    // Whoever reads the list with the keyboard is not disturbed.
    if (!list.contains(document.activeElement)) update().catch(() => {});
  }, AGAIN);
  return () => clearInterval(timer);
}
