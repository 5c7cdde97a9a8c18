// look_diff.mjs -- a report of two profiles in a headless Chromium, and its numbers
// against those of `memprofdata diff`.
//
// usage: look_diff.mjs PACKAGES PAGE DIFFS [CHECK...]
//
// PACKAGES: node_modules of test/npm. DIFFS: a directory with stack.json, function.json,
// line.json, file.json and blocks.json, which `diff --json` wrote of the same profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { column, nameless, opener, PHONE, run, strange, value_of, width } from "./page.mjs";

const [packages, file, diffs, ...asked] = process.argv.slice(2);
const VIEWS = ["summary", "flame", "tree", "groups", "stacks", "site&site=0"];
const diff_of = (name) => JSON.parse(readFileSync(join(diffs, `${name}.json`), "utf8"));
const truth = diff_of("stack");
const open_page = opener(file);

/** DIFFS are by bytes allocated, which need not be what the page shows first, and have all
 * frames. */
function open(page, fragment = "") {
  return open_page(page, `frames=all${/metric=/.test(fragment) ? "" : "&metric=bytes"}&${fragment}`);
}

/** A number of one side as it is compared. */
function compared(side, value) {
  return Math.round(value / truth[side].divided_by);
}

/** What the rows that are there say: their kind, and the title of a cell as number. */
async function rows_of(page, cell, count) {
  await page.waitForFunction(
    (least) => document.querySelectorAll("tbody tr[data-kind]").length >= least,
    count,
  );
  const rows = await page
    .locator("tbody tr[data-kind]")
    .evaluateAll((all, at) => all.map((row) => [row.dataset.kind, row.cells[at]?.title ?? ""]), cell);
  return rows.map(([kind, title]) => [kind, value_of(title)]).sort();
}

