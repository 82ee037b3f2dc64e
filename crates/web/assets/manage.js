// The game manager: players behind HTTP, tournaments, ratings.

import { get, part, post } from "./api.js";
import { go } from "./app.js";
import { h, put, toast } from "./dom.js";
import { games } from "./gallery.js";
import { cross, standings, table } from "./tables.js";

const AGAIN = 2000; // milliseconds
const MACHINES = [["easy", "Machine: easy"], ["medium", "Machine: medium"], ["strong", "Machine: strong"]];
const STATES = { waiting: "waiting", running: "running", over: "over", stopped: "stopped" };

/** Shows an error where people look. */
async function told(work) {
  try {
    return await work();
  } catch (error) {
    toast(error.message);
    return null;
  }
}

// Ids in a form hide properties of the form, so none is called `matches` or `title`.
const field = (id, label, input) => h("div", { class: "field" }, h("label", { for: id }, label), input);
const number = (id, value, min, max, step) => h("input", { id, type: "number", value, min, max, step, required: true });

/** The list of registered players, and a form for another one. */
function players(onChange) {
  const list = h("div", {});
  const address = h("input", { id: "address", placeholder: "http://localhost:9147", spellcheck: "false", required: true });
  const status = h("p", { class: "form-status", role: "status" });
  const register = async (where) => {
    status.textContent = `Asking ${where}…`;
    try {
      const found = await post("/api/contestants", { address: where });
      status.textContent = found.status === "away" ? `${found.address} does not answer.`
        : `${found.name ?? found.address} is there${found.status === "busy" ? ", but busy" : ""}.`;
      return true;
    } catch (error) {
      status.textContent = error.message;
      return false;
    } finally {
      await update();
    }
  };
  const form = h("form", { class: "row-form", onsubmit: async (event) => {
    event.preventDefault();
    if (await register(address.value.trim())) address.value = "";
  } }, h("label", { for: "address" }, "Address of a player"), address, h("button", { type: "submit" }, "Register"));
  const update = async () => {
    const { players: known, allowed } = await get("/api/contestants");
    form.hidden = !allowed;
    if (!allowed) status.textContent = "Players behind HTTP take part only where the page is not shared.";
    const row = (one) => [h("td", {}, h("strong", {}, one.name ?? "unnamed"), h("br"), h("span", { class: "muted" }, one.address)),
      h("td", {}, h("span", { class: `badge state-${one.status}` }, one.status)),
      h("td", { class: "tools" },
        h("button", { type: "button", "aria-label": `Ask ${one.address} again`, onclick: () => register(one.address) }, "Ask again"),
        h("button", { type: "button", "aria-label": `Remove ${one.address}`, onclick: () => told(async () => {
          await post("/api/contestants/forget", { address: one.address });
          await update();
        }) }, "Remove"))];
    put(list, known.length > 0 ? table("Players behind HTTP", ["player", "status", ""], known.map(row))
      : h("p", { class: "muted" }, "None yet. ", h("code", {}, "ludex serve"), " is one: it prints its address."));
    onChange(known);
  };
  return { element: h("section", { "aria-labelledby": "players-title" }, h("h2", { id: "players-title" }, "Players"), form, status, list), update };
}

