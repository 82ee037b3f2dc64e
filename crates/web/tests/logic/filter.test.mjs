// Which games fit.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inShowcase, matches } from "../../assets/filter.js";

const hex = { name: "hex", title: "Hex", text: "Connect two sides.", kind: "turn-taking", roles: ["red", "blue"], length: 60 };
const maze = { name: "maze", title: "Maze", text: "", kind: "single-player", roles: ["robot"], length: 9 };
const all = { players: "all", kind: "all", length: "all", text: "" };

test("filters are all to be met", () => {
  assert.ok(matches(hex, all) && matches(maze, all));
  assert.ok(matches(hex, { ...all, players: "2", kind: "turns", length: "medium" }));
  assert.ok(!matches(hex, { ...all, players: "1" }) && !matches(hex, { ...all, kind: "puzzle" }));
  assert.ok(matches(maze, { ...all, length: "short" }) && !matches(maze, { ...all, players: "more" }));
});

test("every word that is typed must be there", () => {
  assert.ok(matches(hex, { ...all, text: "HEX sides" }) && !matches(hex, { ...all, text: "hex maze" }));
  assert.ok(matches(hex, { ...all, text: "<b>" }) === false);
});

test("well-known games come first, the others by title", () => {
  const games = [maze, { ...hex, name: "b", title: "B" }, hex];
  assert.deepEqual(inShowcase(games).map((game) => game.name), ["hex", "b", "maze"]);
});
