// accessible.mjs -- each view of a report, as axe-core sees it: names and roles for
// screen readers, contrasts, order of headings, regions; light, dark and on a phone.
//
// usage: accessible.mjs PACKAGES PAGE VIEW...
//
// PACKAGES: node_modules of test/npm. VIEW: as in the page's address.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { opener, PHONE, run } from "./page.mjs";

const [packages, file, ...views] = process.argv.slice(2);
const axe = readFileSync(join(packages, "axe-core/axe.min.js"), "utf8");
const open = opener(file);

/** What is wrong on the page, and how many rules found nothing wrong. */
async function look(page) {
  // By the browser's own way in: the page's policy lets no script in.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document));
  return {
    passed: passes.length,
    wrong: violations.flatMap((rule) =>
      rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
    ),
  };
}

const LOOKS = {
  light: async (page) => page.emulateMedia({ colorScheme: "light" }),
  dark: async (page) => page.emulateMedia({ colorScheme: "dark" }),
  phone: async (page) => page.setViewportSize(PHONE),
};

const checks = {};
for (const [name, prepare] of Object.entries(LOOKS)) {
  checks[name] = async (page) => {
    await prepare(page);
    for (const view of views) {
      await open(page, `view=${view}`);
      const { passed, wrong } = await look(page);
      assert.deepEqual(wrong, [], `${view}, ${name}`);
      // An empty page has few things to be right.
      assert.ok(passed >= 15, `${view}, ${name}: ${passed} rules`);
    }
  };
}

await run(packages, checks, Object.keys(checks));
