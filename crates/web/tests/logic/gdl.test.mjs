// The language as the editor sees it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EXAMPLE, KEYWORDS, meaning, token } from "../../assets/gdl.js";

function kinds(line) {
  const found = [];
  for (let at = 0; at < line.length;) {
    const [kind, length] = token(line.slice(at));
    assert.ok(length > 0, "every token moves on");
    if (kind !== "blank") found.push(`${kind} ${line.slice(at, at + length)}`);
    at += length;
  }
  return found;
}

test("a line is tokens", () => {
  assert.deepEqual(kinds("(<= (Legal ?p (go 1)) ; why"), ["paren (", "keyword <=", "paren (", "keyword Legal",
    "variable ?p", "paren (", "word go", "number 1", "paren )", "paren )", "comment ; why"]);
  assert.deepEqual(kinds("constructor(x"), ["word constructor", "paren (", "word x"]);
});

test("words have meanings", () => {
  const checked = { relations: [{ name: "cell", title: "next cell", arity: 3, facts: 0, rules: 2, line: 9, comment: "Kept." }] };
  assert.deepEqual(meaning("cell", checked), ["next cell/3: 2 rules, from line 9", "Kept."]);
  assert.deepEqual(meaning("TRUE", null), [KEYWORDS.true]);
  assert.deepEqual(meaning("toString", checked), []);
});

test("the example is balanced", () => {
  const depth = kinds(EXAMPLE.replace(/;.*/g, "")).reduce((sum, kind) => sum + (kind === "paren (") - (kind === "paren )"), 0);
  assert.equal(depth, 0);
});
