// What a line of a search is worth, in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { said, worth } from "../../assets/tree.js";

test("values and proofs are told apart", () => {
  assert.equal(worth({ value: 62.54, proof: null }), "62.5");
  assert.equal(worth({ value: 99.9, proof: [100, 100] }), "100 ✓");
  assert.equal(worth({ value: 70, proof: [50, 100] }), "70.0, ≥ 50");
  assert.equal(worth({ value: 30, proof: [0, 50] }), "30.0, ≤ 50");
  assert.equal(worth({ value: null, proof: [0, 100] }), "?");
});

test("joint moves are said without those who wait", () => {
  assert.equal(said(["(mark 1 1)", "noop"], ["x", "o"]), "mark 1 1");
  assert.equal(said(["(go left)", "(go right)"], ["x", "o"]), "go left · go right");
});
