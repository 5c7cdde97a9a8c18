// look.mjs -- a report in a headless Chromium, used as people use it: each view, with
// mouse and keyboard, and its numbers against what csv has.
//
// usage: look.mjs PACKAGES PAGE CSV JSON [CHECK...]
//
// PACKAGES: node_modules of test/npm. CSV, JSON: `memprofdata export` of the same
// profile; for `time`, `zoom` and `runs`, JSON is what `memprofdata show --timeline`
// has, for `spreads` what `memprofdata show --ends` has, for `types` what `memprofdata fields` has; see `advice`. Without CHECK all that any profile is asked.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { column, nameless, opener, PHONE, run, strange, value_of, width } from "./page.mjs";

const [packages, file, csv, json, ...asked] = process.argv.slice(2);
const VIEWS = ["summary", "flame", "tree", "groups", "stacks", "time"];

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

function exact_bytes(value) {
  return `${value.toLocaleString("en-US")} bytes`;
}

async function table_titles(page, label) {
  const table = page.getByLabel(label, { exact: true });
  await table.waitFor();
  return table
    .locator("tbody tr:not(.space)")
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.title)));
}

/** The layout on the page is that of the type. */
async function same_layout(page, type) {
  assert.equal(await page.locator("main h2").first().innerText(), type.type);
  const rows = await page
    .locator(".layout tbody tr:not(.line)")
    .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
  const moved = new Map(type.proposal?.order.map((m) => [m.name, `${m.offset}`]));
  const has_rw = type.groups.some((group) => group.reads !== undefined);
  const text = (number, k) => k > 0 ? "" : number === 0 ? "none" : number.toLocaleString("en-US");
  const members = type.groups.flatMap(({ accesses, reads, writes, use, members }) =>
    members.map((m, k) => [
      m.offset, m.bytes, text(accesses, k), ...(has_rw ? [text(reads, k), text(writes, k)] : []),
      [m.name, ...(use ?? "").split(" ")].join(" ").trim(), moved.get(m.name),
    ]),
  );
  const name = has_rw ? 7 : 5;
  const behind = type.behind && rows.pop();
  if (behind !== undefined) {
    const { accesses, reads, writes } = type.behind;
    assert.deepEqual(behind.slice(3, has_rw ? 6 : 4), [accesses, ...(has_rw ? [reads, writes] : [])].map((n) => text(n, 0)));
    assert.match(behind[name], /^behind/);
  }
  assert.deepEqual(
    rows
      .filter((row) => !["hole", "padding"].includes(row[name]))
      .map((row) => [Number(row[0]), Number(row[1]), ...row.slice(3, name - 1),
        row[name].replace(/ [\d,]+ in bytes.*/, ""), row[name + 2]?.replace("*", "")]),
    members,
  );
  assert.equal(rows.length - members.length, type.holes.length);
}