/** The form of a round robin. */
function form(all) {
  const chosenGames = new Map();
  const picked = h("ul", { class: "chips", "aria-label": "Games of the tournament" });
  const find = h("input", { id: "game", list: "games-list", placeholder: "Add a game", spellcheck: "false", autocomplete: "off" });
  const addGame = () => {
    const text = find.value.trim().toLowerCase();
    const game = all.find((one) => one.name === text || one.title.toLowerCase() === text);
    if (!game) return;
    chosenGames.set(game.name, game);
    find.value = "";
    showGames();
  };
  find.addEventListener("change", addGame);
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    addGame();
  });
  const showGames = () => put(picked, [...chosenGames.values()].map((game) => h("li", {}, game.title, " ",
    h("button", { type: "button", "aria-label": `Without ${game.title}`, onclick: () => { chosenGames.delete(game.name); showGames(); } }, "×"))));
  const boxes = h("div", { class: "boxes" });
  const checks = new Map();
  const more = [];
  const showPlayers = (registered) => {
    const before = new Set([...checks].filter(([, box]) => box.checked).map(([spec]) => spec));
    checks.clear();
    const lines = [...MACHINES, ["random", "Random moves"], ...registered.map((one) => [one.address, `${one.name ?? "Player"} (${one.address})`]),
      ...more.map((spec) => [spec, spec])];
    put(boxes, lines.map(([spec, label]) => {
      const box = h("input", { type: "checkbox", checked: before.has(spec), value: spec });
      checks.set(spec, box);
      return h("label", {}, box, " ", label);
    }));
  };
  let registered = [];
  const spec = h("input", { id: "spec", list: "specs-list", placeholder: "cadia-uct:c=60", spellcheck: "false", autocomplete: "off" });
  const addSpec = () => {
    const text = spec.value.trim();
    if (!text || checks.has(text)) return;
    more.push(text);
    showPlayers(registered);
    checks.get(text).checked = true;
    spec.value = "";
  };
  spec.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    addSpec();
  });
  const specs = h("datalist", { id: "specs-list" });
  get("/api/players").then((known) => put(specs, known.map((one) => h("option", { value: one.name }, one.summary)))).catch(() => {});
  const title = h("input", { id: "cup-title", placeholder: "Round robin", maxlength: 80 });
  const matches = number("match-count", 2, 1, 2000, 1);
  const start = number("start", 1, 0, 600, "any");
  const play = number("play", 1, 0.05, 60, "any");
  const atOnce = number("at-once", 1, 1, 8, 1);
  const scramble = h("input", { type: "checkbox", id: "scramble" });
  const status = h("p", { class: "form-status", role: "status" });
  const button = h("button", { class: "primary", type: "submit" }, "Begin");
  const element = h("form", { class: "setup", onsubmit: async (event) => {
    event.preventDefault();
    addGame();
    addSpec();
    button.disabled = true;
    status.textContent = "Setting up…";
    try {
      const { id } = await post("/api/tournaments", {
        title: title.value, games: [...chosenGames.keys()], players: [...checks].filter(([, box]) => box.checked).map(([name]) => name),
        matches: Number(matches.value), start: Number(start.value), play: Number(play.value), at_once: Number(atOnce.value),
        scramble: scramble.checked,
      });
      await go(`/tournaments/${part(id)}`);
    } catch (error) {
      status.textContent = error.message;
      button.disabled = false;
    }
  } }, field("cup-title", "Title", title),
  h("datalist", { id: "games-list" }, all.map((game) => h("option", { value: game.title }))),
  field("game", "Games", h("div", { class: "seat" }, find, picked)),
  h("fieldset", {}, h("legend", {}, "Players"), boxes,
    h("div", { class: "row-form" }, h("label", { for: "spec" }, "Another player"), spec, specs,
      h("button", { type: "button", onclick: addSpec }, "Add"))),
  field("match-count", "Matches of each pair and game", matches), field("start", "Seconds to get ready", start),
  field("play", "Seconds for a move", play), field("at-once", "Matches at the same time", atOnce),
  field("scramble", "Scrambled words for players behind HTTP", scramble),
  h("div", { class: "actions" }, button), status);
  return { element, showPlayers: (known) => { registered = known; showPlayers(known); } };
}

/** Ratings of everybody in the store. */
async function ratings(box) {
  const select = h("select", { id: "rated", onchange: () => update(select.value) });
  const shown = h("div", {});
  const update = async (game) => {
    const found = await get(`/api/ratings${game ? `?game=${part(game)}` : ""}`);
    if (select.childElementCount === 0) {
      put(select, h("option", { value: "" }, "all games"), found.games.map((name) => h("option", { value: name }, name.replaceAll("_", " "))));
    }
    put(shown, found.standings.rows.length > 0 ? standings(found.standings, "Everybody in the store")
      : h("p", { class: "muted" }, found.kept ? "No match is in the store yet."
        : ["Results are kept where the page has a store: ", h("code", {}, "ludex web --store FILE"), "."]));
    select.parentElement.hidden = found.games.length < 2;
  };
  put(box, h("p", { class: "filter" }, h("label", { for: "rated" }, "Game"), select), shown);
  await update("");
}

