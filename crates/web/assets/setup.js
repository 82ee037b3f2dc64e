// A game before a match: who plays, how strong, how long.

import { get, part, post } from "./api.js";
import { go } from "./app.js";
import { still } from "./board.js";
import { h, put } from "./dom.js";
import { games } from "./gallery.js";
import { remember } from "./keys.js";
import { paragraphs } from "./words.js";

const SEATS = [
  ["here", "You"],
  ["link", "Somebody by link"],
  ["easy", "Machine: easy"],
  ["medium", "Machine: medium"],
  ["strong", "Machine: strong"],
  ["random", "Random moves"],
  ["other", "Another player…"],
];
const CLOCKS = [["", "No clock"], ["10", "10 seconds"], ["30", "30 seconds"], ["60", "1 minute"],
  ["300", "5 minutes"]];
const THOUGHTS = [["0.5", "½ second"], ["1", "1 second"], ["3", "3 seconds"], ["10", "10 seconds"]];

const options = (all, chosen) => all.map(([value, label]) => h("option", { value, selected: value === chosen }, label));

/** A seat as the server wants it. */
function seat(value) {
  if (value === "here" || value === "link") return { who: "human" };
  return value.startsWith("spec ") ? { who: "player", spec: value.slice(5) } : { who: "machine", strength: value };
}

/** Opens a match and goes there. `game` is a name, or a sheet. */
export async function open(game, roles, seats, more = {}) {
  const opened = await post("/api/matches", { game, seats: seats.map(seat), ...more });
  const keys = [];
  const invites = [];
  const held = {};
  const people = roles.map((name, role) => [name, role]).filter(([name]) => name !== "random");
  people.forEach(([name, role], at) => {
    const key = opened.keys[role];
    if (!key) return;
    if (seats[at] === "link") invites.push({ role: name, key });
    else {
      keys.push(key);
      held[role] = key;
    }
  });
  remember(opened.id, { keys, seats: held, invites, owner: opened.owner });
  return go(`/match/${part(opened.id)}`);
}

/** The form of a match. */
export function form(roles, start) {
  const people = roles.filter((name) => name !== "random");
  const seats = people.map((name, at) => h("select", { name: `seat-${at}`, id: `seat-${at}` },
    options(SEATS, at === 0 ? "here" : "medium")));
  const others = people.map((name, at) => {
    const said = h("span", { class: "muted", role: "status" });
    const field = h("input", {
      placeholder: "ludex, mc, http://host:9147", "aria-label": `Player of ${name}`, list: "players", spellcheck: "false",
      onchange: async () => {
        said.textContent = "";
        if (!field.value.includes("://")) return;
        try {
          const found = await post("/api/players/ask", { address: field.value });
          said.textContent = `${found.name ?? "A player"} is there${found.busy ? ", but busy" : ""}.`;
        } catch (error) {
          said.textContent = error.message;
        }
      },
    });
    const box = h("div", { class: "other", hidden: true }, field, said);
    seats[at].addEventListener("change", async () => {
      box.hidden = seats[at].value !== "other";
      if (box.hidden) return;
      field.focus();
      if (!list.childElementCount) {
        const known = await get("/api/players").catch(() => []);
        put(list, known.map((player) => h("option", { value: player.name }, player.summary)));
      }
    });
    return { box, field };
  });
  const list = h("datalist", { id: "players" });
  const think = h("select", { name: "think", id: "think" }, options(THOUGHTS, "1"));
  const clock = h("select", { name: "clock", id: "clock" }, options(CLOCKS, ""));
  const status = h("p", { class: "form-status", role: "status" });
  const button = h("button", { class: "primary", type: "submit" }, people.length > 1 ? "Play" : "Begin");
  const row = (id, label, field) => h("div", { class: "field" }, h("label", { for: id }, label), field);
  return h("form", {
    class: "setup",
    onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      status.textContent = "Setting up the game…";
      try {
        const clocked = clock.value ? { clock: Number(clock.value) } : {};
        const chosen = seats.map((field, at) => (field.value === "other" ? `spec ${others[at].field.value}` : field.value));
        await start(chosen, { think: Number(think.value), ...clocked });
      } catch (error) {
        status.textContent = error.message;
      }
      button.disabled = false;
    },
  }, people.map((name, at) => row(`seat-${at}`, people.length > 1 ? name.replaceAll("_", " ") : "Played by",
    h("div", { class: "seat" }, seats[at], others[at].box))), list,
  people.length > 1 && row("think", "Machines think at most", think),
  row("clock", "Your time for a move", clock), h("div", { class: "actions" }, button), status);
}

export async function setup(main, name) {
  const game = (await games()).find((known) => known.name === name);
  if (!game) throw new Error(`There is no game called ${name}.`);
  document.title = `${game.title} · Ludex`;
  const picture = h("div", { class: "preview" });
  const start = (seats, more) => open(name, game.roles, seats, more);
  put(main, h("div", { class: "intro" }, picture, h("div", { class: "about" },
    h("h1", {}, game.title), form(game.roles, start), h("div", { class: "head" }, paragraphs(game.text, game.title).map((text) => h("p", {}, text)),
    h("p", { class: "links" }, h("a", { href: `/games/${part(name)}/inside` }, "What Ludex understands of it"), " · ",
      h("a", { href: `/write?from=${part(name)}` }, "The rules, to change"))))));
  const preview = await get(`/api/games/${part(name)}/preview`);
  const boards = still(preview.picture, preview.roles, preview.style, `A position of ${game.title}`);
  put(picture, boards.length > 0 ? boards : preview.picture.lines.map((line) => h("p", {}, line.label)));
  picture.classList.toggle("many", boards.length > 1);
}
