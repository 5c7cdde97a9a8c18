// look_moments.mjs -- a report of a log in a headless Chromium: the blocks that were
// alive at a moment, against what the tool says of it.
//
// usage: look_moments.mjs PACKAGES PAGE TRUTH CHECK... (TRUTH: of moments.py)
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { column, nameless, opener, PHONE, run, value_of, width } from "./page.mjs";

const [packages, file, json, ...asked] = process.argv.slice(2);
const truth = Object.entries(JSON.parse(readFileSync(json, "utf8")));
const open = opener(file);

function sorted(rows, name) {
  return rows.map((row) => row[name]).filter((n) => n > 0).sort((a, b) => b - a);
}

/** The numbers of the Moment group's line. */
async function said(page) {
  return page.getByRole("group", { name: "Moment" }).locator("output").innerText();
}

function sliders(page) {
  return page.getByRole("group", { name: "Moment" }).getByRole("slider");
}

const checks = {
  /** Every view has the numbers of the moment. */
  async values(page) {
    assert.equal(truth.length, 2);
    assert.ok(truth.every(([, { totals }]) => totals.blocks > 0));
    for (const [moment, { totals, rows }] of truth) {
      const at = `frames=all&moment=${moment}`;
      await open(page, at);
      const cards = await page
        .locator("[data-metric]")
        .evaluateAll((all) => all.map((card) => [card.dataset.metric, card.title]));
      assert.deepEqual(
        cards.map(([name, title]) => [name, value_of(title)]),
        ["bytes", "blocks", "live", "live-blocks"].map((name) => [name, totals[name]]),
      );
      await open(page, `${at}&view=stacks&metric=blocks`);
      assert.deepEqual(await column(page, 0), sorted(rows, "blocks"), moment);
      // Only stacks with `load`.
      await open(page, `${at}&view=stacks&filter=^load$`);
      const own = rows.filter(({ stack }) => stack.includes("load"));
      assert.deepEqual(await column(page, 0), sorted(own, "bytes"), moment);
      await open(page, `${at}&view=groups`);
      const functions = await column(page, 0);
      assert.equal(functions.reduce((sum, n) => sum + n, 0), totals.bytes);
    }
  },

  /** What to change is said of the whole run, and of no moment. */
  async advice(page) {
    for (const [at, sections] of [["", 1], ["moment=0.50000000", 0]]) {
      await open(page, at);
      assert.equal(await page.locator("section", { hasText: "What to change" }).count(), sections);
    }
  },

  /** By the keyboard alone: the kind, then the moment; the address keeps it. */
  async keyboard(page) {
    await open(page, "view=flame");
    const kind = page.getByRole("group", { name: "Moment" }).getByRole("combobox");
    await kind.focus();
    await kind.selectOption("at");
    const slider = sliders(page).first();
    await slider.focus();
    await page.keyboard.press("Home");
    assert.match(await said(page), /alive at 0\.?0* /);
    assert.match(page.url(), /moment=0(&|$)/);
    await page.keyboard.press("End");
    const last = await said(page);
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await said(page), last);
    assert.match(await slider.getAttribute("aria-valuetext"), /ms/);
    await kind.selectOption("between");
    assert.equal(await sliders(page).count(), 2);
    await sliders(page).nth(0).focus();
    await page.keyboard.press("End");
    const [after, at] = await sliders(page).evaluateAll((all) => all.map((s) => Number(s.value)));
    assert.equal(after + 1, at);
    await sliders(page).nth(1).focus();
    await page.keyboard.press("Home");
    assert.match(page.url(), /moment=0\.\d/);
    await kind.selectOption("");
    assert.doesNotMatch(page.url(), /moment=/);
    assert.equal(await page.locator("h1").innerText(), await page.title());
  },

  /** On the chart: a click and Space choose the nearest moment, and a part. */
  async chart(page) {
    await open(page, "view=time");
    const chart = page.locator(".chart");
    const { x, y, width: wide } = await chart.boundingBox();
    assert.equal(await page.locator(".lived").count(), 0);
    await page.mouse.click(x + wide / 2, y + 100);
    assert.equal(await page.locator(".lived").count(), 1);
    const clicked = await said(page);
    await chart.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    assert.notEqual(await said(page), clicked);
    await page.getByRole("button", { name: /in this part/ }).click();
    assert.match(page.url(), /moment=\d+\.\d+/);
    assert.match(await page.title(), /allocated between .* and still alive/);
    assert.ok(Number(await page.locator(".lived rect").getAttribute("width")) > 100);
  },

  /** Names for who does not see it, and room on a phone. */
  async phone(page) {
    await page.setViewportSize(PHONE);
    await open(page, `view=time&moment=${truth.at(-1)[0]}`);
    assert.deepEqual(await nameless(page), []);
    assert.ok((await width(page)) <= PHONE.width);
  },

  /** The totals of a page of one moment are not called those of the run. */
  async of_moment(page) {
    await open(page, "view=summary");
    const said = await page.locator("p.group").allInnerTexts();
    assert.deepEqual(said, ["Memory in use", "Blocks alive at the moment"]);
  },

  /** Without a log there is nothing to choose. */
  async none(page) {
    await open(page, "view=summary&moment=1000");
    assert.equal(await page.getByRole("group", { name: "Moment" }).count(), 0);
    assert.doesNotMatch(await page.title(), /alive/);
  },
};

await run(packages, checks, asked);
