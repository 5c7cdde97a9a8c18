// verdict.ts -- formats which call stacks are cold or hot, and why, as decided by memprofdata.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { bytes, rate } from "./format.ts";
import { NONE, type Profile } from "./profile.ts";

export interface Verdict {
  /** "cold", "hot", "none", "not-measured" */
  word: string;
  /** "it lives long and is hardly accessed" */
  why: string;
  /** The numbers behind the verdict. */
  numbers: [string, string][];
}

const TITLES: Record<string, string> = {
  cold: "Cold",
  hot: "Hot",
  none: "Neither cold nor hot",
  "not-measured": "Not judged",
};

export function verdict_title(word: string): string {
  return TITLES[word] ?? word;
}

function share(part: number): string {
  return part !== 0 && part < 0.0005 ? "<0.1 %" : `${(100 * part).toFixed(1)} %`;
}

const NUMBERS: [string, string, (value: number) => string][] = [
  ["resident_bytes", "average live bytes", bytes],
  ["resident_share", "share of all live bytes", share],
  ["access_share", "share of all accesses", share],
  ["life_share", "average lifetime, as a share of the run", share],
  ["accesses_per_byte", "accesses per 8 bytes", (value) => rate(8 * value)],
  ["heat", "access density, relative to long-lived blocks", (value) => `${rate(value)} times`],
  ["saved_bytes", "bytes that a hint moves to separate pages", bytes],
];

export function word_of(profile: Profile, context: number): string | undefined {
  const { contexts, verdicts } = profile.document;
  return verdicts?.[contexts.verdict?.[context] ?? NONE];
}

export function verdict_of(profile: Profile, context: number): Verdict | undefined {
  const { contexts, verdict_reasons } = profile.document;
  const word = word_of(profile, context);
  const why = verdict_reasons?.[contexts.why?.[context] ?? NONE];
  if (word === undefined || why === undefined) return undefined;
  const numbers: [string, string][] = [];
  for (const [name, title, said] of NUMBERS) {
    const value = contexts.verdict_numbers?.[name]?.[context];
    if (typeof value === "number") numbers.push([title, said(value)]);
  }
  return { word, why: why.sentence, numbers };
}

/** By name of a function: the verdict of most allocations through it. */
export function verdict_by_name(profile: Profile, by_context: Float64Array): Map<number, string> {
  const sums = new Map<number, Map<string, number>>();
  for (let c = 0; c < profile.context_count; c++) {
    const word = word_of(profile, c);
    const value = by_context[c] as number;
    if (value === 0 || word === undefined) continue;
    const seen = new Set<number>();
    for (let node = profile.leaf[c] as number; node !== NONE; node = profile.parent[node] as number)
      seen.add(profile.name[node] as number);
    for (const name of seen) {
      const words = sums.get(name) ?? new Map<string, number>();
      words.set(word, (words.get(word) ?? 0) + value);
      sums.set(name, words);
    }
  }
  return new Map(
    [...sums].map(([name, words]) => [
      name,
      ([...words].sort((a, b) => b[1] - a[1])[0] as [string, number])[0],
    ]),
  );
}
