// browser.mjs -- a headless Chromium, driven by playwright-core.
//
// usage: browser.mjs PACKAGES URL
//
// Shows the page until stdin ends. PACKAGES: node_modules of test/npm.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

// A browser that is silent for so long hangs.
export const SILENT_MS = Number(process.env.SILENT_MS ?? 600_000);

let kept = false;
let browser;

/** From now on, all launches have the same browser, which runs until close(). */
export function keep() {
  kept = true;
}

export async function launch(packages) {
  if (browser) return browser;
  const { chromium } = createRequire(resolve(packages, "x.js"))("playwright-core");
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox"],
    timeout: SILENT_MS,
  });
  return browser;
}

export async function close() {
  await browser?.close();
}

/** Ends what launch() gave, unless it is kept. */
export async function leave() {
  if (!kept) await close();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [packages, url] = process.argv.slice(2);
  const browser = await launch(packages);
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  process.stdin.on("end", () => browser.close()).resume();
  await page.goto(url);
}
