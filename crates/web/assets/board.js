// Boards as SVG: squares, hexagons, stars, racks, stacks. A board is built once and then only its
// cells change, so that the keyboard cursor stays where it is.

import { h, s, put } from "./dom.js";
import { isEmpty, isVoid, named, piece } from "./pieces.js";

const UNIT = 100;
const GAP = 14; // between boxes
const LOW = Math.sqrt(3) / 2; // from row to row of hexagons
const HEXAGON = [0, 1, 2, 3, 4, 5].map((k) => {
  const angle = (Math.PI / 3) * k + Math.PI / 6;
  return `${(50 + 57.735 * Math.cos(angle)).toFixed(2)},${(50 + 57.735 * Math.sin(angle)).toFixed(2)}`;
}).join(" ");

/** Where cells lie: functions of column and row, and the size of the whole. */
function layout(grid, style, flipped) {
  const along = (axes, turned) => {
    const order = axes.map((_, at) => at);
    if (turned) order.reverse();
    const at = [];
    let end = 0;
    for (const index of order) {
      at[index] = end;
      end += axes[index] === null ? GAP : UNIT;
    }
    return { at, end };
  };
  const columns = along(grid.columns, flipped);
  const rows = along(grid.rows, flipped);
  if (grid.hex) {
    const turn = (row) => (flipped ? grid.rows.length - 1 - row : row);
    return {
      x: (column, row) => columns.at[column] + turn(row) * UNIT / 2,
      y: (_, row) => turn(row) * UNIT * LOW + 8,
      width: columns.end + (grid.rows.length - 1) * UNIT / 2,
      height: (grid.rows.length - 1) * UNIT * LOW + UNIT + 16,
    };
  }
  if (style === "lattice") {
    return {
      x: (column) => columns.at[column] / 2,
      y: (_, row) => rows.at[row] * LOW,
      width: columns.end / 2 + UNIT / 2,
      height: (rows.end - UNIT) * LOW + UNIT,
    };
  }
  return { x: (column) => columns.at[column], y: (_, row) => rows.at[row], width: columns.end, height: rows.end };
}

function ground(style, grid) {
  if (grid.hex) return () => s("polygon", { points: HEXAGON, class: "ground" });
  if (style === "lattice") return () => s("circle", { cx: 50, cy: 50, r: 44, class: "ground" });
  if (style === "rack") {
    return () => s("g", {}, s("rect", { width: 100.5, height: 100.5, class: "ground" }),
      s("circle", { cx: 50, cy: 50, r: 41, class: "slot" }));
  }
  return (column, row) => {
    const dark = (column + row) % 2 === 1;
    const classes = ["checkered", "draughts"].includes(style) ? (dark ? "ground dark" : "ground light") : "ground";
    return s("rect", { width: UNIT, height: UNIT, class: classes });
  };
}

/** A name for a cell that people say: `e4`, `3, 2`. */
export function cellName(grid, column, row) {
  const [x, y] = [grid.columns[column] ?? "", grid.rows[row] ?? ""];
  if (!y) return x;
  return /\d$/.test(x) && /^\d/.test(y) ? `${x}, ${y}` : `${x}${y}`;
}

const LONGEST_LABEL = 3;

/** A board that can be looked at, and with `onPick` also played on. */
export class Board {
  constructor(index, roles, style, { onPick = null, label = "Board" } = {}) {
    Object.assign(this, { index, roles, style, onPick, label });
    this.flipped = false;
    this.shape = null;
    this.cells = new Map();
    this.cursor = null;
    this.canPick = () => false;
    this.canDrag = () => false;
    this.element = h("div", { class: `board style-${style}` });
    if (onPick) this.listen();
  }

