// Words as people say them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { differing, inOrder, paragraphs, spoken, told } from "../../assets/words.js";

test("moves are spoken and in order", () => {
  assert.equal(spoken("(give tall_light)"), "give tall light");
  assert.deepEqual(inOrder(["(drop 10)", "(drop 9)"]), ["(drop 9)", "(drop 10)"]);
  assert.deepEqual(told(["(mark 1 1)", "noop"], ["x", "o"]), [["x", "(mark 1 1)"]]);
  assert.deepEqual(told(["noop", "noop"], ["x", "o"]), [["x", "noop"]]);
});

test("the head of a sheet becomes paragraphs", () => {
  const head = "Hex\n\nPlayers: red and\nblue.\nRules: Whoever\nconnects wins.\n\nMore";
  assert.deepEqual(paragraphs(head, "Hex"), ["Players: red and blue.", "Rules: Whoever connects wins.", "More"]);
  assert.deepEqual(paragraphs("", "Hex"), []);
});

test("moves that are alike are told apart by what differs", () => {
  assert.deepEqual(differing(["(write 5 5 1)", "(write 5 5 2)"]), ["1", "2"]);
  assert.deepEqual(differing(["(promote e 8 queen)", "(promote e 8 rook)"]), ["queen", "rook"]);
  assert.deepEqual(differing(["(move a 1)", "(jump a 1 b)"]), ["move a 1", "jump a 1 b"]);
  assert.deepEqual(differing(["pass"]), ["pass"]);
});
