// changed_site.tsx -- one call stack in two profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { change_of, unmeasured } from "../compare.ts";
import { useShared } from "../context.ts";
import type { Compared, Metric } from "../data.ts";
import { per_block_of } from "../per_block.ts";
import { divisor, field_of, metric_named, type Profile } from "../profile.ts";
import { ChangeCells, PairCells } from "./compared.tsx";
import { Scroll } from "./scroll.tsx";

function pair_of(profile: Profile, context: number, { name, field }: Metric): [number, number] {
  const { before, sides } = profile.document.compared as Compared;
  const by = divisor(sides[0], name);
  return [(before[field]?.[context] ?? 0) / by, field_of(profile, context, field)];
}

const HELD: Record<number, string> = {
  1: "The new profile has no such call stack.",
  2: "The old profile has no such call stack.",
};

/** The values of all metrics, and values per block. */
export function ChangedFacts({ context }: { context: number }) {
  const { profile, metric } = useShared();
  const { held_by } = profile.document.compared as Compared;
  const held = held_by[context] as number;
  const kind = change_of(...pair_of(profile, context, metric), held);
  return (
    <>
      <p>
        By {metric.title} it is <b class={`kind ${kind}`}>{kind}</b>. {HELD[held] ?? ""}
      </p>
      <Scroll label="Before and after">
        <table class="facts totals">
          <thead>
            <tr>
              <td />
              <th scope="col" class="number">
                before
              </th>
              <th scope="col" class="number">
                after
              </th>
              <th scope="col" class="number" colSpan={2}>
                change
              </th>
            </tr>
          </thead>
          <tbody>
            {profile.metrics.map((m) => {
              if (m.name === "lifetime") return null; // shown per block below
              const pair = pair_of(profile, context, m);
              return (
                <tr key={m.name} data-metric={m.name}>
                  <th scope="row">{m.title}</th>
                  {unmeasured(profile, m)(context) ? (
                    <td colSpan={4}>not measured in both</td>
                  ) : (
                    <>
                      <PairCells pair={pair} unit={m.unit} />
                      <ChangeCells pair={pair} unit={m.unit} />
                    </>
                  )}
                </tr>
              );
            })}
            {per_block_of(profile, metric_named(profile, "bytes"))
              .filter((value) => value.title !== "blocks")
              .map((value) => (
                <tr key={value.title}>
                  <th scope="row">{value.title}</th>
                  <td class="number" colSpan={4}>
                    {value.said(context)}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
