// The laboratory: experiments that run, results as tables and plots, a form to start one.

import { get, part, post } from "./api.js";
import { go } from "./app.js";
import { h, put, toast } from "./dom.js";
import { games } from "./gallery.js";
import { blocks, pieces } from "./markdown.js";
import { percent, points, table } from "./tables.js";

const AGAIN = 2000; // milliseconds
const OWN = "";

const inline = (text) => pieces(text).map(([kind, piece]) => (kind === "text" ? piece : h(kind, {}, piece)));

/** A report of the lab: its first heading is that of the page. */
function report(found) {
  return blocks(found.markdown).slice(1).map((block) => {
    if (block.kind === "heading") return h("h2", {}, inline(block.text));
    if (block.kind === "list") return h("ul", { class: "plain" }, block.items.map((item) => h("li", {}, inline(item))));
    if (block.kind === "table") {
      return table("", block.head.map((cell) => pieces(cell).map(([, piece]) => piece).join("")),
        block.rows.map((row) => row.map((cell, at) => h("td", { class: at > 0 ? "number" : null }, inline(cell)))));
    }
    if (block.kind === "plot") {
      const svg = found.plots[block.file];
      return svg && h("figure", { class: "plot" }, h("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: block.title,
        loading: "lazy" }), h("figcaption", { class: "muted" }, block.title));
    }
    return h("p", {}, inline(block.text));
  });
}

function state(run) {
  if (run.problem) return run.problem;
  if (run.over) return "over";
  return run.total === 0 ? "getting ready" : "running";
}

/** A run in the list. */
function row(run) {
  return h("li", {}, h("a", { href: `/lab/runs/${part(run.id)}` }, h("strong", {}, run.title),
    h("span", { class: "muted" }, `${run.done} of ${run.total}${run.elsewhere ? ", by another process" : ""}`),
    h("span", { class: run.over ? "badge" : "badge live" }, state(run))));
}

const minutes = (found) => (found === null ? "" : found < 1.5 ? "about a minute" : `about ${found.toFixed(0)} minutes`);

/** The form that starts an experiment. */
function form(found, all) {
  const which = h("select", { id: "experiment" }, h("option", { value: OWN }, "One of your own"),
    found.experiments.map((one) => h("option", { value: one.name }, `${one.name}: ${one.title}`)));
  const about = h("p", { class: "muted" });
  const field = (id, label, input) => h("div", { class: "field" }, h("label", { for: id }, label), input);
  const title = h("input", { id: "run-title", placeholder: "From the page", maxlength: 60 });
  const chosen = h("input", { id: "games", placeholder: "connect_four, othello", spellcheck: "false", value: "connect_four" });
  const players = h("textarea", { id: "players", rows: 3, spellcheck: "false" }, "cadia-uct\nmc");
  const limit = h("select", { id: "limit" }, [["playouts", "playouts per move"], ["play", "seconds per move"]].map(([value, label]) =>
    h("option", { value }, label)));
  const amount = h("input", { id: "amount", type: "number", min: 0, step: "any", value: 200, "aria-label": "How much" });
  const full = h("select", { id: "run-form" }, h("option", { value: "quick" }, "quick"), h("option", { value: "full" }, "as published"));
  const matches = h("input", { id: "match-count", type: "number", min: 1, step: 1, placeholder: "as in the file" });
  const status = h("p", { class: "form-status", role: "status" });
  const button = h("button", { class: "primary", type: "submit" }, "Run");
  const own = h("div", { class: "setup" }, field("run-title", "Title", title), field("games", "Games", chosen),
    field("players", "Players, one a line", players),
    h("div", { class: "field" }, h("label", { for: "limit" }, "Limit"), h("div", { class: "row-form" }, amount, limit)));
  const published = h("div", { class: "setup" }, field("run-form", "Form", full));
  const update = () => {
    const experiment = found.experiments.find((one) => one.name === which.value);
    own.hidden = Boolean(experiment);
    published.hidden = !experiment?.full;
    if (!experiment?.full) full.value = "quick";
    put(about, experiment && [experiment.source && `After ${experiment.source}. `,
      `${experiment.games.length} games, ${experiment.players.length} players, ${experiment.matches} matches for each place of the table; `,
      minutes(experiment.minutes)]);
    matches.placeholder = experiment ? `${experiment.matches}` : "10";
  };
  which.addEventListener("change", update);
  update();
  return h("form", { class: "setup", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    status.textContent = "Starting…";
    const count = matches.value ? { matches: Number(matches.value) } : {};
    const wanted = which.value ? { experiment: which.value, full: full.value === "full", ...count } : {
      title: title.value, games: chosen.value.split(",").map((name) => name.trim()).filter(Boolean).map((name) =>
        all.find((game) => game.title.toLowerCase() === name.toLowerCase())?.name ?? name),
      players: players.value.split("\n").map((name) => name.trim()).filter(Boolean), ...count,
      [limit.value]: Number(amount.value),
    };
    try {
      const { id } = await post("/api/lab/runs", wanted);
      await go(`/lab/runs/${part(id)}`);
    } catch (error) {
      status.textContent = error.message;
      button.disabled = false;
    }
  } }, field("experiment", "Experiment", which), about, own, published, field("match-count", "Matches", matches),
  h("div", { class: "actions" }, button), status);
}

