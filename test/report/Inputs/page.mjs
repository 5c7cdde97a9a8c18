// page.mjs -- a report in a headless Chromium: what the checks of all kinds of pages
// share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, leave, SILENT_MS } from "../../browser.mjs";

export const PHONE = { width: 390, height: 800 };

/** The number that a title tells to the last digit. */
export function value_of(title) {
  return Number(title.replaceAll(",", "").split(" ")[0]);
}

/** In the page: goes to another fragment, and waits until that is drawn. False if the
 * page is there already. */
function turn(fragment) {
  return new Promise((done) => {
    const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
    const before = location.href;
    window.addEventListener("hashchange", drawn, { once: true });
    location.hash = fragment;
    if (location.href === before) done(false);
  });
}

/** Opens the report at this fragment; fails with what is there in its place. A page that
 * shows the report already is not loaded again. */
export function opener(file) {
  const address = pathToFileURL(resolve(file)).href;
  const loaded = new WeakSet();
  return async (page, fragment = "") => {
    if (loaded.has(page) && (await page.evaluate(turn, fragment))) return;
    await page.goto("about:blank");
    await page.goto(`${address}#${fragment}`);
    await page.waitForFunction(
      () => document.querySelector("main, #page.error") ?? !document.getElementById("page"),
    );
    assert.ok(
      (await page.locator("main").count()) === 1,
      `no page: ${await page.locator("body").innerText()}`,
    );
    loaded.add(page);
  };
}

/** Numbers of a column of the rows that are there. */
export async function column(page, index) {
  const titles = await page
    .locator(`tbody tr:not(.space) td:nth-child(${index + 1})`)
    .evaluateAll((cells) => cells.map((cell) => cell.title));
  return titles.map(value_of);
}

/** What can be used and has no name for who does not see it. */
export async function nameless(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, a, input, select, canvas, meter, textarea, [tabindex='0']")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
      .map((e) => e.outerHTML),
  );
}

/** How wide a view is on a phone. */
export async function width(page) {
  return page.evaluate(() => document.documentElement.scrollWidth);
}

/** What names would be if they were more than text. */
export async function strange(page) {
  return page.evaluate(() => ({
    scripts: document.scripts.length,
    images: document.images.length,
    hacked: window.hacked,
  }));
}

/** Runs the checks of these names, each on a page of its own, that neither complains nor
 * asks for anything. packages: node_modules of test/npm. */
export async function run(packages, checks, names) {
  const browser = await launch(packages);
  let context;
  try {
    for (const name of names) {
      context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
      const page = await context.newPage();
      const wrong = [];
      page.setDefaultTimeout(SILENT_MS);
      page.on("pageerror", (error) => wrong.push(String(error)));
      page.on("console", (line) => line.type() === "error" && wrong.push(line.text()));
      page.on("request", (request) => {
        if (!/^(file|about|data):/.test(request.url())) wrong.push(`asked for ${request.url()}`);
      });
      await checks[name](page);
      assert.deepEqual(wrong, [], name);
      console.log(`${name}: ok`);
      await context.close();
    }
  } finally {
    await context?.close();
    await leave();
  }
}
