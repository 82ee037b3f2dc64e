// Looks inside a search while it thinks about the position that is shown.

import { part } from "./api.js";
import { curves, chart } from "./chart.js";
import { h, put } from "./dom.js";
import { bytes } from "./explain.js";
import { Tree, said, worth } from "./tree.js";
import { spoken } from "./words.js";

const MOST_POINTS = 400;

/** A panel that follows a search. `onMove` plays a move of it, if that is possible. */
export class Inside {
  constructor(id, { onMove }) {
    Object.assign(this, { id, onMove, step: null, source: null });
    this.figures = h("div", {});
    this.tree = h("details", { class: "tree-box", ontoggle: () => this.unfold() },
      h("summary", {}, "Tree"), h("div", {}));
    this.element = h("div", { class: "advice inside", hidden: true }, this.figures, this.tree);
  }

  get isOpen() {
    return this.step !== null;
  }

  /** Thinks about a position; the one that was thought about before is left. */
  open(step, roles) {
    if (this.step === step) return;
    this.close();
    Object.assign(this, { step, roles, values: [], search: null });
    this.element.hidden = false;
    this.tree.hidden = true;
    put(this.figures, h("p", { class: "muted" }, "Thinking…"));
    this.source = new EventSource(`/api/matches/${part(this.id)}/inside/${step}`);
    this.source.onmessage = (event) => this.show(JSON.parse(event.data));
    this.source.addEventListener("end", () => this.source?.close());
    this.source.onerror = () => {
      this.source?.close();
      if (this.values.length === 0) put(this.figures, h("p", { class: "muted" }, "Nobody has a choice here, or the machine is busy."));
    };
  }

  close() {
    this.source?.close();
    this.source = null;
    this.step = null;
    this.element.hidden = true;
    put(this.figures);
    put(this.tree.lastChild);
  }

  /** The tree as it is now; it is asked again when it is opened again. */
  unfold() {
    if (this.tree.open && this.search) put(this.tree.lastChild, new Tree(this.search, this.roles).element);
  }

  show(advice) {
    this.values.push(this.roles.map((_, role) => (advice.values[role] === undefined ? null : { value: advice.values[role] })));
    if (this.values.length > MOST_POINTS) this.values = this.values.filter((_, at) => at % 2 === 0);
    const most = Math.max(1, ...advice.moves.map((move) => move.visits));
    const rate = advice.seconds > 0 ? advice.playouts / advice.seconds : 0;
    const count = (number) => Math.round(number).toLocaleString("en");
    // A move that the pointer is on stays where it is.
    const first = this.search === null;
    this.search = advice.search;
    this.tree.hidden = advice.lines.length === 0;
    if (first) this.unfold();
    if (this.figures.querySelector("button:hover, button:focus")) return;
    put(this.figures,
      h("table", {}, h("caption", {}, `${this.roles[advice.role].replaceAll("_", " ")} to move: ${
        advice.all > advice.moves.length ? `the best ${advice.moves.length} of ${advice.all} moves` : "all moves"}`),
      h("thead", {}, h("tr", {}, ["move", "value", "", "visits"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, advice.moves.map((move) => h("tr", {},
        h("td", {}, h("button", { type: "button", onclick: () => this.onMove(move.move) }, spoken(move.move))),
        h("td", { class: "number" }, move.value === null ? "?" : move.value.toFixed(1), move.proved && " ✓"),
        h("td", {}, h("meter", { min: 0, max: most, value: move.visits, "aria-hidden": "true" })),
        h("td", { class: "number" }, count(move.visits)))))),
      advice.lines.length > 0 ? h("ol", { class: "lines-of-play", "aria-label": "Expected continuations" },
        advice.lines.map((line) => h("li", {}, h("span", { class: "number" }, worth(line)), " ",
          line.moves.map((joint) => said(joint, this.roles)).join(", "))))
        : h("p", { class: "line" }, advice.line.map((joint) => said(joint, this.roles)).join(", ")),
      h("div", { class: "chart" }, chart(curves(this.values, this.roles.length), this.values.length,
        this.values.length, this.roles)),
      h("p", { class: "muted" }, `${count(advice.playouts)} playouts, ${count(rate)} per second, ${count(advice.nodes)} nodes, depth ${
        advice.depth}, ${bytes(advice.memory)}${advice.finished ? ", finished" : ""}`));
  }
}
