// From clicks to moves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { click, elsewhere, fitting, isTarget, search, targets } from "../../assets/choose.js";

const pawn = [
  { name: "(move e 2 e 3)", spots: [[0, 4, 6], [0, 4, 5]] },
  { name: "(move e 2 e 4)", spots: [[0, 4, 6], [0, 4, 4]] },
  { name: "(move d 2 d 3)", spots: [[0, 3, 6], [0, 3, 5]] },
];
const promotions = [
  { name: "(promote e 7 e 8 queen)", spots: [[0, 4, 1], [0, 4, 0]] },
  { name: "(promote e 7 e 8 rook)", spots: [[0, 4, 1], [0, 4, 0]] },
];
const drops = [{ name: "(drop 1)", spots: [[0, 0, null]] }, { name: "(drop 2)", spots: [[0, 1, null]] }];

test("two clicks make a move", () => {
  assert.deepEqual(click(pawn, [], [0, 4, 6]), { picks: [[0, 4, 6]] });
  assert.deepEqual(click(pawn, [[0, 4, 6]], [0, 4, 4]), { move: "(move e 2 e 4)" });
  assert.equal(fitting(pawn, [[0, 4, 6]]).length, 2);
  assert.deepEqual(targets(pawn, [[0, 4, 6]]), [[0, 4, 5], [0, 4, 4]]);
});

test("a click elsewhere begins anew, one on the same cell puts the piece down", () => {
  assert.deepEqual(click(pawn, [[0, 4, 6]], [0, 3, 6]), { picks: [[0, 3, 6]] });
  assert.deepEqual(click(pawn, [[0, 4, 6]], [0, 4, 6]), { picks: [] });
  assert.deepEqual(click(pawn, [[0, 4, 6]], [0, 0, 0]), { picks: [] });
  assert.deepEqual(click(pawn, [], [1, 4, 6]), { picks: [] });
});

test("cells that fit several moves ask which", () => {
  const result = click(promotions, [[0, 4, 1]], [0, 4, 0]);
  assert.deepEqual(result.several, promotions.map((choice) => choice.name));
});

test("a move that goes on behind a complete one is offered beside it", () => {
  const jumps = [...pawn.slice(0, 1), { name: "(jump e 2 e 3 e 4)", spots: [[0, 4, 6], [0, 4, 5], [0, 4, 4]] }];
  const result = click(jumps, [[0, 4, 6]], [0, 4, 5]);
  assert.deepEqual(result.several, ["(move e 2 e 3)", "(jump e 2 e 3 e 4)"]);
});

test("every cell of a column drops into it", () => {
  assert.ok(isTarget(drops, [], [0, 1, 3]) && !isTarget(drops, [], [0, 2, 3]));
  assert.deepEqual(click(drops, [], [0, 1, 3]), { move: "(drop 2)" });
});

test("moves without cells are elsewhere", () => {
  assert.deepEqual(elsewhere([...pawn, { name: "pass" }]).map((choice) => choice.name), ["pass"]);
  assert.deepEqual(click([{ name: "pass" }], [], [0, 0, 0]), { picks: [] });
});

test("moves are found by what people type", () => {
  const names = pawn.map((choice) => choice.name);
  assert.deepEqual(search(names, "e2e4"), ["(move e 2 e 4)"]);
  assert.deepEqual(search(names, "mo d"), ["(move d 2 d 3)"]);
  assert.deepEqual(search(names, ""), names);
  assert.deepEqual(search(names, "x"), []);
});
