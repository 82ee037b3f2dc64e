// How the players saw a match: a curve for each role, from 0 to 100.

import { s } from "./dom.js";
import { colour } from "./pieces.js";

/** By role: the points [step, value] where its player had an opinion. */
export function curves(thoughts, roles) {
  const lines = Array.from({ length: roles }, () => []);
  thoughts.forEach((joint, step) => joint.forEach((thought, role) => {
    if (thought && typeof thought.value === "number") lines[role]?.push([step + 1, thought.value]);
  }));
  return lines;
}

/** The curves as a picture, with a line where one looks. */
export function chart(lines, steps, at, roles) {
  const x = (step) => ((step / Math.max(1, steps)) * 300).toFixed(1);
  const y = (value) => (100 - Math.max(0, Math.min(100, value))).toFixed(1);
  const last = lines.map((line, role) => line.length > 0
    && `${roles[role]} ${line[line.length - 1][1].toFixed(0)}`).filter(Boolean).join(", ");
  return s("svg", { viewBox: "-4 -4 308 108", preserveAspectRatio: "none", role: "img",
    "aria-label": `Expected goals by step; last: ${last}` },
  s("line", { x1: 0, x2: 300, y1: 50, y2: 50, class: "middle" }),
  s("line", { x1: x(at), x2: x(at), y1: 0, y2: 100, class: "now" }),
  lines.map((line, role) => line.length > 1 && s("g", { class: `c-${colour(roles, role)}` },
    s("polyline", { points: line.map(([step, value]) => `${x(step)},${y(value)}`).join(" ") }))));
}
