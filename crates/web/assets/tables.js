// Tables of results: standings and who beat whom. The numbers as texts are pure functions, tested
// without a browser.

import { h } from "./dom.js";

/** Whether a cell is a number, and goes to the right. */
export const isNumber = (cell) => typeof cell === "number"
  || Boolean(cell?.classList?.contains("number")) || (typeof cell === "string" && /^[+−-]?\d[\d.,]*( ?[±%–:].*)?$/.test(cell));

/** A table in a box that scrolls sideways on small screens, reachable with the keyboard. */
export function table(caption, head, rows) {
  return h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, head.map((name, at) => h("th", { scope: "col", class: rows.some((row) => isNumber(row[at])) ? "number" : null }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => (cell instanceof Node && cell.tagName === "TD"
        ? cell : h("td", { class: isNumber(cell) ? "number" : null }, cell))))))));
}

/** A number with at most one decimal: points are often halves. */
export function points(number) {
  return Number.isInteger(number) ? String(number) : number.toFixed(1);
}

export const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Elo with its margin; nothing if nobody was met. */
export function elo(row) {
  if (row.elo === null || row.elo === undefined) return "–";
  return `${row.elo >= 0 ? "+" : "−"}${Math.abs(row.elo).toFixed(0)} ± ${row.margin.toFixed(0)}`;
}

/** The table of a tournament, the best first. */
export function standings(found, caption = "Standings") {
  const alone = found.rows.every((row) => row.elo === null);
  const head = alone ? ["player", "matches", "mean goal", "errors"]
    : ["player", "matches", "points", "score", "95 % interval", "Elo", "mean goal", "errors"];
  return table(caption, head, found.rows.map((row) => (alone
    ? [row.player, row.matches, row.goal.toFixed(1), row.faults]
    : [row.player, row.matches, points(row.points), percent(row.mean),
      `${(100 * row.low).toFixed(1)} – ${(100 * row.high).toFixed(1)}`, elo(row), row.goal.toFixed(1), row.faults])));
}

/** Who beat whom: points of the row against the column. Nothing for less than three players. */
export function cross(found) {
  if (found.rows.length < 3 || found.rows.every((row) => row.elo === null)) return null;
  const cell = ([score, met], at, column) => (at === column ? "" : met === 0 ? "–" : `${points(score)} : ${points(met - score)}`);
  return table("Row against column", ["", ...found.rows.map((row) => row.player)], found.rows.map((row, at) =>
    [row.player, ...found.pairs[at].map((pair, column) => cell(pair, at, column))]));
}
