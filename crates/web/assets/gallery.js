// The games to choose from.

import { get, part } from "./api.js";
import { still } from "./board.js";
import { h, put } from "./dom.js";
import { FILTERS, inShowcase, matches } from "./filter.js";

const LATER = "300px"; // pictures are made a little before they come into view

/** The picture of a game, drawn when it comes into view. */
export function thumbnail(name) {
  const box = h("div", { class: "thumb", "aria-hidden": "true" });
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    try {
      const preview = await get(`/api/games/${part(name)}/preview`);
      const boards = still(preview.picture, preview.roles, preview.style, "");
      put(box, boards.length > 0 ? boards : facts(preview.picture.lines));
      box.classList.add(boards.length > 1 ? "many" : "one");
    } catch {
      box.classList.add("none");
    }
  }, { rootMargin: LATER });
  observer.observe(box);
  return box;
}

function facts(lines) {
  return h("div", { class: "facts" }, lines.slice(0, 5).map((line) => h("p", {},
    h("span", {}, line.label), " ", line.values.slice(0, 4).map((value) => value.t).join(", ") || "–")));
}

const PLAYERS = ["", "1 player", "2 players", "3 players", "4 players"];

function card(game) {
  const count = game.roles.length;
  const kind = { "single-player": "puzzle", "turn-taking": "in turns", simultaneous: "at once" }[game.kind];
  return h("a", { class: "card", href: `/games/${part(game.name)}` }, thumbnail(game.name),
    h("span", { class: "card-text" }, h("strong", {}, game.title),
      h("span", { class: "muted" }, [PLAYERS[count] ?? `${count} players`, kind].filter(Boolean).join(" · "))));
}

let known = null;

/** All games; asked for once. */
export async function games() {
  known ??= await get("/api/games");
  return known;
}

const chosen = { players: "all", kind: "all", length: "all", text: "" };

export async function gallery(main) {
  document.title = "Ludex: games";
  const all = await games();
  const cards = new Map(all.map((game) => [game.name, card(game)]));
  const list = h("div", { class: "cards" });
  const count = h("p", { class: "count muted", role: "status" });
  const update = () => {
    const found = inShowcase(all.filter((game) => matches(game, chosen)));
    put(list, found.map((game) => cards.get(game.name)));
    count.textContent = found.length === 1 ? "1 game" : `${found.length} games`;
    if (found.length === 0) put(list, h("p", { class: "muted" }, "No game fits. Try fewer filters."));
  };
  const search = h("input", {
    type: "search", id: "search", placeholder: "Search games", "aria-label": "Search games", value: chosen.text,
    oninput: (event) => { chosen.text = event.target.value; update(); },
  });
  const filters = Object.entries(FILTERS).map(([name, filter]) => h("label", { class: "filter" },
    h("span", {}, filter.label),
    h("select", { name, onchange: (event) => { chosen[name] = event.target.value; update(); } },
      Object.entries(filter.options).map(([value, option]) =>
        h("option", { value, selected: chosen[name] === value }, option.label)))));
  put(main, h("div", { class: "hero" }, h("h1", {}, "Choose a game"),
    h("p", { class: "muted" }, "Play it against the machine, with friends, or watch.")),
  h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() }, search, filters, count),
  list);
  update();
}