const checks = {
  /** Each metric that both hold, of lifetimes a block's: before, after and by how much. */
  async totals(page) {
    await open(page);
    const rows = await page
      .locator("[data-metric]")
      .evaluateAll((all) =>
        all.map((row) => [row.dataset.metric, ...[1, 2, 3].map((i) => row.cells?.[i]?.title ?? "")]),
      );
    assert.deepEqual(
      rows.map(([name, ...titles]) => [name, ...titles.map(value_of)]),
      Object.keys(truth.change).map((name) => {
        const of_block = (side) => truth[side].totals.lifetime / truth[side].totals.blocks;
        const longer = of_block("new") - of_block("old");
        return name === "lifetime"
          ? [
              name,
              Math.round(of_block("old")),
              Math.round(of_block("new")),
              (longer < 0 ? -1 : 1) * Math.round(Math.abs(longer)) + 0,
            ]
          : [
              name,
              compared("old", truth.old.totals[name]),
              compared("new", truth.new.totals[name]),
              truth.change[name],
            ];
      }),
    );
    assert.match(await page.title(), /^Heap profiles compared/);
  },

  /** What hurts is shown first: live bytes, where they changed. */
  async first(page) {
    await open_page(page);
    const wanted = ["leaked", "live", "peak", "bytes"].find((name) => (truth.change[name] ?? 0) !== 0);
    assert.equal(await page.getByLabel("Show").inputValue(), wanted ?? Object.keys(truth.change)[0]);
    const [sentence, second] = await page.locator(".said li").allInnerTexts();
    assert.match(sentence, wanted === "live" ? /^Bytes live at the end (grew|fell) from/ : /./);
    if (wanted !== undefined) assert.match(second, /the call stack that changed most/);
  },

  /** How many stacks became what, by two metrics, and in words. */
  async counts(page) {
    for (const [metric, diff] of [["bytes", truth], ["blocks", diff_of("blocks")]]) {
      await open(page, `metric=${metric}`);
      for (const kind of ["new", "gone", "grown", "shrunk", "unchanged"]) {
        const said = await page.locator(`[data-change=${kind}] b`).innerText();
        assert.equal(Number(said.replaceAll(",", "")), diff.counts[kind], `${metric}: ${kind}`);
      }
    }
    await page.locator("[data-change=new]").click();
    assert.match(page.url(), /view=stacks.*change=new/);
    assert.equal(await page.locator("tbody tr[data-kind]:not([data-kind=new])").count(), 0);
  },

  /** Every stack that changed, as diff has it; one kind alone; another order. */
  async stacks(page) {
    await page.setViewportSize({ width: 1200, height: 4000 });
    await open(page, "view=stacks");
    const expected = truth.rows.map((row) => [row.kind, row.change]).sort();
    assert.deepEqual(await rows_of(page, 0, expected.length), expected);
    await page.getByLabel("Which").selectOption("gone");
    assert.equal(await page.locator("tbody tr[data-kind]").count(), truth.counts.gone);
    await page.getByLabel("Which").selectOption("unchanged");
    await page.waitForFunction(
      (count) => document.querySelectorAll("tbody tr[data-kind=unchanged]").length === count,
      truth.counts.unchanged,
    );
    await page.getByLabel("Which").selectOption("");
    await page.locator("thead button", { hasText: "after" }).click();
    const after = await column(page, 4);
    assert.deepEqual(after, [...after].sort((a, b) => b - a));
    assert.match(page.url(), /sort=after/);
  },

  /** Functions, lines and files, with what changed in them and below. */
  async groups(page) {
    await page.setViewportSize({ width: 1200, height: 4000 });
    for (const by of ["function", "line", "file"]) {
      const diff = diff_of(by);
      await open(page, `view=groups&by=${by}`);
      const own = diff.rows.map((row) => [row.kind, row.change]).sort();
      assert.deepEqual(await rows_of(page, 0, own.length), own, by);
      const total = diff.rows.map((row) => [row.kind, row.change_total]).sort();
      assert.deepEqual(await rows_of(page, 4, total.length), total, by);
    }
    for (const by of ["module", "type"]) {
      await open(page, `view=groups&by=${by}`);
      const sum = (await column(page, 0)).reduce((all, value) => all + value, 0);
      const all = truth.rows.reduce((total, row) => total + row.change, 0);
      const known = truth.rows
        .filter((row) => row.stack.length > 0)
        .reduce((total, row) => total + row.change, 0);
      assert.ok(Math.abs(sum - all) <= 3 || Math.abs(sum - known) <= 3, `${by}: ${sum} of ${all}`);
    }
  },

  /** The flame graph says by words and by colours what changed; its width may be the old
   * profile's; it zooms. */
  async flame(page) {
    await open(page, "view=flame");
    const canvas = page.locator("canvas[data-boxes]");
    await page.waitForFunction(() => document.querySelector("canvas").dataset.boxes > 1);
    const legend = await page.getByLabel("Legend").innerText();
    const controls = page.getByRole("toolbar").locator("select, button");
    const heights = (await Promise.all((await controls.all()).map((one) => one.boundingBox()))).map(({ y }) => y);
    assert.ok(Math.max(...heights) - Math.min(...heights) < 5, "the controls fit into one row");
    assert.match(legend, /gone[^]*about the same[^]*new/);
    const colours = await canvas.evaluate((element) => {
      const pixels = element.getContext("2d").getImageData(0, 0, element.width, element.height).data;
      return new Set(new Uint32Array(pixels.buffer)).size;
    });
    assert.ok(colours > 2, "the canvas is empty");
    const said = () => page.locator("#flame-said").innerText();
    assert.match(await said(), /before, .* after: /);
    const before = await canvas.screenshot();
    await page.getByLabel("Colour").selectOption("module");
    assert.ok(!before.equals(await canvas.screenshot()));
    assert.equal(await page.getByLabel("Legend").count(), 0);
    await page.getByLabel("Width").selectOption("old");
    assert.match(page.url(), /width=old/);
    const all = await said();
    await canvas.click({ position: { x: 30, y: 30 } });
    await page.waitForFunction((was) => document.querySelector("#flame-said").innerText !== was, all);
    await canvas.focus();
    await page.keyboard.press("Escape");
    await page.waitForFunction((was) => document.querySelector("#flame-said").innerText === was, all);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((was) => document.querySelector("#flame-said").innerText !== was, all);
  },

  /** The tree has before and after, by the keyboard too. */
  async tree(page) {
    await open(page, "view=tree");
    const heads = await page.locator("thead th").allInnerTexts();
    assert.deepEqual(heads.slice(1, 3), ["before", "change"]);
    const rows = page.locator("tbody tr");
    const count = await rows.count();
    assert.ok(count > 1);
    await rows.first().focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await rows.count(), 1);
    await page.keyboard.press("Enter");
    assert.equal(await rows.count(), count);
  },

  /** A stack's own page, of one that both have and of one that is new. */
  async site(page) {
    await open(page, "view=stacks&change=new");
    await page.locator("tbody button").first().click();
    await page.getByText("The old profile has no such call stack.").waitFor();
    const row = truth.rows.find(({ kind }) => kind === "new");
    const cells = await page
      .locator("[data-metric=bytes] td")
      .evaluateAll((all) => all.map((cell) => cell.title));
    assert.deepEqual(cells.slice(0, 3).map(value_of), [0, row.change, row.change]);
    const frames = await page.locator(".stack li > span").allTextContents();
    assert.deepEqual(
      frames,
      row.stack.map((frame) => frame.function),
    );
    await page.getByRole("button", { name: "← Call stacks" }).click();
    await page.locator(".virtual").waitFor();
  },

  /** A pattern leaves fewer. */
  async filter(page) {
    await open(page, "view=stacks&filter=no_such_function_at_all");
    assert.equal(await page.locator("tbody tr[data-kind]").count(), 0);
    await open(page, "view=groups&filter=no_such_function_at_all");
    assert.equal(await page.locator("tbody tr[data-kind]").count(), 0);
  },

  async phone(page) {
    await page.setViewportSize(PHONE);
    for (const view of VIEWS) {
      await open(page, `view=${view}`);
      const wide = await width(page);
      assert.ok(wide <= PHONE.width, `${view} is ${wide} wide`);
    }
  },

  async names(page) {
    for (const view of VIEWS) {
      await open(page, `view=${view}`);
      assert.deepEqual(await nameless(page), []);
    }
  },

  async escaped(page) {
    for (const view of VIEWS) {
      await open(page, `view=${view}`);
      assert.deepEqual(await strange(page), { scripts: 2, images: 0, hacked: undefined });
    }
  },
};

await run(packages, checks, asked.length > 0 ? asked : Object.keys(checks));
