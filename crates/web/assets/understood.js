// What is understood of a game from its rules and random play.

import { get, part } from "./api.js";
import { h, put } from "./dom.js";
import { games } from "./gallery.js";
import { roleWords, turnWords } from "./explain.js";

const MOST = 24; // rows of a table

function table(caption, heads, rows) {
  if (rows.length === 0) return null;
  const more = rows.length - MOST;
  return h("section", { class: "table-box", tabindex: 0, "aria-label": caption }, h("table", {}, h("caption", {}, caption),
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
  const { engine, circuit } = found;
  const count = (value) => value.toLocaleString("en");
  figures.push(["Engine", `${engine.name}, ${engine.lanes === 1 ? "one state at a time" : `${engine.lanes} states at once`}${
    engine.compiled ? `, machine code (${engine.instructions})` : ""}`]);
  const gates = circuit && [
    ["facts and rules as written", circuit.rules], ["ground atoms", circuit.atoms], ["instances of rules", circuit.instances],
    ["facts of the state", circuit.facts], ["moves of all roles", circuit.moves],
    ["gates for legal and terminal", circuit.gates.view], ["further ones for next", circuit.gates.next],
    ["further ones for goals", circuit.gates.goals], ["inputs of all gates", circuit.inputs],
    ["inputs before the passes", circuit.built], ["gates on the longest way", circuit.depth], ["loops", circuit.loops],
    ["groups with exactly one fact", circuit.one_of], ["groups with at most one fact", circuit.exclusive],
    ["facts that stay for good", circuit.stay_on], ["facts that go for good", circuit.stay_off],
  ].map(([label, value]) => [label, count(value)]);
  const order = (shape) => [...new Set(shape.ordered.map((place) => place.by))].join(", ") || "–";
  put(box, h("dl", { class: "figures" }, figures.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])),
    table("Structures", ["fact", "is a", "size", "in the order of"], found.shapes.map((shape) =>
      [shape.name, roleWords(shape.role), shape.size.join(" × ") || `${shape.facts}`, order(shape)])),
    table("What lies on boards", ["board", "content", "whose", "in play", "at first"], found.kinds.map((kind) =>
      [kind.board, kind.content, kind.owner ?? (kind.blank ? "empty" : "–"), `${kind.least} to ${kind.most}`,
        kind.initial])),
    table("Orders", ["relation", "values"], found.successions.flatMap((succession) =>
      succession.chains.map((chain) => [succession.relation, chain.slice(0, 16).join(" ") + (chain.length > 16 ? " …" : "")]))),
    gates && table("Circuit", ["what", "how many"], gates),
    table("Goals", ["role", "gets", "if"], found.goals.map((goal) => [goal.role, goal.value, goal.when || "always"])));
}
