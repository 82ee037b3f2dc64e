// Bundles the editor and the licences of what is in it.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = new URL("../assets/codemirror.js", import.meta.url).pathname;
const result = await build({
  entryPoints: ["entry.js"], bundle: true, format: "esm", minify: true, target: "es2022", write: false,
  legalComments: "none", metafile: true,
});
const packages = new Set();
for (const path of Object.keys(result.metafile.inputs)) {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (found) packages.add(found[1]);
}
const list = [...packages].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
  if (license !== "MIT") throw new Error(`${name} is under ${license}`);
  return `${name} ${version}`;
});
const folder = "node_modules/@codemirror/state";
const licence = readFileSync(`${folder}/${readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))}`, "utf8");
writeFileSync(out, `/*! CodeMirror 6: ${list.join(", ")}\n\n${licence.trim()}\n*/\n${result.outputFiles[0].text}`);
