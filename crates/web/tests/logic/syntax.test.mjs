// Every module of the page can be read.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../assets/", import.meta.url));
const modules = readdirSync(folder).filter((name) => name.endsWith(".js"));

test("all modules can be read", () => {
  assert.ok(modules.length > 10);
  for (const name of modules) {
    const { status, stderr } = spawnSync(process.execPath, ["--check", folder + name], { encoding: "utf8" });
    assert.equal(status, 0, `${name}: ${stderr}`);
  }
});
