// page.mjs -- a report in a headless Chromium: how long it takes to open, and to do
// what people do. Times are of the page's thread, so that other work on the machine
// does not count; of several, the median.
//
// usage: page.mjs PACKAGES PAGE [TIMES]
//
// PACKAGES: node_modules of test/npm. Writes {"open": ms, ACTION: ms, ...}.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, file, times = "5"] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packages, "x.js"))("playwright-core");
const address = pathToFileURL(resolve(file)).href;

const ACTIONS = {
  "flame graph": (page) => page.getByRole("link", { name: "Flame graph" }).click(),
  zoom: (page) => page.locator("canvas").click({ position: { x: 400, y: 90 } }),
  "from the allocations": (page) => page.getByLabel("From").selectOption("up"),
  "another metric": (page) => page.getByLabel("Show").selectOption("blocks"),
  "a pattern": (page) => page.getByRole("searchbox").fill("step_11"),
  "no pattern": (page) => page.getByRole("searchbox").fill(""),
  tree: (page) => page.getByRole("link", { name: "Tree" }).click(),
  functions: (page) => page.getByRole("link", { name: /^Functions/ }).click(),
  types: (page) => page.locator("label", { hasText: /^By/ }).locator("select").selectOption("type"),
  lines: (page) => page.locator("label", { hasText: /^By/ }).locator("select").selectOption("line"),
  "call stacks": (page) => page.getByRole("link", { name: "Call stacks" }).click(),
  "another order": (page) => page.locator("thead button").nth(2).click(),
  "one call stack": (page) => page.locator("tbody button").first().click(),
  summary: (page) => page.getByRole("link", { name: "Summary" }).click(),
};

/** The page's thread, in ms. */
async function spent(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((metric) => metric.name === "TaskDuration").value * 1000;
}

/** Until what was asked for is drawn. */
function drawn(page) {
  return page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

async function measure(browser) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  page.setDefaultTimeout(600_000);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const found = {};
  const begin = await spent(session);
  await page.goto(address);
  await page.waitForSelector("main");
  await drawn(page);
  found.open = (await spent(session)) - begin;
  for (const [name, act] of Object.entries(ACTIONS)) {
    const before = await spent(session);
    await act(page);
    await drawn(page);
    found[name] = (await spent(session)) - before;
  }
  await context.close();
  return found;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox"],
});
try {
  const all = [];
  for (let i = 0; i < Number(times); i++) all.push(await measure(browser));
  const median = (name) => all.map((one) => one[name]).sort((a, b) => a - b)[all.length >> 1];
  console.log(JSON.stringify(Object.fromEntries(Object.keys(all[0]).map((name) => [name, Math.round(median(name))]))));
} finally {
  await browser.close();
}
