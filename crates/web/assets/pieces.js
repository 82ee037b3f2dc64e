// What lies in a cell, drawn in a box of 100 by 100. Chess pieces, draughts, stones, marks, tiles;
// letters for everything else.

import { s } from "./dom.js";

const COLOURS = ["white", "black", "red", "blue", "green", "yellow", "teal", "magenta", "orange", "purple"];
const SAME = { cyan: "teal", pink: "magenta", violet: "purple", gold: "yellow" };
const PALETTE = ["blue", "orange", "teal", "magenta", "green", "purple"];

/** The colour of a role: the one it is named for, or the next of the palette. */
export function colour(roles, role) {
  if (role === undefined || role === null) return "none";
  const name = roles[role] ?? "";
  const named = SAME[name] ?? (COLOURS.includes(name) ? name : null);
  if (named) return named;
  if (name === "x") return "red";
  if (name === "o") return "blue";
  return PALETTE[role % PALETTE.length];
}

const GLYPHS = { "♔": "king", "♕": "queen", "♖": "rook", "♗": "bishop", "♘": "knight", "♙": "pawn",
  "♚": "king", "♛": "queen", "♜": "rook", "♝": "bishop", "♞": "knight", "♟": "pawn" };
const CHESS = ["king", "queen", "rook", "bishop", "knight", "pawn"];
const BLANK = new Set(["", "blank", "empty", "b", "none"]);

const BASE = "M24 80q0-4 4-4h44q4 0 4 4v7q0 2-2 2H26q-2 0-2-2z";
const PATHS = {
  pawn: ["M50 20a14 14 0 0 1 9 24.800h4q2 0 2 2v3q0 2-2 2h-4.500c1 10 5 16 9.500 24.200H32C36.500 68 40.500 62 41.500 51.800H37q-2 0-2-2v-3q0-2 2-2h4A14 14 0 0 1 50 20z", BASE],
  rook: ["M27 18h10v8h8v-8h10v8h8v-8h10v16l-8 7 2 26 5 9H28l5-9 2-26-8-7z", BASE],
  bishop: ["M50 10a6 6 0 0 1 3.600 10.800C64 28 68 36 66 45c-1 4-3 7-6 9h2q2 0 2 2v3q0 2-2 2h-3c1 6 4 10 8 15H33c4-5 7-9 8-15h-3q-2 0-2-2v-3q0-2 2-2h2c-3-2-5-5-6-9-2-9 2-17 12.400-24.200A6 6 0 0 1 50 10z", BASE],
  knight: ["M38 14c2 2 5 5 7 8 20 1 32 20 30 54H34c-1-13 9-19 13-29-4 5-9 5-13 10-3 4-5 6-9 5-5-1-7-6-4-11 3-6 9-13 11-21 1-6 3-11 6-16z", BASE],
  queen: ["M50 14a5 5 0 0 1 3 9l8 25 9-22a5 5 0 1 1 5 1l-1 2 1 0a5 5 0 1 1 5 4l-7 27q-1 4-2 16H29q-1-12-2-16l-7-27a5 5 0 1 1 6-4l-1-2a5 5 0 1 1 5-1l9 22 8-25a5 5 0 0 1 3-9z", BASE],
  king: ["M47 6h6v6h6v6h-6v7c2 1 3 2 4 4 10-5 27-1 27 15 0 12-8 19-11 32H27c-3-13-11-20-11-32 0-16 17-20 27-15 1-2 2-3 4-4v-7h-6v-6h6z", BASE],
};
const DETAILS = {
  bishop: ["M50 30v16M43 38h14"],
  knight: ["M37 33l.1.1"],
  king: ["M50 34v36M28 68q22-7 44 0"],
  queen: ["M28 66q22-7 44 0"],
  rook: ["M35 41h30M33 67h34"],
  pawn: [],
};

function chess(kind, tone) {
  const paths = PATHS[kind].map((d) => s("path", { d, class: "body" }));
  const details = DETAILS[kind].map((d) => s("path", { d, class: "detail" }));
  return s("g", { class: `chess c-${tone}` }, paths, details);
}

function stone(tone) {
  return s("g", { class: `stone c-${tone}` },
    s("ellipse", { cx: 50, cy: 55, rx: 40, ry: 39, class: "shade" }),
    s("circle", { cx: 50, cy: 50, r: 40, class: "body" }),
    s("ellipse", { cx: 40, cy: 34, rx: 17, ry: 10, class: "shine", transform: "rotate(-28 40 34)" }));
}