  /** Shows a grid. `marks` has lists of [board, column, row]: changed, winning, picks, targets, hints. */
  show(grid, marks = {}) {
    const shape = JSON.stringify([grid.columns, grid.rows, grid.hex, this.flipped]);
    this.grid = grid;
    if (this.style === "stack") return this.showStacks(marks);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    }
    const has = (list, column, row) => (list ?? []).some(
      ([board, x, y]) => board === this.index && x === column && (y === null || y === row));
    this.element.classList.toggle("picking", (marks.picks ?? []).length > 0);
    for (const { column, row, element, body, drawn } of this.cells.values()) {
      const cell = grid.cells[row]?.[column] ?? {};
      const key = `${cell.t}|${cell.c}|${cell.r}`;
      const entry = this.cells.get(`${column},${row}`);
      if (drawn !== key) {
        put(body, piece(cell, this.roles, this.style));
        entry.drawn = key;
      }
      const target = has(marks.targets, column, row);
      const classes = ["cell"];
      if (has(marks.changed, column, row)) classes.push("changed");
      if (has(marks.winning, column, row)) classes.push("winning");
      if (has(marks.picks, column, row)) classes.push("picked");
      if (has(marks.hints, column, row)) classes.push("hinted");
      if (target) classes.push(isEmpty(cell) ? "target" : "target taken");
      if (this.canDrag([this.index, column, row])) classes.push("movable");
      element.setAttribute("class", classes.join(" "));
      const name = cellName(grid, column, row);
      if (this.onPick) element.setAttribute("aria-label", `${name}, ${named(cell)}${target ? ", can be chosen" : ""}`);
    }
  }

  build() {
    const { grid } = this;
    const place = layout(grid, this.style, this.flipped);
    const draw = ground(this.style, grid);
    const holes = grid.cells.flat().some((cell) => cell.c && isEmpty(cell) || cell.t === "○" || cell.t === "·");
    this.cells.clear();
    const rows = grid.rows.map((label, row) => {
      if (label === null) return null;
      const cells = grid.columns.map((name, column) => {
        const cell = grid.cells[row]?.[column] ?? {};
        if (name === null || (holes && isVoid(cell) && (cell.t ?? "") === " ")) return null;
        const body = s("g", { class: "piece" });
        const spot = s("g", { class: "spot" }, s("circle", { cx: 50, cy: 50, r: 15, class: "dot" }),
          s("circle", { cx: 50, cy: 50, r: 44, class: "ring" }));
        const element = s("g", {
          class: "cell", role: this.onPick ? "gridcell" : null, "data-column": column, "data-row": row,
          tabindex: this.onPick ? -1 : null,
          transform: `translate(${place.x(column, row).toFixed(2)} ${place.y(column, row).toFixed(2)})`,
        }, draw(column, row), s("rect", { width: 100, height: 100, class: "wash" }), body, spot,
        s("rect", { x: 3, y: 3, width: 94, height: 94, rx: 8, class: "focus" }));
        this.cells.set(`${column},${row}`, { column, row, element, body, drawn: null });
        return element;
      });
      return s("g", { role: this.onPick ? "row" : null }, cells);
    });
    const labels = this.labels(place);
    const room = labels ? { left: 34, bottom: 34 } : { left: 6, bottom: 6 };
    const view = [-room.left, -6, place.width + room.left + 6, place.height + 6 + room.bottom];
    this.svg = s("svg", {
      viewBox: view.map((n) => n.toFixed(1)).join(" "), role: this.onPick ? "grid" : "img",
      "aria-label": this.label, class: "grid",
    }, s("rect", { x: -4, y: -4, width: place.width + 8, height: place.height + 8, rx: 6, class: "frame" }),
    rows, labels, s("g", { class: "drag" }));
    this.size = [view[2], view[3]];
    put(this.element, this.svg);
    this.setCursor(this.cursor && this.cells.has(`${this.cursor[0]},${this.cursor[1]}`) ? this.cursor : null);
  }

  labels(place) {
    const { grid } = this;
    const all = [...grid.columns, ...grid.rows].filter((label) => label !== null);
    if (all.some((label) => label.length > LONGEST_LABEL) || this.style === "lattice") return null;
    const size = Math.max(15, Math.min(24, place.width / 36)).toFixed(1);
    const text = (x, y, label) =>
      s("text", { x: x.toFixed(1), y: y.toFixed(1), class: "label", "font-size": size }, label);
    const last = this.flipped ? 0 : grid.rows.length - 1;
    const first = this.flipped ? grid.columns.length - 1 : 0;
    const below = grid.columns.map((label, column) => label !== null
      && text(place.x(column, last) + 50, place.height + 22, label));
    const left = grid.rows.map((label, row) => label !== null
      && text(place.x(first, row) - 20, place.y(first, row) + 52, label));
    return s("g", { "aria-hidden": "true" }, below, left);
  }

  /** Rods with discs: what lies on each other, the widest as wide as a rod has room. */
  showStacks(marks) {
    const { grid } = this;
    const contents = [...new Set(grid.cells.flat().filter((cell) => cell.c).map((cell) => cell.c))];
    contents.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const [wide, high] = [260, 46];
    const tall = grid.rows.length * high;
    const has = (list, column) => (list ?? []).some(([board, x]) => board === this.index && x === column);
    const focused = this.element.contains(document.activeElement) ? this.cursor : null;
    this.cells.clear();
    const rods = grid.columns.map((label, column) => {
      const discs = grid.rows.map((_, row) => {
        const cell = grid.cells[row]?.[column] ?? {};
        if (!cell.c) return null;
        const rank = contents.indexOf(cell.c) + 1;
        const width = 70 + (rank / contents.length) * (wide - 90);
        return s("g", { class: `disc tint-${(rank - 1) % 8}` },
          s("rect", { x: (wide - width) / 2, y: 40 + row * high + 3, width, height: high - 5, rx: (high - 5) / 2 }),
          s("text", { x: wide / 2, y: 40 + row * high + high / 2, class: "letters", "font-size": 22 }, cell.c));
      });
      const classes = ["cell", "rod"];
      if (has(marks.picks, column)) classes.push("picked");
      if (has(marks.targets, column)) classes.push("target");
      if (has(marks.changed, column)) classes.push("changed");
      if (has(marks.hints, column)) classes.push("hinted");
      const holds = grid.rows.map((_, row) => grid.cells[row]?.[column]?.c).filter(Boolean);
      const top = Math.max(0, grid.rows.findIndex((_, row) => grid.cells[row]?.[column]?.c));
      const element = s("g", {
        class: classes.join(" "), role: this.onPick ? "gridcell" : null, tabindex: this.onPick ? -1 : null,
        "data-column": column, "data-row": top, transform: `translate(${column * wide} 0)`,
        "aria-label": this.onPick ? `${label ?? ""}: ${holds.join(", ") || "empty"}` : null,
      }, s("rect", { x: 4, y: 4, width: wide - 8, height: tall + 62, rx: 12, class: "wash" }),
      s("rect", { x: wide / 2 - 7, y: 20, width: 14, height: tall + 20, rx: 7, class: "pole" }),
      s("rect", { x: 14, y: tall + 40, width: wide - 28, height: 12, rx: 6, class: "pole" }),
      discs, s("text", { x: wide / 2, y: tall + 86, class: "label", "font-size": 24 }, label ?? ""),
      s("rect", { x: 6, y: 6, width: wide - 12, height: tall + 58, rx: 12, class: "focus" }));
      this.cells.set(`${column},${top}`, { column, row: top, element });
      return element;
    });
    const size = [grid.columns.length * wide, tall + 104];
    this.size = size;
    this.svg = s("svg", {
      viewBox: `0 0 ${size[0]} ${size[1]}`, role: this.onPick ? "grid" : "img", "aria-label": this.label,
      class: "grid",
    }, s("g", { role: this.onPick ? "row" : null }, rods), s("g", { class: "drag" }));
    put(this.element, this.svg);
    const column = (focused ?? this.cursor)?.[0];
    const entry = [...this.cells.values()].find((cell) => cell.column === column);
    this.setCursor(entry ? [entry.column, entry.row] : null);
    if (focused && entry) entry.element.focus();
  }

  turn(flipped) {
    this.flipped = flipped;
    if (this.grid) this.shape = null;
  }

  /** The cell that Tab leads to. */
  setCursor(cursor) {
    this.cursor = cursor;
    if (!this.onPick) return;
    for (const { column, row, element } of this.cells.values()) {
      const here = cursor && column === cursor[0] && row === cursor[1];
      element.setAttribute("tabindex", here ? 0 : -1);
    }
    if (!cursor) [...this.cells.values()][0]?.element.setAttribute("tabindex", 0);
  }

  cellOf(target) {
    const element = target instanceof Element ? target.closest("[data-column]") : null;
    if (!element || !this.element.contains(element)) return null;
    return [this.index, Number(element.dataset.column), Number(element.dataset.row)];
  }

  listen() {
    const { element } = this;
    let drag = null;
    element.addEventListener("pointerdown", (event) => {
      const cell = this.cellOf(event.target);
      if (!cell || event.button !== 0) return;
      drag = { cell, x: event.clientX, y: event.clientY, moved: false, movable: this.canDrag(cell) };
    });
    element.addEventListener("pointermove", (event) => {
      if (!drag?.movable) return;
      const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 6;
      if (!drag.moved && far) {
        drag.moved = true;
        this.onPick(drag.cell, "drag");
        const body = this.cells.get(`${drag.cell[1]},${drag.cell[2]}`)?.body;
        if (body) {
          body.classList.add("lifted");
          put(this.svg.querySelector(".drag"), body.firstChild?.cloneNode(true));
        }
        element.setPointerCapture(event.pointerId);
      }
      if (drag.moved) {
        const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
        this.svg.querySelector(".drag")?.setAttribute("transform", `translate(${point.x - 50} ${point.y - 50})`);
      }
    });
    const drop = () => {
      this.svg?.querySelector(".drag")?.replaceChildren();
      for (const lifted of element.querySelectorAll(".lifted")) lifted.classList.remove("lifted");
    };
    element.addEventListener("pointerup", (event) => {
      const was = drag;
      drag = null;
      drop();
      if (!was) return;
      if (was.moved) {
        const cell = this.cellOf(document.elementFromPoint(event.clientX, event.clientY));
        const same = cell && cell[1] === was.cell[1] && cell[2] === was.cell[2];
        if (cell && !same) this.onPick(cell, "drop");
        return;
      }
      const cell = this.cellOf(event.target);
      if (cell) {
        this.setCursor([cell[1], cell[2]]);
        this.onPick(cell, "click");
      }
    });
    element.addEventListener("pointercancel", () => { drag = null; drop(); });
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("focusin", (event) => {
      const cell = this.cellOf(event.target);
      if (cell) this.setCursor([cell[1], cell[2]]);
    });
  }

  key(event) {
    const cell = this.cellOf(event.target);
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.onPick(cell, "click");
    } else if (event.key in steps) {
      event.preventDefault();
      event.stopPropagation();
      const turn = this.flipped ? -1 : 1;
      this.walk(cell, steps[event.key].map((step) => step * turn));
    }
  }

  /** To the next cell in a direction; what is no cell is skipped. */
  walk(cell, [right, down]) {
    let [column, row] = [cell[1], cell[2]];
    for (;;) {
      column += right;
      row += down;
      const inside = column >= 0 && row >= 0 && column < this.grid.columns.length && row < this.grid.rows.length;
      if (!inside) return;
      const entry = this.style === "stack"
        ? [...this.cells.values()].find((known) => known.column === column)
        : this.cells.get(`${column},${row}`);
      if (entry && down !== 0 && this.style === "stack") return;
      if (entry) {
        this.setCursor([entry.column, entry.row]);
        entry.element.focus();
        return;
      }
    }
  }
}

/** All boards of a picture, side by side, only to be looked at. */
export function still(picture, roles, style, label) {
  return picture.grids.slice(0, 4).map((grid, index) => {
    const board = new Board(index, roles, style, { label });
    board.show(grid);
    return board.element;
  });
}
