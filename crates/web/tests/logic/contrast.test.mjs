// Texts can be read, light and dark: the contrast of colours as WCAG 2.1 computes it (1.4.3: 4.5 to 1).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../../assets/style.css", import.meta.url), "utf8");

function variables(text) {
  return Object.fromEntries([...text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]));
}

const light = variables(/:root \{([^}]*)\}/.exec(css)[1]);
const dark = { ...light, ...variables(/prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/.exec(css)[1]) };

function luminance(colour) {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r, g, b] = channels.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const TEXTS = [["ink", "paper"], ["ink", "card"], ["ink", "soft"], ["muted", "paper"], ["muted", "card"], ["accent", "paper"],
  ["accent", "card"], ["accent-ink", "accent"], ["alarm", "card"], ["hint", "card"], ["ink", "board-plain"]];

test("the formula is that of WCAG", () => {
  assert.equal(contrast("#ffffff", "#000000").toFixed(1), "21.0");
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
});

for (const [name, theme] of [["light", light], ["dark", dark]]) {
  test(`texts can be read, ${name}`, () => {
    for (const [text, ground] of TEXTS) {
      const found = contrast(theme[text], theme[ground]);
      assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
    }
  });
}
