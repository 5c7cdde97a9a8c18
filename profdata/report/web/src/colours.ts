// colours.ts -- colours of boxes. Text is dark on light boxes in both themes. Hues are those of
// Okabe and Ito's palette, which colour-blind people can distinguish ("Color Universal Design",
// 2008), made lighter; colours.test.ts checks the contrast.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Branch } from "./calltree.ts";
import { share_of_change } from "./compare.ts";
import type { Shared } from "./context.ts";
import { NONE, type Profile } from "./profile.ts";
import { verdict_by_name } from "./verdict.ts";

export type Colouring = (branch: Branch) => string;

export const INK = "#101418";
export const ROOT = "#c9ced6";
/** Hue, saturation and lightness. */
type Hsl = [number, number, number];
export const HUES: Hsl[] = [
  [43, 86, 66],
  [200, 62, 72],
  [32, 30, 70],
  [230, 70, 80],
  [20, 82, 74],
  [318, 42, 78],
  [58, 68, 70],
  [156, 46, 66],
];
/** Variations of lightness for names with the same hue. */
export const SHADES = [0, 5, -4, 8, -7, 3];
/** From few accesses to many. */
export const HEAT = ["#e2e9f0", "#f6e6c2", "#fbcd95", "#fbae6e", "#f6894d", "#de5d39"];

function css([hue, saturation, light]: Hsl): string {
  return `hsl(${hue} ${saturation}% ${light}%)`;
}

/** Returns the colour for a rank in an order, varied by name. */
export function hue_of(place: number, name: number): Hsl {
  const [hue, saturation, light] = HUES[place % HUES.length] as Hsl;
  return [hue, saturation, light + (SHADES[name % SHADES.length] as number)];
}

/** From gone to new. Colour-blind people can distinguish vermilion and blue, and words accompany
 * the colours. */
export const CHANGES: { least: number; colour: string; said: string }[] = [
  { least: -1, colour: "#5aa0dc", said: "gone" },
  { least: -0.99999999, colour: "#8fc1ea", said: "half or less" },
  { least: -0.5, colour: "#cfe3f5", said: "less" },
  { least: -0.01, colour: "#e3e6ea", said: "about the same" },
  { least: 0.01, colour: "#fde0cb", said: "more" },
  { least: 0.5, colour: "#f9b387", said: "twice or more" },
  { least: 1, colour: "#ee8a52", said: "new" },
];

/** By verdict. */
export const VERDICTS: { word: string; colour: string; said: string }[] = [
  { word: "cold", colour: "#8fc1ea", said: "mostly cold" },
  { word: "hot", colour: "#ee8a52", said: "mostly hot" },
  { word: "none", colour: "#e3e6ea", said: "neither" },
  { word: "not-measured", colour: "#c9b8d8", said: "not measured" },
];

/** Returns the row of CHANGES for a share. */
export function step_of(share: number): (typeof CHANGES)[number] {
  const reached = CHANGES.filter((step) => share >= step.least);
  return (reached.at(-1) ?? CHANGES[0]) as (typeof CHANGES)[number];
}

function colour_by_change(shared: Shared): Colouring {
  const { before, figures } = shared;
  return (branch) =>
    step_of(share_of_change(before ? branch.of(before) : 0, branch.of(figures))).colour;
}

/** By name: the binary with most of its frames. */
function module_by_name(profile: Profile): Map<number, number> {
  const modules = new Map<number, number>();
  profile.document.frames.name.forEach((name, frame) => {
    if (!modules.has(name)) modules.set(name, profile.document.frames.module[frame] as number);
  });
  return modules;
}

/** By name: accesses per byte allocated through it. */
function heat_by_name(shared: Shared): Map<number, number> {
  const { profile, chosen } = shared;
  const columns = profile.document.contexts.fields;
  const sums = new Map<number, [number, number]>();
  for (let c = 0; c < profile.context_count; c++) {
    if (!chosen[c]) continue;
    const seen = new Set<number>();
    for (let node = profile.leaf[c] as number; node !== NONE; node = profile.parent[node] as number)
      seen.add(profile.name[node] as number);
    for (const name of seen) {
      const sum = sums.get(name) ?? [0, 0];
      sum[0] += columns.TotalAccessCount?.[c] ?? 0;
      sum[1] += columns.TotalSize?.[c] ?? 0;
      sums.set(name, sum);
    }
  }
  return new Map(
    [...sums].map(([name, [accesses, size]]) => [name, size === 0 ? 0 : accesses / size]),
  );
}

/** If one binary has this share of the frames, colours by binary are useless. */
const NEARLY_ALL = 0.9;

function is_of_one_module(profile: Profile): boolean {
  const { module } = profile.document.frames;
  const counts = new Map<number, number>();
  for (const frame of profile.frame) {
    const at = module[frame] as number;
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) >= NEARLY_ALL * profile.frame.length;
}

/** The possible colourings, the default first. */
export function colour_kinds(profile: Profile): [string, string][] {
  const kinds: [string, string][] = [
    ["module", "binary"],
    ["function", "function"],
  ];
  if (is_of_one_module(profile)) kinds.reverse();
  if (profile.document.verdicts !== undefined) kinds.push(["verdict", "hot or cold"]);
  if (profile.document.compared !== undefined) kinds.unshift(["change", "change"]);
  else if (profile.metrics.some((m) => m.name === "accesses"))
    kinds.push(["heat", "accesses per 8 bytes"]);
  return kinds;
}

/** Returns the chosen colouring, or the default. */
export function colour_kind(profile: Profile, chosen: string): string {
  const kinds = colour_kinds(profile).map(([kind]) => kind);
  return kinds.includes(chosen) ? chosen : (kinds[0] as string);
}

export function colours_of(shared: Shared, kind: string): Colouring {
  if (kind === "change") return colour_by_change(shared);
  if (kind === "verdict") {
    const words = verdict_by_name(shared.profile, shared.by_context);
    return ({ name }) =>
      VERDICTS.find((v) => v.word === (words.get(name) ?? "none"))?.colour ?? ROOT;
  }
  if (kind === "heat") {
    const heat = heat_by_name(shared);
    return ({ name }) => {
      if (name === NONE) return ROOT;
      const step = Math.floor(Math.log10((heat.get(name) ?? 0) * 100 + 1) * 1.5);
      return HEAT[Math.min(step, HEAT.length - 1)] as string;
    };
  }
  const modules = module_by_name(shared.profile);
  const order = [...new Set(modules.values())];
  return ({ name }) => {
    if (name === NONE) return ROOT;
    const at = kind === "module" ? order.indexOf(modules.get(name) ?? 0) : name;
    return css(hue_of(at, name));
  };
}