function draught(tone, crowned) {
  const ring = s("circle", { cx: 50, cy: 50, r: 27, class: "detail" });
  const crown = s("path", { d: "M31 62l-3-25 12 11 10-17 10 17 12-11-3 25z", class: "crown" });
  return s("g", { class: `stone c-${tone}` },
    s("ellipse", { cx: 50, cy: 56, rx: 40, ry: 38, class: "shade" }),
    s("circle", { cx: 50, cy: 50, r: 40, class: "body" }), crowned ? crown : ring);
}

function mark(name, tone) {
  const shape = name === "x"
    ? s("path", { d: "M26 26l48 48M74 26l-48 48" })
    : s("circle", { cx: 50, cy: 50, r: 27 });
  return s("g", { class: `mark c-${tone}` }, shape);
}

const SIZES = [0, 46, 46, 40, 32, 27];

function letters(text, classes) {
  const shown = [...text].slice(0, 6).join("");
  const size = SIZES[Math.min([...shown].length, SIZES.length - 1)] ?? 24;
  return s("text", { x: 50, y: 50, class: classes, "font-size": size }, shown);
}

function token(text, tone) {
  if ([...text].length > 3) return s("g", { class: `plain-text c-${tone}` }, letters(text, "letters"));
  return s("g", { class: `token c-${tone}` },
    s("rect", { x: 14, y: 14, width: 72, height: 72, rx: 18, class: "body" }), letters(text, "letters"));
}

/** A piece of quarto says with its words what it is. */
function quarto(words) {
  const size = words.includes("tall") ? 38 : 24;
  const tone = words.includes("light") ? "white" : "black";
  const shape = words.includes("round")
    ? s("circle", { cx: 50, cy: 50, r: size, class: "body" })
    : s("rect", { x: 50 - size, y: 50 - size, width: 2 * size, height: 2 * size, rx: 5, class: "body" });
  const hole = words.includes("hollow") && s("circle", { cx: 50, cy: 50, r: 11, class: "hole" });
  return s("g", { class: `stone c-${tone}` }, shape, hole);
}

/** Whether nothing lies in a cell. */
export function isEmpty(cell) {
  return BLANK.has(cell.c ?? "") && ["·", " ", "", "."].includes((cell.t ?? "").trim() || " ");
}

/** Whether a cell is outside of the board: a gap in a board whose places are filled or named blank. */
export function isVoid(cell) {
  return !cell.c && (cell.t ?? "").trim() === "";
}

/** What a cell holds, in words. */
export function named(cell) {
  return isEmpty(cell) ? "empty" : (cell.c || cell.t).replaceAll("_", " ");
}

/** The piece of a cell; null if it is empty. */
export function piece(cell, roles, style) {
  if (isEmpty(cell)) return null;
  const text = (cell.t ?? "").trim();
  const content = cell.c ?? "";
  const words = content.split(/[_\s]+/);
  const tone = colour(roles, cell.r);
  const kind = CHESS.find((name) => words.includes(name)) ?? GLYPHS[text];
  if (style === "draughts" && words.some((word) => ["man", "king"].includes(word))) {
    return draught(tone, words.includes("king"));
  }
  if (kind) {
    const light = "♔♕♖♗♘♙".includes(text) ? "white" : "black";
    return chess(kind, cell.r === undefined ? light : tone);
  }
  if (["solid", "hollow"].some((word) => words.includes(word)) && words.length === 4) return quarto(words);
  if (["x", "o"].includes(content) && text === content) {
    return mark(content, tone === "none" ? (content === "x" ? "red" : "blue") : tone);
  }
  if (words.includes("checker")) return draught(tone, false);
  if (["rack", "lattice", "hex", "stones"].includes(style) && cell.r !== undefined) return stone(tone);
  if (["●", "○", "◆"].includes(text)) {
    if (cell.r !== undefined) return stone(tone);
    if (text === "○") return s("circle", { cx: 50, cy: 50, r: 14, class: "hollow" });
    return stone("lamp");
  }
  if (text === "·" || text === ".") return s("circle", { cx: 50, cy: 50, r: 8, class: "pellet" });
  if (text === "×") return s("path", { d: "M32 32l36 36M68 32L32 68", class: "crossed" });
  if (text === "#") return s("rect", { x: 4, y: 4, width: 92, height: 92, rx: 6, class: "wall" });
  if (text === "■" || text === "█") return s("rect", { x: 12, y: 12, width: 76, height: 76, rx: 8, class: "block" });
  if (/^\d+$/.test(content)) {
    if (style === "boxes") return s("g", {}, letters(content, "digit"));
    return s("g", { class: "tile" },
      s("rect", { x: 5, y: 5, width: 90, height: 90, rx: 10, class: "body" }), letters(content, "letters"));
  }
  return token(text || content, tone);
}
