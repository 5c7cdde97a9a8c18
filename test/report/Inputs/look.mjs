// look.mjs -- a report in a headless Chromium, used as people use it: each view, with
// mouse and keyboard, and its numbers against what csv has.
//
// usage: look.mjs PACKAGES PAGE CSV JSON [CHECK...]
//
// PACKAGES: node_modules of test/npm. CSV, JSON: `memprofdata export` of the same
// profile. Without CHECK all of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { column, nameless, opener, PHONE, run, strange, value_of, width } from "./page.mjs";

const [packages, file, csv, json, ...asked] = process.argv.slice(2);
const VIEWS = ["summary", "flame", "tree", "groups", "stacks"];

const truth = JSON.parse(readFileSync(json, "utf8"));
const open = opener(file);

/** What the page's status says of how many stacks there are. */
async function stacks_shown(page) {
  const said = await page.locator(".choices .hint").innerText();
  return Number(said.split(" of ")[0].replaceAll(",", ""));
}

async function heading(page, name) {
  return page.locator("thead button", { hasText: name }).first();
}

const checks = {
  /** Each metric with its total, and nothing that the profile does not hold. */
  async totals(page) {
    await open(page);
    const cards = await page
      .locator("[data-metric]")
      .evaluateAll((all) => all.map((card) => [card.dataset.metric, card.title]));
    assert.deepEqual(
      cards.map(([name, title]) => [name, value_of(title)]),
      truth.metrics.map((metric) => [metric.name, metric.total]),
    );
    assert.match(await page.title(), /^Heap profile/);
  },

  /** What is a function's own adds up to the whole. */
  async groups(page) {
    const whole = truth.metrics[0].total;
    // Only rows that are seen exist.
    await page.setViewportSize({ width: 1200, height: 40000 });
    for (const by of ["function", "line", "file", "module", "site", "type"]) {
      await open(page, `view=groups&by=${by}&sort=self`);
      const own = await column(page, 0);
      const unknown = truth.contexts
        .filter((context) => context.stack.length === 0)
        .reduce((sum, context) => sum + context.mib.TotalSize, 0);
      const sum = own.reduce((all, value) => all + value, 0);
      assert.ok(sum === whole || sum === whole - unknown, `${by}: ${sum} of ${whole}`);
      assert.deepEqual(own, [...own].sort((a, b) => b - a));
    }
  },

  /** Every call stack has its row, the largest first; another head, another order. */
  async stacks(page) {
    await open(page, "view=stacks");
    assert.equal(await stacks_shown(page), truth.contexts.length);
    const sizes = truth.contexts.map((context) => context.mib.TotalSize).sort((a, b) => b - a);
    const shown = await column(page, 0);
    assert.deepEqual(shown, sizes.slice(0, shown.length));
    await (await heading(page, truth.metrics[1].title)).click();
    const blocks = truth.contexts.map((context) => context.mib.AllocCount).sort((a, b) => b - a);
    const next = await column(page, 1);
    assert.deepEqual(next, blocks.slice(0, next.length));
    assert.match(page.url(), /sort=blocks/);
  },

  /** Columns come and go. */
  async columns(page) {
    await open(page, "view=stacks");
    const heads = async () => page.locator("thead th").count();
    const before = await heads();
    await page.getByText("Columns", { exact: true }).click();
    await page.getByLabel("MaxSize").check();
    assert.equal(await heads(), before + 1);
    await page.getByLabel(truth.metrics[0].title, { exact: true }).uncheck();
    assert.equal(await heads(), before);
  },

  /** A pattern leaves fewer stacks, everywhere; what is none is said to be. */
  async filter(page) {
    const name = truth.frames[truth.contexts[0].stack[0]].name;
    const plain = name.replace(/[^A-Za-z0-9_ ]/g, ".");
    await open(page, "view=stacks");
    await page.getByRole("searchbox").fill(`^${plain}$`);
    const through = truth.contexts.filter((context) =>
      context.stack.some((frame) => truth.frames[frame].name === name),
    );
    await page.waitForFunction(
      (count) => document.querySelector(".choices .hint").innerText.startsWith(`${count} of`),
      through.length,
    );
    await page.getByRole("searchbox").fill("(");
    await page.getByRole("alert").waitFor();
  },

  /** A stack's own page has each of its frames, and goes back. */
  async site(page) {
    await open(page, "view=stacks");
    const first = truth.contexts.reduce((a, b) => (b.mib.TotalSize > a.mib.TotalSize ? b : a));
    await page.locator("tbody button").first().click();
    const frames = await page.locator(".stack li span").allTextContents();
    assert.deepEqual(
      frames,
      first.stack.map((frame) => truth.frames[frame].name),
    );
    await page.getByRole("button", { name: "← Call stacks" }).click();
    await page.locator(".virtual").waitFor();
  },

  /** What is cold or hot, and why, as JSON has it; and as a colour with words beside it. */
  async verdict(page) {
    const titles = { cold: "Cold", hot: "Hot", none: "Neither cold nor hot", "not-measured": "Not judged" };
    for (const [i, context] of truth.contexts.entries()) {
      await open(page, `view=site&site=${i}`);
      const part = page.locator("[data-verdict]");
      assert.equal(await part.getAttribute("data-verdict"), context.verdict);
      assert.equal(await part.getByRole("heading").innerText(), titles[context.verdict]);
      assert.match(await part.innerText(), /Because .+\./);
    }
    await open(page, "view=flame");
    const canvas = page.locator("canvas[data-boxes]");
    await page.waitForFunction(() => document.querySelector("canvas").dataset.boxes > 1);
    const before = await canvas.screenshot();
    await page.getByLabel("Colour").selectOption("verdict");
    assert.match(await page.getByLabel("Legend").innerText(), /cold[^]*hot[^]*neither/);
    assert.ok(!before.equals(await canvas.screenshot()));
  },

  /** Each frame whose file is there shows its line as the file has it; others say what
   * was not found. */
  async source(page) {
    let shown = 0;
    let missing = 0;
    for (const [i, context] of truth.contexts.entries()) {
      await open(page, `view=site&site=${i}`);
      const frames = context.stack.map((frame) => truth.frames[frame]);
      const lines = frames
        .filter((frame) => frame.file && existsSync(frame.file))
        .map((frame) => readFileSync(frame.file, "utf8").split("\n")[frame.line - 1].trim());
      const said = await page.locator(".source [aria-current] code").allTextContents();
      assert.deepEqual(
        said.map((line) => line.trim()),
        lines.map((line) => line.replaceAll("\t", "    ")),
      );
      shown += said.length;
      if (frames.some((frame) => frame.file && !existsSync(frame.file))) {
        missing++;
        await page.getByText(/Source files that were not found: /).waitFor();
      }
    }
    assert.ok(shown + missing > 0, "no source");
    console.log(`source: ${shown > 0 ? "shown" : "not shown"}, ${missing > 0 ? "missing" : "all there"}`);
  },

  /** Without source text nothing is said of it. */
  async no_source(page) {
    for (const i of truth.contexts.keys()) {
      await open(page, `view=site&site=${i}`);
      assert.ok((await page.locator(".stack li").count()) > 0);
      assert.equal(await page.locator(".source").count(), 0);
      assert.equal(await page.getByText(/were not found/).count(), 0);
    }
  },

  /** Histograms have each count at its place. */
  async histogram(page) {
    const counted = truth.contexts.map((context) => context.histogram ?? []);
    assert.ok(counted.some((runs) => runs.length > 0));
    for (const [i, runs] of counted.entries()) {
      await open(page, `view=site&site=${i}`);
      const rows = await page
        .locator("section .bars tr")
        .evaluateAll((all) => all.map((row) => row.innerText.replaceAll(",", "").match(/\d+/g).map(Number)));
      const cells = runs.flatMap(([first, ...counts]) => counts.map((count, k) => [(first + k) * 8, count]));
      assert.deepEqual(
        rows.map((row) => [row[0], row.at(-1)]),
        cells,
      );
    }
  },

  /** The flame graph is drawn; a click zooms, Escape shows all, arrows walk. */
  async flame(page) {
    await open(page, "view=flame");
    const canvas = page.locator("canvas[data-boxes]");
    const said = () => page.locator("#flame-said").innerText();
    await page.waitForFunction(() => document.querySelector("canvas").dataset.boxes > 1);
    const is_drawn = await canvas.evaluate((element) => {
      const pixels = element.getContext("2d").getImageData(0, 0, element.width, element.height).data;
      return new Set(new Uint32Array(pixels.buffer)).size > 2;
    });
    assert.ok(is_drawn, "the canvas is empty");
    const all = await said();
    await canvas.click({ position: { x: 30, y: 30 } });
    await page.waitForFunction((before) => document.querySelector("#flame-said").innerText !== before, all);
    assert.match(page.url(), /root=\d+/);
    await canvas.focus();
    await page.keyboard.press("Escape");
    await page.waitForFunction((before) => document.querySelector("#flame-said").innerText === before, all);
    await page.keyboard.press("ArrowDown");
    const first = await said();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((before) => document.querySelector("#flame-said").innerText !== before, first);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.includes("root="));
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes("root="));
  },

  /** Each choice of the flame graph changes what is shown, and the address. */
  async choices(page) {
    await open(page, "view=flame");
    for (const [label, value] of [
      ["From", "up"],
      ["Layout", "flame"],
      ["Recursion", "folded"],
      ["Colour", "function"],
    ]) {
      const before = await page.locator("canvas").screenshot();
      await page.getByLabel(label).selectOption(value);
      assert.match(page.url(), new RegExp(`=${value}`));
      const is_same = before.equals(await page.locator("canvas").screenshot());
      assert.ok(!is_same || label === "Recursion", `${label}: nothing changed`);
    }
  },

  /** Another metric is another whole. */
  async metric(page) {
    await open(page, "view=tree");
    const whole = () => page.locator("tbody tr td").first().innerText();
    const before = await whole();
    await page.getByLabel("Show").selectOption(truth.metrics[1].name);
    await page.waitForFunction((was) => document.querySelector("tbody tr td").innerText !== was, before);
  },

  /** Rows of the tree open and close by the keyboard alone. */
  async tree(page) {
    await open(page, "view=tree");
    const rows = page.locator("tbody tr");
    const count = await rows.count();
    assert.ok(count > 1);
    await rows.first().focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await rows.count(), 1);
    assert.equal(await rows.first().getAttribute("aria-expanded"), "false");
    await page.keyboard.press("ArrowRight");
    assert.equal(await rows.count(), count);
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-level")), "2");
  },

  /** The theme follows the system, and the button. */
  async themes(page) {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "light" });
    await open(page);
    const light = await paper();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await paper();
    assert.notEqual(light, dark);
    await page.getByRole("button", { name: "Light" }).click();
    assert.equal(await paper(), light);
    await page.getByRole("button", { name: "Dark" }).click();
    assert.equal(await paper(), dark);
  },

  /** On a phone nothing but tables and tabs is wider than the screen. */
  async phone(page) {
    await page.setViewportSize(PHONE);
    for (const view of VIEWS) {
      await open(page, `view=${view}`);
      const wide = await width(page);
      assert.ok(wide <= PHONE.width, `${view} is ${wide} wide`);
    }
  },

  /** Whatever can be used has a name for who does not see it. */
  async names(page) {
    for (const view of [...VIEWS, "site&site=0"]) {
      await open(page, `view=${view}`);
      assert.deepEqual(await nameless(page), []);
    }
  },

  /** An address shows the same again. */
  async address(page) {
    await open(page, "view=tree&from=up&metric=blocks");
    const before = await page.locator("main").innerText();
    await open(page, page.url().split("#")[1]);
    assert.equal(await page.locator("main").innerText(), before);
    assert.equal(await page.getByLabel("From").inputValue(), "up");
  },

  /** Names are text: none becomes a part of the page. */
  async escaped(page) {
    for (const view of VIEWS) {
      await open(page, `view=${view}`);
      assert.deepEqual(await strange(page), { scripts: 2, images: 0, hacked: undefined });
    }
  },
};

// What needs a certain profile is asked by name.
const certain = ["histogram", "source", "no_source"];
const usual = Object.keys(checks).filter((name) => !certain.includes(name));
await run(packages, checks, asked.length > 0 ? asked : usual);
