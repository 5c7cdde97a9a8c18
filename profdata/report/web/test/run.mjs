// run.mjs -- the unit tests: each made plain JavaScript, and run by Node.
//
// usage: node test/run.mjs OUT_DIR
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { buildSync } from "esbuild";

const here = new URL(".", import.meta.url).pathname;
const out = process.argv[2];
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
buildSync({
  entryPoints: tests.map((name) => here + name),
  bundle: true,
  platform: "node",
  format: "esm",
  outdir: out,
  outExtension: { ".js": ".mjs" },
});
const env = { ...process.env, STYLE: `${here}../src/style.css` };
const made = tests.map((name) => `${out}/${name.replace(/ts$/, "mjs")}`);
process.exit(
  spawnSync(process.execPath, ["--test", ...made], { stdio: "inherit", env }).status ?? 1,
);
