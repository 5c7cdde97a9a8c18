// bundle.mjs -- makes the page of src/ one file, which the repository keeps and the
// tool has inside: nobody who builds or runs it needs Node.
//
// usage: node bundle.mjs OUT
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = process.argv[2];
const here = (name) => new URL(name, import.meta.url).pathname;

async function bundled(entry) {
  const made = await build({
    entryPoints: [here(entry)],
    absWorkingDir: here("."),
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    write: false,
  });
  // Nothing in it may end the element that it stands in.
  return made.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
}

function hash(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function licences() {
  const { dependencies } = JSON.parse(readFileSync(here("package.json"), "utf8"));
  return Object.entries(dependencies)
    .map(
      ([name, version]) =>
        `${name} ${version}\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), "utf8").trim()}`,
    )
    .join("\n\n");
}

const style = await bundled("src/style.css");
const script = await bundled("src/main.tsx");
const parts = {
  STYLE_HASH: hash(style),
  SCRIPT_HASH: hash(script),
  STYLE: style,
  SCRIPT: script,
  LICENCES: licences(),
};
const page = readFileSync(here("src/page.html"), "utf8").replace(
  /@([A-Z_]+)@/g,
  (whole, name) => parts[name] ?? whole,
);
writeFileSync(out, page);