export async function lab(main) {
  document.title = "Lab · Ludex";
  const [found, all] = await Promise.all([get("/api/lab"), games()]);
  const runs = h("ul", { class: "matches" });
  const showRuns = (list) => put(runs, list.length === 0 ? h("li", { class: "muted" }, "Nothing runs. ",
    h("code", {}, "ludex lab run NAME --publish URL"), " is seen here too.") : list.map(row));
  showRuns(found.runs);
  put(main, h("div", { class: "hero" }, h("h1", {}, "Lab"),
    h("p", { class: "muted" }, "Which player is stronger, which engine faster? An experiment answers with intervals.")),
  h("div", { class: "two" },
    h("section", {}, h("h2", {}, "New experiment"), found.allowed ? form(found, all)
      : h("p", { class: "muted" }, "Experiments are started only where the page is not shared.")),
    h("div", {}, h("section", {}, h("h2", {}, "Running"), runs),
      h("section", {}, h("h2", {}, "Results"), h("ul", { class: "matches" }, found.results.length === 0
        ? h("li", { class: "muted" }, "None in the folder ", h("code", {}, "lab"), " yet.")
        : found.results.map((one) => h("li", {}, h("a", { href: `/lab/results/${part(one.name)}` }, h("strong", {}, one.title),
          h("span", { class: "muted" }, one.experiment), h("span", { class: "badge" }, one.form)))))))));
  const timer = setInterval(async () => {
    const now = await get("/api/lab").catch(() => null);
    if (now && !runs.contains(document.activeElement)) showRuns(now.runs);
  }, AGAIN);
  return () => clearInterval(timer);
}

export async function results(main, name) {
  put(main, h("p", { class: "loading" }, "Reading the results…"));
  const found = await get(`/api/lab/results/${part(name)}`);
  document.title = `${found.title} · Ludex`;
  put(main, h("div", { class: "hero" }, h("p", {}, h("a", { href: "/lab" }, "Lab")), h("h1", {}, found.title)),
    h("div", { class: "report" }, report(found)));
}

export async function run(main, id) {
  const first = await get(`/api/lab/runs/${part(id)}`);
  document.title = `${first.title} · Ludex`;
  const status = h("p", { class: "status", role: "status" });
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Done" });
  const stop = h("button", { type: "button", onclick: () => post(`/api/lab/runs/${part(id)}/stop`, {}).catch((error) => toast(error.message)) }, "Stop");
  const tables = h("div", { class: "tables" });
  const last = h("ul", { class: "plain" });
  put(main, h("div", { class: "hero" }, h("p", {}, h("a", { href: "/lab" }, "Lab")), h("h1", {}, first.title)),
    h("div", { class: "progress" }, bar, status, stop), tables, h("h2", {}, "Last results"), last);
  const show = (now) => {
    bar.max = Math.max(1, now.total);
    bar.value = now.done;
    const rate = now.seconds > 0 && !now.over ? `, ${now.seconds.toFixed(0)} s` : "";
    status.textContent = `${state(now)}: ${now.done} of ${now.total}${now.failed > 0 ? `, ${now.failed} failed` : ""}${rate}`;
    stop.hidden = now.over || now.elsewhere;
    put(tables, now.cells.length > 0 && table("So far, in this run", ["setting", "game", "player", "opponent", "matches", "points", "score"],
      now.cells.map((cell) => [cell.setting, cell.game, cell.player, cell.opponent, cell.matches, points(cell.points),
        percent(cell.points / Math.max(1, cell.matches))])));
    put(last, now.last.map((text) => h("li", {}, text)));
  };
  show(first);
  const timer = setInterval(async () => {
    const now = await get(`/api/lab/runs/${part(id)}`).catch(() => null);
    if (now) show(now);
    if (now?.over) clearInterval(timer);
  }, 1000);
  return () => clearInterval(timer);
}
