// Numbers of tables as texts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { elo, percent, points } from "../../assets/tables.js";

test("numbers are short", () => {
  assert.deepEqual([points(3), points(2.5), points(1 / 3)], ["3", "2.5", "0.3"]);
  assert.equal(percent(0.525), "52.5 %");
  assert.equal(elo({ elo: 120.4, margin: 60.2 }), "+120 ± 60");
  assert.equal(elo({ elo: -0.6, margin: 9 }), "−1 ± 9");
  assert.equal(elo({ elo: null, margin: null }), "–");
});