export async function manage(main) {
  document.title = "Game manager · Ludex";
  const all = await games();
  const setup = form(all);
  const known = players(setup.showPlayers);
  const list = h("ul", { class: "matches" });
  const rated = h("div", {});
  put(main, h("div", { class: "hero" }, h("h1", {}, "Game manager"),
    h("p", { class: "muted" }, "Register players, let everybody meet everybody, and watch. ",
      "For one match choose a game and name its players there.")),
  h("div", { class: "two" },
    h("div", {}, h("section", { "aria-labelledby": "new-title" }, h("h2", { id: "new-title" }, "New round robin"), setup.element)),
    h("div", {}, known.element,
      h("section", { "aria-labelledby": "tournaments-title" }, h("h2", { id: "tournaments-title" }, "Tournaments"), list))),
  h("section", { "aria-labelledby": "ratings-title" }, h("h2", { id: "ratings-title" }, "Ratings"), rated));
  const update = async () => {
    const found = await get("/api/tournaments");
    put(list, found.length === 0 ? h("li", { class: "muted" }, "None yet.")
      : found.map((one) => h("li", {}, h("a", { href: `/tournaments/${part(one.id)}` }, h("strong", {}, one.title),
        h("span", { class: "muted" }, `${one.players} players, ${one.done} of ${one.total} matches`),
        h("span", { class: one.state === "running" ? "badge live" : "badge" }, STATES[one.state])))));
  };
  await Promise.all([known.update(), update(), ratings(rated)]);
  const timer = setInterval(() => {
    if (!list.contains(document.activeElement)) update().catch(() => {});
  }, AGAIN);
  return () => clearInterval(timer);
}

/** A match of a tournament in the list. */
function row(match) {
  const players = match.players.join(" – ");
  const result = match.problem ?? (match.over ? match.goals.join(" : ") : "playing");
  const cells = [h("strong", {}, match.game), h("span", { class: "muted" }, players),
    match.faults > 0 && h("span", { class: "muted" }, match.faults === 1 ? "1 error" : `${match.faults} errors`),
    h("span", { class: match.over ? "badge" : "badge live" }, result)];
  return h("li", {}, match.id ? h("a", { href: `/match/${part(match.id)}` }, cells) : h("div", { class: "row" }, cells));
}

export async function tournament(main, id) {
  const first = await get(`/api/tournaments/${part(id)}`);
  document.title = `${first.title} · Ludex`;
  const state = h("p", { class: "status", role: "status" });
  const bar = h("progress", { max: first.total, value: 0, "aria-label": "Matches played" });
  const stop = h("button", { type: "button", onclick: () => told(() => post(`/api/tournaments/${part(id)}/stop`, {})) }, "Stop");
  const tables = h("div", { class: "tables" });
  const list = h("ul", { class: "matches" });
  const limit = first.playouts ? `${first.playouts} playouts per move` : `start clock ${first.start} s, play clock ${first.play} s`;
  put(main, h("div", { class: "hero" }, h("p", {}, h("a", { href: "/manage" }, "Game manager")), h("h1", {}, first.title),
    h("p", { class: "muted" }, `${first.games.join(", ")}; ${limit}`)),
  h("div", { class: "progress" }, bar, state, stop), tables, h("h2", {}, "Matches"), list);
  let shown = "";
  const show = (view) => {
    bar.value = view.done;
    state.textContent = `${STATES[view.state]}: ${view.done} of ${view.total} matches${view.failed > 0 ? `, ${view.failed} without a result` : ""}`;
    stop.hidden = view.state === "over" || view.state === "stopped";
    const now = JSON.stringify([view.standings, view.matches]);
    // Whoever reads the list with the keyboard is not disturbed.
    if (now === shown || list.contains(document.activeElement)) return;
    shown = now;
    put(tables, view.standings.rows.length > 0 && [standings(view.standings), cross(view.standings)]);
    put(list, view.matches.map(row));
  };
  show(first);
  const timer = setInterval(async () => {
    const view = await get(`/api/tournaments/${part(id)}`).catch(() => null);
    if (view) show(view);
    if (view && stop.hidden) clearInterval(timer);
  }, 1000);
  return () => clearInterval(timer);
}
