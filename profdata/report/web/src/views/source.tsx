// source.tsx -- source lines with the allocations through each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { useShared } from "../context.ts";
import { is_sampled } from "../errors.ts";
import { amount } from "../format.ts";
import { groups_of } from "../groups.ts";
import { text } from "../profile.ts";
import { excerpt_of, missing_files } from "../source.ts";
import { Scroll } from "./scroll.tsx";

/** By "file:line": the total through that line. */
export function useLineTotals(): Map<string, number> {
  const { profile, by_context } = useShared();
  return useMemo(
    () => new Map(groups_of(profile, "line", by_context).map((g) => [g.name, g.total])),
    [profile, by_context],
  );
}

export function Source(props: { frame: number; totals: Map<string, number>; is_open: boolean }) {
  const { profile, metric } = useShared();
  const excerpt = excerpt_of(profile, props.frame);
  if (excerpt === undefined) return null;
  const mark = is_sampled(profile) ? "~" : "";
  const { frames } = profile.document;
  const file = text(profile, frames.file[props.frame] as number);
  const own = frames.line[props.frame] as number;
  return (
    <details class="source" open={props.is_open}>
      <summary>
        source{excerpt.is_changed && ", changed since the run: lines may have moved"}
      </summary>
      <Scroll label={`Lines of ${file}, with ${metric.title}`}>
        <table>
          <tbody>
            {excerpt.lines.map((line, i) => {
              const number = excerpt.first + i;
              const total = props.totals.get(`${file}:${number}`);
              return (
                <tr key={number} {...(number === own ? { "aria-current": "location" } : {})}>
                  <td class="number">{total ? mark + amount(total, metric.unit) : ""}</td>
                  <td class="number">{number}</td>
                  <td>
                    <code>{line}</code>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}

export function MissingFiles({ stack }: { stack: number[] }) {
  const missing = missing_files(useShared().profile, stack);
  if (missing.length === 0) return null;
  return <p class="hint">Source files that were not found: {missing.join(", ")}</p>;
}
