// colours.test.ts -- letters can be read, and colours be told apart, by whatever eyes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HEAT, HUES, hue_of, INK, ROOT, SHADES } from "../src/colours.ts";
import { contrast, difference, EYES, lab, type Rgb, rgb_of_hex, rgb_of_hsl } from "./seen.ts";

/** WCAG 2.2: text, and what is drawn. */
const TEXT = 4.5;
const DRAWN = 3;
/** Several times what is just seen. */
const APART = 10;

const css = readFileSync(process.env.STYLE as string, "utf8");

/** Of light and of dark. */
function variable(name: string): [Rgb, Rgb] {
  const [, light, dark] =
    new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css) ?? [];
  assert.ok(light !== undefined && dark !== undefined, name);
  return [rgb_of_hex(light), rgb_of_hex(dark)];
}

function check(names: string[], grounds: string[], least: number): void {
  for (const name of names)
    for (const ground of grounds)
      for (const theme of [0, 1] as const) {
        const found = contrast(variable(name)[theme], variable(ground)[theme]);
        assert.ok(
          found >= least,
          `${name} on ${ground}, ${theme ? "dark" : "light"}: ${found.toFixed(2)}`,
        );
      }
}

test("the measures are right", () => {
  assert.equal(contrast([0, 0, 0], [1, 1, 1]), 21);
  assert.equal(contrast(rgb_of_hex("#777777"), [1, 1, 1]).toFixed(2), "4.48");
  assert.deepEqual(rgb_of_hsl([0, 100, 50]), [1, 0, 0]);
  assert.deepEqual(lab([1, 0, 0], "usual").map(Math.round), [53, 80, 67]);
  // Red and green of one lightness.
  const [red, green] = [rgb_of_hex("#b36a3c"), rgb_of_hex("#7d8a3c")];
  assert.ok(difference(red, green, "usual") > 2 * difference(red, green, "deuteranopia"));
});

test("text can be read in both themes", () => {
  check(["ink", "soft", "accent", "error"], ["paper", "raised"], TEXT);
  check(["ink"], ["area", "line"], TEXT);
});

test("what is drawn can be seen in both themes", () => {
  check(["bar", "second"], ["paper"], DRAWN);
  check(["second"], ["area"], DRAWN);
});

test("names in boxes can be read", () => {
  const boxes = HUES.flatMap((_, at) => SHADES.map((_, name) => rgb_of_hsl(hue_of(at, name))));
  for (const box of [...boxes, ...[...HEAT, ROOT].map(rgb_of_hex)])
    assert.ok(contrast(box, rgb_of_hex(INK)) >= TEXT);
});

test("neighbouring binaries have colours that all eyes can distinguish", () => {
  for (const eye of Object.keys(EYES))
    HUES.forEach((hue, i) => {
      const next = HUES[(i + 1) % HUES.length] as typeof hue;
      const found = difference(rgb_of_hsl(hue), rgb_of_hsl(next), eye);
      assert.ok(found >= APART, `${eye}: ${hue} and ${next}: ${found.toFixed(1)}`);
    });
});

test("from little to much is an order for all eyes", () => {
  for (const eye of Object.keys(EYES)) {
    const steps = HEAT.map(rgb_of_hex);
    for (let i = 1; i < steps.length; i++) {
      const found = difference(steps[i - 1] as Rgb, steps[i] as Rgb, eye);
      assert.ok(found >= APART, `${eye}: step ${i}: ${found.toFixed(1)}`);
    }
    for (let i = 2; i < steps.length; i++) {
      const from_first = (at: number) => difference(steps[0] as Rgb, steps[at] as Rgb, eye);
      assert.ok(from_first(i) > from_first(i - 1), `${eye}: ${i} looks like less than ${i - 1}`);
    }
  }
});