const checks = {
  /** Each metric with its total, of lifetimes a block's, and nothing that the profile does not hold. */
  async totals(page) {
    await open(page);
    const cards = await page
      .locator("[data-metric]")
      .evaluateAll((all) => all.map((card) => [card.dataset.metric, card.title]));
    assert.deepEqual(
      cards.map(([name, title]) => [name, value_of(title)]).sort(),
      truth.metrics
        .map((metric) => [
          metric.name,
          metric.name === "lifetime"
            ? Math.round(metric.total / truth.metrics.find((m) => m.name === "blocks").total)
            : metric.total,
        ])
        .sort(),
    );
    // What is alive at a moment comes before what was allocated in all.
    const moments = cards.map(([name]) => name).filter((name) => ["peak", "live", "leaked", "bytes"].includes(name));
    assert.deepEqual(moments, ["peak", "live", "leaked", "bytes"].filter((name) => moments.includes(name)));
    assert.match(await page.title(), /^Heap profile/);
  },

  /** Groups of blocks that are used together; JSON is what `memprofdata explain --groups` has. */
  async together(page) {
    await open(page);
    const section = page.locator("section", { hasText: "Blocks that are used together" });
    const said = await section.locator("li").allInnerTexts();
    assert.ok(truth.groups.some(({ pool }) => pool > 0));
    assert.equal(said.length, truth.groups.length);
    for (const [i, { pool, sentence, blocks, stacks }] of truth.groups.entries()) {
      const many = `${blocks.toLocaleString("en-US")} blocks of ${stacks.length} call stack`;
      assert.ok(said[i].includes(`${pool ? `pool ${pool}` : "no pool"}: ${sentence}. ${many}`), said[i]);
    }
    await section.locator("li button").first().click();
    assert.match(page.url(), /view=site/);
  },

  /** What to change; CSV and JSON are what `memprofdata advise` has, as text and as JSON. */
  async advice(page) {
    // Each command measures the time anew.
    const untimed = (said) => said.replaceAll(/, about [\d.]+ [mun]?s in malloc and free/g, "");
    const text = untimed(readFileSync(csv, "utf8"));
    await open(page);
    const section = page.locator("section", { hasText: "What to change" });
    const said = await section.locator("li").allInnerTexts();
    assert.equal(said.length, Math.min(truth.advice.length, 10));
    assert.ok(said.length > 0);
    const links = await section.locator("li button").evaluateAll((all) => all.map((link) => link.title));
    for (const [i, row] of truth.advice.slice(0, said.length).entries()) {
      const { kind, sentence, action, call_stacks, stack } = row;
      const [first, second, place] = said[i].split("\n");
      assert.ok(text.includes(`${i + 1}.  ${untimed(first).replace(": ", "  ")}\n`), first);
      assert.ok(first.startsWith(`${kind}: `), first);
      assert.equal(second, `${sentence} ${action}`);
      assert.equal(place.includes(" more call stack"), call_stacks > 1);
      assert.equal(links[i], stack.map((frame) => frame.function).join(" ← "));
    }
    const more = truth.advice.length - 10;
    assert.equal(await section.locator("p").count(), more > 0 ? 1 : 0);
    if (more > 0) assert.match(await section.locator("p").innerText(), new RegExp(`^and ${more} more`));
    await section.locator("li button").last().click();
    assert.match(page.url(), /view=site/);
  },

  /** What is a function's own adds up to the whole. */
  async groups(page) {
    const whole = truth.metrics[0].total;
    // Only rows that are seen exist.
    await page.setViewportSize({ width: 1200, height: 4000 });
    for (const by of ["function", "line", "file", "module", "type"]) {
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

  /** Rows name the line that allocates; what was not measured has no number; a page half as wide as
   * a screen has room for the call stacks. */
  async rows(page) {
    const unknown = truth.contexts.filter((context) => context.accesses_not_measured).length;
    assert.ok(unknown > 0);
    await page.setViewportSize({ width: 1200, height: 4000 });
    await open(page, "view=stacks");
    assert.equal(await page.locator("main td[title='not measured']").count(), unknown);
    const places = await page.locator("main td.brief small").allInnerTexts();
    assert.match(places.join(" "), /(^| )exports\.cpp:\d+( |$)/);
    await page.setViewportSize({ width: 700, height: 900 });
    await open(page, "view=stacks");
    const { right } = await page.locator("main td.brief").first().evaluate((td) => td.getBoundingClientRect());
    assert.ok(right <= 700, `${right}`);
  },

  /** The chosen metric's column comes first, sorted, without rows that have none of it;
   * of lifetimes, which cannot be chosen, it has that of a block. */
  async chosen(page) {
    for (const { name, field } of truth.metrics) {
      await open(page, `view=stacks&metric=${name}`);
      const values = truth.contexts
        .filter(({ mib }) => (mib[field] ?? 0) > 0)
        .map(({ mib }) => (name === "lifetime" ? Math.round(mib[field] / mib.AllocCount) : mib[field]));
      assert.equal(await stacks_shown(page), values.length, name);
      const shown = await column(page, 0);
      assert.deepEqual(shown, values.sort((a, b) => b - a).slice(0, shown.length), name);
    }
    await open(page);
    assert.equal(await page.getByLabel("Show").locator("option[value=lifetime]").count(), 0);
    if (truth.metrics.some(({ name }) => name === "lifetime")) {
      await page.locator("[data-metric=lifetime]").click();
      const shown = await page.locator("thead button[aria-sort], thead [aria-sort]").allInnerTexts();
      assert.match(shown.join(" "), /average lifetime/);
    }
  },

  /** A page without rows says which filters took them, and shows them again. */
  async nothing(page) {
    for (const view of VIEWS.filter((name) => name !== "time")) {
      await open(page, `view=${view}&filter=zzz&ignore=main`);
      const said = page.locator("main output", { hasText: "call stack" });
      assert.match(await said.innerText(), /^None of the \d+ .* left: only stacks with “zzz”, no stacks with “main”/);
      await said.locator("button").click();
      assert.equal(await said.count(), 0, view);
    }
  },

  /** So does the page of a report that was filtered. */
  async nothing_reported(page) {
    await open(page, "view=stacks");
    const said = await page.locator("main output").first().innerText();
    assert.match(said, /no call stack: --function filtered out (\d+) of \1 call stacks, .* without these options/);
  },

  /** Wrappers give what they allocate to their callers, or are shown; frames can be hidden. */
  async wrappers(page) {
    await page.setViewportSize({ width: 1200, height: 4000 });
    const whole = truth.metrics[0].total;
    const sum = async () => (await column(page, 0)).reduce((all, value) => all + value, 0);
    const own = async () => {
      const names = await page.locator("main tbody tr:not(.space) td.name").allInnerTexts();
      const values = await column(page, 0);
      return new Map(names.map((name, i) => [name.trim(), values[i]]));
    };
    const innermost = new Map();
    for (const { stack, mib } of truth.contexts)
      if (stack.length > 0) {
        const { name } = truth.frames[stack[0]];
        innermost.set(name, (innermost.get(name) ?? 0) + mib.TotalSize);
      }
    await open(page, "view=groups");
    assert.equal(await page.getByLabel("Wrappers and start-up").isChecked(), false);
    const hidden = await own();
    const known = await sum();
    await page.getByLabel("Wrappers and start-up").check();
    await page.waitForFunction(() => location.hash.includes("frames=all"));
    const shown = await own();
    for (const [name, value] of innermost) assert.equal(shown.get(name), value, name);
    assert.equal(await sum(), known);
    assert.ok(known <= whole);
    const gone = [...innermost.keys()].find((name) => !hidden.has(name) || hidden.get(name) < innermost.get(name));
    assert.ok(gone !== undefined, "no wrapper");
    await page.getByText("More filters").click();
    await page.getByLabel("Hide frames of").fill(`^${gone.replace(/[^A-Za-z0-9_ ]/g, ".")}$`);
    await page.waitForFunction((name) => ![...document.querySelectorAll("main .name button")].some((b) => b.title === name), gone);
    assert.equal(await sum(), known);
    assert.equal(await page.getByText("matches nothing").count(), 0);
    await page.getByLabel("No stacks with").fill("^nobody$");
    await page.getByText("matches nothing").waitFor();
    await page.getByLabel("No stacks with").fill(".");
    await page.waitForFunction(() => document.querySelectorAll("main tbody tr:not(.space)").length === 0);
  },

  /** A long table is one stop of Tab; arrows walk in it, and Enter opens a row. */
  async rows(page) {
    await open(page, "view=stacks");
    await page.locator(".virtual").focus();
    await page.keyboard.press("ArrowDown");
    const titles = await page.locator("tbody button").evaluateAll((all) => all.map((one) => one.title));
    const here = () => page.evaluate(() => document.activeElement.title);
    assert.equal(await here(), titles[0]);
    const stops = () => page.locator("tbody button[tabindex='0']").count();
    assert.equal(await stops(), 1);
    const last = Math.min(titles.length - 1, 40);
    for (let i = 0; i < last; i++) await page.keyboard.press("ArrowDown");
    if (last === titles.length - 1) assert.equal(await here(), titles[last]);
    assert.equal(await stops(), 1);
    await page.keyboard.press("Tab");
    assert.equal(await page.locator("tbody button:focus").count(), 0);
    await page.keyboard.press("Shift+Tab");
    assert.equal(await page.locator("tbody button:focus").count(), 1);
    await page.keyboard.press("Enter");
    await page.locator(".stack li").first().waitFor();
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

  /** Names are short as `memprofdata show` has them; the whole one is there for who points
   * at it, comes to it by the keyboard, or copies it. */
  async short_names(page) {
    const noisy = truth.frames.map((frame) => frame.name).filter((name) => /\(anonymous namespace\)::|__cxx11/.test(name));
    assert.ok(noisy.length > 0, "no name to shorten");
    await page.setViewportSize({ width: 1200, height: 4000 });
    for (const view of ["groups", "stacks", "tree"]) {
      await open(page, `view=${view}&from=up`);
      const table = page.locator("main table").first();
      assert.doesNotMatch(await table.innerText(), /\(anonymous namespace\)::|__cxx11/);
      const titles = await page.locator("main .name [title]").evaluateAll((all) => all.map((one) => one.title));
      assert.ok(titles.some((title) => noisy.some((name) => title.includes(name))), view);
    }
    await open(page, "view=groups");
    const row = page.locator("main .name button[title*='(anonymous namespace)::']").first();
    const whole = await row.getAttribute("title");
    await row.focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(".tip").innerText(), whole);
    // Rows of a tree say the names in them.
    await open(page, "view=tree");
    await page.locator("tbody tr").first().focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    assert.match(await page.locator(".tip").innerText(), /\(anonymous namespace\)::/);
    await page.setViewportSize({ width: 1200, height: 4000 });
    await open(page, "view=groups");
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.getByRole("button", { name: "Copy as text" }).click();
    assert.ok((await page.getByLabel("The view as text").inputValue()).includes(whole));
    await page.getByRole("searchbox").fill("^\\(anonymous namespace\\)::");
    await page.waitForFunction((name) => [...document.querySelectorAll("main .name button")].some((b) => b.title === name), whole);
  },

  /** What threads and pools have, as JSON says it; a thread alone is the whole page's. */
  async threads(page) {
    await page.setViewportSize({ width: 1200, height: 4000 });
    const parts = (kind) => truth.parts.filter((part) => part.kind === kind);
    const sums = (kind) => {
      const found = new Map();
      for (const part of parts(kind))
        found.set(part.name, (found.get(part.name) ?? 0) + part.mib.TotalSize);
      return found;
    };
    for (const kind of ["thread", "pool"]) {
      const wanted = sums(kind);
      assert.ok(wanted.size > 0, `no ${kind}`);
      await open(page, `view=groups&by=${kind}`);
      const rows = await page
        .locator("main tbody tr:not(.space)")
        .evaluateAll((all) => all.map((row) => [row.cells[row.cells.length - 1].innerText.trim(), row.cells[0].title]));
      const known = rows.filter(([name]) => !name.startsWith("["));
      assert.deepEqual(new Map(known.map(([name, title]) => [name, value_of(title)])), wanted);
    }
    for (const [name, bytes] of sums("thread")) {
      await open(page, "view=groups&by=thread");
      await page.locator("main .name button", { hasText: name }).click();
      await page.waitForFunction((name) => new URLSearchParams(location.hash.slice(1)).get("thread") === name, name);
      const own = await column(page, 0);
      assert.equal(own.reduce((sum, value) => sum + value, 0), bytes);
      await page.getByRole("link", { name: "Summary" }).click();
      assert.equal(value_of(await page.locator("[data-metric=bytes]").getAttribute("title")), bytes);
      await page.getByRole("link", { name: "Call stacks" }).click();
      const stacks = new Set(parts("thread").filter((part) => part.name === name).map((part) => String(part.stack)));
      assert.equal(await stacks_shown(page), stacks.size);
      await page.locator("tbody button").first().click();
      await page.locator(".stack li").first().waitFor();
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
      await page.getByLabel("Thread").selectOption("");
      await page.waitForFunction(() => !location.hash.includes("thread="));
    }
  },

  /** Sums of sampled blocks have their standard errors, in each view. */
  async errors(page) {
    const { variance, total } = truth.metrics[0];
    const error = Math.round(Math.sqrt(truth.fields.find((field) => field.name === variance).total));
    assert.ok(error > 0);
    const exact = `${exact_bytes(total)}, standard error ${error.toLocaleString("en-US")}`;
    await open(page);
    const card = page.locator("[data-metric=bytes]");
    assert.equal(await card.getAttribute("title"), exact);
    assert.match(await card.innerText(), /± /);
    await open(page, "view=tree");
    assert.equal(await page.locator("tbody td").first().getAttribute("title"), exact);
    for (const view of ["groups", "stacks"]) {
      await open(page, `view=${view}`);
      assert.match(await page.locator("tbody tr:not(.space)").first().innerText(), /± /);
    }
    await open(page, "view=flame");
    assert.match(await page.locator("#flame-said").innerText(), /± /);
    await open(page, "view=site&site=0");
    assert.match(await page.locator(".facts").first().innerText(), /± /);
    await open(page, "view=tree");
    const others = page.locator("tbody td.number:not(:first-child):not(:nth-child(2))");
    for (const text of await others.allInnerTexts()) assert.match(text, /^(|~.*)$/);
    for (const { name } of truth.metrics.filter((metric) => metric.variance === undefined)) {
      await open(page, `view=stacks&metric=${name}`);
      const first = page.locator("tbody tr:not(.space) td:first-child");
      for (const text of await first.allInnerTexts()) assert.match(text, /^~/);
    }
  },

  /** A call stack's lifetime is its average. */
  async lifetimes(page) {
    const context = truth.contexts.findIndex(({ mib }) => mib.AllocCount > 1);
    const { TotalLifetimeNs, AllocCount } = truth.contexts[context].mib;
    await open(page, `view=site&site=${context}`);
    const row = page.locator(".facts tr", { hasText: "average lifetime" });
    const [said, share] = await row.locator("td").allInnerTexts();
    const average = await page.locator("ul.said", { hasText: "Lived" }).innerText();
    assert.ok(average.includes(`Lived ${said} on average`), `${TotalLifetimeNs / AllocCount}: ${said}`);
    assert.equal(share, "");
  },

  /** Places in blocks have the names of what stands there, where it is known. */
  /** Members with their accesses, as `fields --json` has them; from a type to a site and back. */
  async types(page) {
    for (const [i, type] of truth.types.entries()) {
      await open(page, `view=types&type=${i}`);
      await same_layout(page, type);
    }
    await page.locator("main ul.said button").last().click();
    await page.getByRole("button", { name: "Members" }).click();
    assert.equal(await page.locator("main h2").first().innerText(), truth.types.at(-1).type);
  },

  /** Of a type of two call stacks; JSON is what `fields --site` has of that with fewer accesses. */
  async one_stack(page) {
    const [{ proposal, ...type }] = truth.types;
    for (const group of type.groups) group.use = undefined;
    await open(page, "view=types&type=0");
    await page.locator("main ul.said button", { hasText: `${type.accesses} accesses` }).click();
    await same_layout(page, type);
    const back = page.url();
    await page.locator(".hint button").click();
    await page.getByRole("button", { name: "Members" }).click();
    assert.equal(page.url(), back);
    await same_layout(page, type);
    await page.getByRole("button", { name: "All call stacks" }).click();
    await assert.rejects(same_layout(page, type));
  },

  async members(page) {
    const seen = new Map();
    for (const i of truth.contexts.keys()) {
      await open(page, `view=site&site=${i}`);
      const heading = await page.locator(".stack li small").first().innerText();
      const places = await page
        .locator(".places tr")
        .evaluateAll((rows) => rows.map((row) => [row.cells[0].innerText, row.querySelector(".members")?.innerText ?? ""]));
      seen.set(heading.split(":").pop(), places);
    }
    for (const [line, places] of [...seen].sort()) console.log(`line ${line}: ${JSON.stringify(places)}`);
  },

  /** A stack's own page has each of its frames, and goes back. */
  async site(page) {
    await open(page, "view=stacks");
    const first = truth.contexts.reduce((a, b) => (b.mib.TotalSize > a.mib.TotalSize ? b : a));
    await page.locator("tbody button").first().click();
    const frames = await page
      .locator(".stack li > span")
      .evaluateAll((all) => all.map((one) => one.querySelector("[title]")?.title ?? one.textContent));
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

  /** Histograms have the counts at their places. */
  async histogram(page) {
    const counted = truth.contexts.map((context) => context.histogram ?? []);
    assert.ok(counted.some((runs) => runs.length > 0));
    for (const [i, runs] of counted.entries()) {
      await open(page, `view=site&site=${i}`);
      const rows = await page
        .locator("section .bars tr")
        .evaluateAll((all) => all.map((row) => row.innerText.replaceAll(",", "").match(/\d+/g).map(Number)));
      const cells = runs.flatMap(([first, ...counts]) => counts.map((count, k) => [first + k, count]));
      // 64 rows at most, each of as many cells as that takes.
      const cells_a_row = Math.ceil((Math.max(0, ...cells.map(([cell]) => cell)) + 1) / 64);
      const wanted = new Map();
      for (const [cell, count] of cells) {
        const from = (cell - (cell % cells_a_row)) * 8;
        wanted.set(from, (wanted.get(from) ?? 0) + count);
      }
      assert.deepEqual(
        rows.map((row) => [row[0], row.at(-1)]),
        [...wanted],
      );
    }
  },

  /** Every slot of a run has its row with its numbers, and phases and marks theirs. */
  async time(page) {
    const [run] = truth.rows;
    await page.setViewportSize({ width: 1200, height: 4000 });
    await open(page, "view=time");
    await page.getByText("As a table").click();
    const rows = await table_titles(page, "The run over time");
    for (const sample of run.samples) {
      const row = rows.find(([from]) => value_of(from) === sample.ns);
      assert.ok(row, `no row of ${sample.ns} ns`);
      assert.deepEqual(row.slice(1, 4).map(value_of), [sample.most, sample.bytes, sample.blocks]);
      assert.equal(row[4], sample.rss === undefined ? "not known" : exact_bytes(sample.rss));
    }
    const named = await page.getByLabel("Phases and marks").locator("tbody .name").allTextContents();
    const wanted = run.marks.filter((mark) => mark.phase !== null);
    assert.deepEqual(
      named,
      wanted.map((mark) => (mark.phase === undefined ? `mark ${mark.mark}` : `phase ${mark.phase}`)),
    );
    const drawn = await page.locator(".chart").evaluate((chart) => ({
      areas: [...chart.querySelectorAll("path.alive")].map((path) => path.getAttribute("d").length),
      phases: [...chart.querySelectorAll(".phase title")].map((title) => title.textContent),
      marks: chart.querySelectorAll(".mark").length,
      peaks: chart.querySelectorAll(".peak").length,
    }));
    assert.ok(drawn.areas.length === 2 && drawn.areas.every((length) => length > 20), "nothing is drawn");
    assert.deepEqual(
      drawn.phases,
      wanted.filter((mark) => mark.phase !== undefined).map((mark) => mark.phase),
    );
    assert.equal(drawn.marks, wanted.filter((mark) => mark.phase === undefined).length);
    assert.equal(drawn.peaks, 1);
    const [, own] = /the profiler had (\S+ \S+) at/.exec(await page.locator("main").innerText());
    await open(page);
    assert.ok((await page.locator("main").textContent()).includes(`+ ${own} the profiler`), own);
  },

  /** A part of a run: by keys, by the mouse, by a phase, by buttons; and back. */
  async zoom(page) {
    await open(page, "view=time");
    const chart = page.locator(".chart");
    const said = () => page.locator("#time-said").innerText();
    const part = async () => {
      const [from, to] = await Promise.all(["min", "max"].map((end) => chart.getAttribute(`aria-value${end}`)));
      return to - from;
    };
    const whole = await part();
    await chart.focus();
    await page.keyboard.press("Home");
    const first = await said();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await said(), first);
    assert.equal(await chart.getAttribute("aria-valuetext"), await said());
    await page.keyboard.press("ArrowLeft");
    assert.equal(await said(), first);
    await page.keyboard.press("+");
    assert.ok((await part()) < whole);
    assert.match(page.url(), /span=\d+\.\d+/);
    const seen = await part();
    await page.reload();
    await chart.waitFor();
    assert.equal(await part(), seen);
    await chart.focus();
    await page.keyboard.press("Escape");
    assert.equal(await part(), whole);
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 100);
    await page.mouse.down();
    // The moment, not what is said of it: a run that stalled has one slot from here to there.
    const left = await chart.getAttribute("aria-valuenow");
    await page.mouse.move(box.x + box.width * 0.6, box.y + 100, { steps: 3 });
    assert.notEqual(await chart.getAttribute("aria-valuenow"), left);
    await page.mouse.up();
    const pulled = (await part()) / whole;
    assert.ok(pulled > 0.25 && pulled < 0.4, `a part of ${pulled}`);
    await page.getByRole("button", { name: "Zoom out" }).click();
    assert.ok((await part()) / whole > pulled);
    await page.getByRole("button", { name: "Whole run" }).click();
    assert.equal(await part(), whole);
    await page.getByRole("button", { name: "phase work" }).click();
    assert.ok((await part()) < whole);
    assert.match(await said(), /phase work|alive at most/);
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes("span="));
  },

  /** Blocks by size and lifetime, and who ended them: of each call stack, and of all. */
  async spreads(page) {
    const buckets = () =>
      page.locator("[data-spread]").evaluateAll((tables) =>
        Object.fromEntries(
          tables.map((table) => [
            table.dataset.spread,
            [...table.querySelectorAll("tr")].map((row) => [
              Number(row.dataset.bucket) === 0 ? 0 : 2 ** Number(row.dataset.bucket),
              Number(row.querySelector("td[title]").title.replaceAll(",", "").split(" ")[0]),
            ]),
          ]),
        ),
      );
    const ends = () =>
      page.locator(".ends tbody tr").evaluateAll((rows) =>
        rows.map((row) => Number(row.cells[0].innerText.replaceAll(",", ""))),
      );
    const shown = [];
    let leads = -1;
    for (let i = 0; i < truth.rows.length; i++) {
      await open(page, `view=site&site=${i}`);
      const spread = await buckets();
      shown.push([spread.size, spread.lifetime, await ends()]);
      if ((await page.locator(".ends button").count()) > 0) leads = i;
    }
    const most_first = (list) => (list ?? []).map((end) => end.blocks).sort((a, b) => b - a);
    const wanted = truth.rows.map((row) => [
      row.sizes,
      row.lifetimes,
      [...most_first(row.reallocated_by), ...most_first(row.freed_by)],
    ]);
    const as_set = (list) => list.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(as_set(shown), as_set(wanted));
    assert.ok(wanted.some((row) => row[2].length > 0) && wanted.some((row) => row[0].length > 1));
    await open(page);
    const all = new Map();
    for (const [least, count] of truth.rows.flatMap((row) => row.sizes))
      all.set(least, (all.get(least) ?? 0) + count);
    assert.deepEqual((await buckets()).size, [...all].sort((a, b) => a[0] - b[0]));
    // Who freed is told, and a stack that allocates leads to its page.
    const chain = shown.findIndex((row) => row[2].length > 1);
    await open(page, `view=site&site=${chain}`);
    await page.locator(".ends summary").first().click();
    assert.ok((await page.locator(".ends .stack li:visible").count()) > 0);
    await open(page, `view=site&site=${leads}`);
    await page.locator(".ends button").first().click();
    await page.waitForFunction((site) => !location.hash.endsWith(`site=${site}`), leads);
  },

  /** One run, and another. */
  async runs(page) {
    assert.ok(truth.rows.length > 1);
    await page.setViewportSize({ width: 1200, height: 4000 });
    await open(page, "view=time");
    for (const [i, run] of truth.rows.entries()) {
      await page.locator("label", { hasText: /^Run/ }).locator("select").selectOption(String(i));
      if (i > 0) await page.waitForFunction((run) => location.hash.includes(`run=${run}`), i);
      if (i === 0) await page.getByText("As a table").click();
      const rows = await table_titles(page, "The run over time");
      assert.ok(run.samples.every((sample) => rows.some(([from]) => value_of(from) === sample.ns)));
    }
  },

  /** Whatever times a file has, each run is drawn and can be walked. */
  async strange_times(page) {
    await open(page, "view=time");
    const runs = await page.locator("label", { hasText: /^Run/ }).locator("option").count();
    assert.ok(runs > 1);
    for (let i = 0; i < runs; i++) {
      await open(page, `view=time&run=${i}`);
      await page.locator(".chart path.alive").first().waitFor({ state: "attached" });
      await page.locator(".chart").focus();
      for (const key of ["End", "ArrowLeft", "+", "ArrowRight", "PageUp", "-", "Escape", "Home"])
        await page.keyboard.press(key);
      const drawn = await page.locator(".chart").innerHTML();
      assert.ok(!/NaN|Infinity|undefined/.test(drawn), `run ${i}: ${drawn}`);
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|Infinity|undefined/);
      // It stays open from run to run.
      if (i === 0) await page.getByText("As a table").click();
      assert.ok((await table_titles(page, "The run over time")).length > 0);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
    }
  },

  /** What the profile has nothing of has no place. */
  async no_time(page) {
    await open(page);
    const tabs = await page.getByRole("navigation").locator("a").allTextContents();
    assert.ok(tabs.includes("Tree") && !tabs.includes("Over time"));
    await open(page, "view=time");
    assert.equal(await page.locator(".chart").count(), 0);
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
      ["Colour", "module"],
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

  /** Rows of the tree have other metrics, which columns come and go; a head orders by
   * its own; text has all of it. */
  async beside(page) {
    const [first, second] = truth.metrics;
    await open(page, "view=tree");
    const all = () => page.locator("tbody tr").first().locator("td[title]").evaluateAll((cells) => cells.map((cell) => cell.title));
    assert.deepEqual((await all()).slice(0, 2).map(value_of), [first.total, second.total]);
    const head = page.locator("thead button", { hasText: second.title }).first();
    await head.click();
    await page.waitForFunction((name) => location.hash.includes(`metric=${name}`), second.name);
    assert.equal(await page.locator("thead th").first().getAttribute("aria-sort"), "descending");
    const after = (await all()).map(value_of);
    assert.equal(after[0], second.total);
    assert.ok(after.includes(first.total));
    for (const from of ["down", "up"]) {
      await open(page, `view=tree&from=${from}&beside=${second.name}`);
      const rows = await page.locator("tbody tr").evaluateAll((rows) =>
        rows.map((row) => [Number(row.ariaLevel), ...[...row.querySelectorAll("td[title]")].map((cell) => cell.title)]),
      );
      const parts = rows.slice(1).filter(([level]) => level === 2);
      const unknown = truth.contexts.filter((context) => context.stack.length === 0);
      for (const [k, field] of [[1, "TotalSize"], [2, "AllocCount"]]) {
        const sum = (list, value) => list.reduce((all, one) => all + value(one), 0);
        const said = sum(parts, (row) => value_of(row[k]));
        const lost = sum(unknown, (context) => context.mib[field]);
        assert.ok(said + lost === value_of(rows[0][k]), `${from}, ${field}: ${said} of ${rows[0][k]}`);
      }
    }
    const heads = () => page.locator("thead th").count();
    const before = await heads();
    await page.getByText("Columns", { exact: true }).click();
    await page.getByLabel("bytes a block").check();
    assert.equal(await heads(), before + 1);
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.getByRole("button", { name: "Copy as text" }).click();
    const copied = await page.getByLabel("The view as text").inputValue();
    assert.equal(copied.split("\n").length - 2, await page.locator("tbody tr").count());
    for (const title of [first.title, second.title, "bytes a block"]) assert.ok(copied.includes(title));
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
    for (const view of [...VIEWS, "site&site=0", "tree&filter=(&ignore=["]) {
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

// What not every profile has is asked by name.
const special = [
  ...["histogram", "source", "no_source", "time", "zoom", "runs", "no_time", "spreads"],
  "strange_times", "together", "types", "one_stack", "advice", "rows",
  ...["short_names", "threads", "errors", "members", "wrappers", "nothing_reported"],
];
const usual = Object.keys(checks).filter((name) => !special.includes(name));
await run(packages, checks, asked.length > 0 ? asked : usual);
