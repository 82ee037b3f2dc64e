// Words for what is understood.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bytes, roleWords, turnWords } from "../../assets/explain.js";

test("structures and turns have words", () => {
  assert.equal(roleWords("step_counter"), "step counter");
  assert.equal(turnWords({ in_turn: ["x", "o"] }), "in turn: x, o");
  assert.equal(turnWords({ InTurn: ["x", "o"] }), "in turn: x, o");
  assert.equal(turnWords("at_once"), "several choose at once");
});

test("bytes have units", () => {
  assert.deepEqual([0, 1023, 1536, 5 << 20].map(bytes), ["0 bytes", "1023 bytes", "1.5 KiB", "5.0 MiB"]);
});
