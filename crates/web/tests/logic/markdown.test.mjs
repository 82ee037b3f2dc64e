// Reports of the lab: Markdown to blocks.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { blocks, pieces } from "../../assets/markdown.js";

test("a report is headings, facts, tables and plots in order", () => {
  const found = blocks("# Title\n\n- form: quick\n- command: `ludex lab run x`\n\n## Wins\n\n| a | b\\|c |\n|---|---|\n| 1 | 2 *3* |\n\n"
    + "two\nlines\n\n![Wins by game](wins.svg)\n");
  assert.deepEqual(found.map((block) => block.kind), ["heading", "list", "heading", "table", "text", "plot"]);
  assert.deepEqual(found[1].items, ["form: quick", "command: `ludex lab run x`"]);
  assert.deepEqual([found[3].head, found[3].rows], [["a", "b\\|c"], [["1", "2 *3*"]]]);
  assert.equal(found[4].text, "two lines");
  assert.equal(found[5].file, "wins.svg");
});

test("texts have pieces, and nothing in them is markup", () => {
  assert.deepEqual(pieces("50.0 *49.1* of `a_b` and **all**"),
    [["text", "50.0 "], ["em", "49.1"], ["text", " of "], ["code", "a_b"], ["text", " and "], ["strong", "all"]]);
  assert.deepEqual(pieces("\\*not\\* &lt;b&gt; [page](http://example.org)"), [["text", "*not* <b> "], ["text", "page"]]);
  assert.deepEqual(pieces("2 * 3 * 4"), [["text", "2 * 3 * 4"]]);
});

test("every report of the repository is read to its end", () => {
  const folder = new URL("../../../../docs/results/lab/", import.meta.url);
  const reports = readdirSync(folder).map((name) => new URL(`${name}/report.md`, folder));
  assert.ok(reports.length > 10);
  for (const report of reports) {
    const text = readFileSync(report, "utf8");
    const found = blocks(text);
    const rows = found.filter((block) => block.kind === "table").reduce((sum, block) => sum + block.rows.length + 2, 0);
    assert.equal(rows, text.split("\n").filter((line) => line.startsWith("|")).length, report.pathname);
    for (const block of found.filter((one) => one.kind === "table")) {
      assert.ok(block.rows.every((row) => row.length === block.head.length), report.pathname);
    }
  }
});
