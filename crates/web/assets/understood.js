// What is understood of a game from its rules and random play.

import { get, part } from "./api.js";
import { h, put } from "./dom.js";
import { games } from "./gallery.js";
import { roleWords, turnWords } from "./explain.js";

const MOST = 24; // rows of a table

function table(caption, heads, rows) {
  if (rows.length === 0) return null;
  const more = rows.length - MOST;
  return h("section", { class: "table-box" }, h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, rows.slice(0, MOST).map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))),
  more > 0 && h("p", { class: "muted" }, `and ${more} more`));
}

export async function understood(main, name) {
  const game = (await games()).find((known) => known.name === name);
  if (!game) throw new Error(`There is no game called ${name}.`);
  document.title = `Inside ${game.title} · Ludex`;
  const box = h("div", { class: "understood" }, h("p", { class: "muted", role: "status" }, "Looking at the rules…"));
  put(main, h("div", { class: "hero" }, h("h1", {}, "Inside ", h("a", { href: `/games/${part(name)}` }, game.title)),
    h("p", { class: "muted" }, "What Ludex understands of it. Names mean nothing to it: structures are found by what the rules do.")),
  box);
  const found = await get(`/api/games/${part(name)}/understood`);
  const sizes = found.estimates;
  const number = (value) => (value === null ? "?" : value.toLocaleString("en", { maximumFractionDigits: 1 }));
  const figures = [
    ["Players", found.roles.join(", ")],
    ["Turns", turnWords(found.turns)],
    found.control && ["Whose turn", found.control],
    found.constant_sum !== null && ["Goals", `always add up to ${found.constant_sum} (proved)`],
    ["Length", `${number(sizes.mean_length)} steps, ${sizes.shortest} to ${sizes.longest}`],
    ["Choices", `${number(sizes.branching)} in a state`],
    ["Ways to play", `about 10^${sizes.log10_tree.toFixed(0)}`],
    sizes.log10_states !== null && ["States", `at most 10^${sizes.log10_states.toFixed(1)}`],
    ["Random play", found.roles.map((role, at) => `${role} ${number(sizes.mean_goals[at] ?? null)}`).join(", ")],
  ].filter(Boolean);
  const order = (shape) => [...new Set(shape.ordered.map((place) => place.by))].join(", ") || "–";
  put(box, h("dl", { class: "figures" }, figures.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])),
    table("Structures", ["fact", "is a", "size", "in the order of"], found.shapes.map((shape) =>
      [shape.name, roleWords(shape.role), shape.size.join(" × ") || `${shape.facts}`, order(shape)])),
    table("What lies on boards", ["board", "content", "whose", "in play", "at first"], found.kinds.map((kind) =>
      [kind.board, kind.content, kind.owner ?? (kind.blank ? "empty" : "–"), `${kind.least} to ${kind.most}`,
        kind.initial])),
    table("Orders", ["relation", "values"], found.successions.flatMap((succession) =>
      succession.chains.map((chain) => [succession.relation, chain.slice(0, 16).join(" ") + (chain.length > 16 ? " …" : "")]))),
    table("Goals", ["role", "gets", "if"], found.goals.map((goal) => [goal.role, goal.value, goal.when || "always"])));
}
