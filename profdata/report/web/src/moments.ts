// moments.ts -- the blocks of a log that were alive at a moment, as a profile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Document, Moments } from "./data.ts";
import { type Profile, with_fields } from "./profile.ts";
import { numbers_of } from "./state.ts";
import { time_in_steps } from "./timeline.ts";

/** Indexes of moments: the blocks were alive at `at`; with `after`, they were allocated after it. */
export interface Choice {
  after?: number;
  at: number;
}

export function nearest(moments: Moments, ns: number): number {
  let best = 0;
  moments.ns.forEach((at, i) => {
    if (Math.abs(at - ns) < Math.abs((moments.ns[best] as number) - ns)) best = i;
  });
  return best;
}

/** Returns what the state chooses, undefined: the whole run. */
export function choice_of(document: Document, state: string): Choice | undefined {
  const { moments } = document;
  const [first, second] = numbers_of(state);
  if (moments === undefined || first === undefined || Number.isNaN(first)) return undefined;
  if (second === undefined || Number.isNaN(second)) return { at: nearest(moments, first) };
  const [after, at] = [nearest(moments, first), nearest(moments, second)];
  return after < at ? { after, at } : { at };
}

/** Returns the state that chooses it. */
export function state_of({ ns }: Moments, { after, at }: Choice): string {
  return after === undefined ? `${ns[at]}` : `${ns[after]}.${ns[at]}`;
}

/** Returns the profile with only the chosen blocks. */
export function of_moment(profile: Profile, choice: Choice | undefined): Profile {
  const { moments, contexts } = profile.document;
  if (moments === undefined || choice === undefined) return profile;
  const { after = -1, at } = choice;
  const [bytes, blocks, live, live_blocks] = Array.from({ length: 4 }, () =>
    new Array<number>(profile.context_count).fill(0),
  ) as [number[], number[], number[], number[]];
  const add = (to: number[], c: number, n: number) => {
    to[c] = (to[c] as number) + n;
  };
  moments.context.forEach((c, i) => {
    const from = moments.from[i] as number;
    const to = moments.to[i] as number;
    if (from <= after || from > at || (to !== 0 && to <= at)) return;
    add(bytes, c, moments.bytes[i] as number);
    add(blocks, c, moments.blocks[i] as number);
    if (to !== 0) return;
    add(live, c, moments.bytes[i] as number);
    add(live_blocks, c, moments.blocks[i] as number);
  });
  const fields = { TotalSize: bytes, AllocCount: blocks };
  const at_end = { LiveBytes: live, LiveCount: live_blocks };
  const { threads: _, pools: __, ...document } = profile.document;
  const made = with_fields(
    { ...profile, document },
    contexts.fields.LiveBytes === undefined ? fields : { ...fields, ...at_end },
  );
  const metrics = made.metrics.map((m) => ({ ...m, title: TITLES[m.name] ?? m.title }));
  return { ...made, metrics, document: { ...made.document, metrics } };
}

const TITLES: Record<string, string> = {
  bytes: "bytes alive",
  blocks: "blocks alive",
  live: "bytes never freed",
  "live-blocks": "blocks never freed",
};

/** Returns the names of a moment: phases, marks, and the peak. */
function names_at(document: Document, ns: number): string[] {
  const named = (document.series[0]?.marks ?? [])
    .filter((mark) => mark.ns === ns)
    .flatMap(({ phase, mark }) =>
      phase ? [`phase ${phase}`] : mark ? [`mark ${mark}`] : phase === null ? ["end of phase"] : [],
    );
  const is_peak = document.runs[0]?.peak_ns === ns;
  return [...named, ...(is_peak ? ["peak"] : [])];
}

/** Formats a moment: "3.20 s", with names "3.20 s (peak)". */
export function said_moment(document: Document, index: number): string {
  const ns = document.moments?.ns ?? [];
  const end = ns.at(-1) ?? 1;
  const at = ns[index] ?? 0;
  const names = names_at(document, at);
  const said = time_in_steps(at, end / 1000, end);
  return names.length === 0 ? said : `${said} (${names.join(", ")})`;
}

/** Formats a choice: "alive at 3.20 s". */
export function said_choice(document: Document, { after, at }: Choice): string {
  const then = said_moment(document, at);
  return after === undefined
    ? `alive at ${then}`
    : `allocated between ${said_moment(document, after)} and ${then} and still alive`;
}
