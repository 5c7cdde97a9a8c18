// site.tsx -- the page of one call stack.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import type { Histogram } from "../data.ts";
import { error_of_context, estimated, is_sampled } from "../errors.ts";
import { bytes, count, exact, percent, rate, time } from "../format.ts";
import { site_name } from "../groups.ts";
import { places_of } from "../histogram.ts";
import { field_of, type Profile, stack_of, text } from "../profile.ts";
import { ChangedFacts } from "./changed_site.tsx";
import { CopyButton } from "./copy.tsx";
import { MissingFiles, Source, useLineTotals } from "./source.tsx";
import { Ends, Spreads } from "./spread.tsx";
import { columns_of, place_of, value_of } from "./stacks.tsx";
import { VerdictPart } from "./verdict.tsx";
import { Whole } from "./whole.tsx";

function Places({ histogram }: { histogram: Histogram }) {
  const { profile } = useShared();
  const members = histogram.members === undefined ? "" : text(profile, histogram.members);
  const places = places_of(histogram, members);
  const most = places.reduce((max, place) => Math.max(max, place.accesses), 0);
  return (
    <table class="bars places">
      <caption>
        Accesses by byte of{" "}
        {histogram.element_bytes === undefined
          ? "the block"
          : `an element of ${bytes(histogram.element_bytes)}`}
        {is_sampled(profile) && " (estimates)"}
      </caption>
      <tbody>
        {places.map((place) => (
          <tr key={place.from}>
            <th scope="row">
              {count(place.from)} to {count(place.to)}
            </th>
            {members !== "" && (
              <td class="members" title={place.members}>
                {place.members}
              </td>
            )}
            <td>
              <meter
                min={0}
                max={most || 1}
                value={place.accesses}
                aria-label={`${count(place.accesses)} accesses`}
              />
            </td>
            <td class="number" title={exact(place.accesses, "accesses")}>
              {count(place.accesses)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Fact {
  name: string;
  title: string;
  help: string;
  said: string;
  /** "" for averages and for fields that are no metrics. */
  share: string;
  is_metric: boolean;
}

function facts_of(profile: Profile, context: number): Fact[] {
  return columns_of(profile).map((column) => {
    const value = value_of(profile, column, context);
    const metric = profile.metrics.find((m) => m.name === column.name);
    return {
      name: column.name,
      title: column.title,
      help: column.help,
      said: estimated(profile, column, value, error_of_context(profile, column, context)),
      share: metric === undefined || column.per !== undefined ? "" : percent(value, metric.total),
      is_metric: metric !== undefined,
    };
  });
}

function Facts({ facts }: { facts: Fact[] }) {
  return (
    <table class="facts">
      <tbody>
        {facts.map((fact) => (
          <tr key={fact.name} title={fact.help}>
            <th scope="row">{fact.title}</th>
            <td class="number">{fact.said}</td>
            <td class="number">{fact.share}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Common averages of a call stack. */
function averages_of(profile: Profile, context: number): string[] {
  const of = (field: string) => field_of(profile, context, field);
  const knows = (field: string) => profile.document.contexts.fields[field] !== undefined;
  const holds = (name: string) => profile.metrics.some((m) => m.name === name);
  const is_measured = ((profile.document.contexts.flags[context] as number) & 2) === 0;
  const blocks = of("AllocCount");
  const said: string[] = [];
  if (blocks === 0) return said;
  const size = bytes(Math.round(of("TotalSize") / blocks));
  const is_one_size = of("MinSize") === of("MaxSize");
  const sizes = !knows("MinSize")
    ? `of ${size} on average`
    : is_one_size
      ? `of ${size}`
      : `of ${size} on average, ${bytes(of("MinSize"))} to ${bytes(of("MaxSize"))}`;
  said.push(`${count(blocks)} ${blocks === 1 ? "block" : "blocks"} ${sizes}.`);
  if (holds("lifetime")) {
    const most = knows("MaxLifetimeNs") ? `, ${time(of("MaxLifetimeNs"))} at most` : "";
    said.push(`Lived ${time(Math.round(of("TotalLifetimeNs") / blocks))} on average${most}.`);
  }
  if (holds("accesses") && is_measured) {
    const accesses = of("TotalAccessCount");
    said.push(
      accesses === 0
        ? "Never accessed by instrumented code."
        : `${rate(accesses / blocks)} accesses per block, ${rate((8 * accesses) / (of("TotalSize") || 1))} per 8 bytes.`,
    );
  }
  if (is_sampled(profile)) said.push(`Estimates from ${count(of("SampledCount"))} sampled blocks.`);
  return said;
}

/** site: the frame whose source is open initially. */
function Stack({ stack, site }: { stack: number[]; site: number }) {
  const { profile } = useShared();
  const totals = useLineTotals();
  const { frames } = profile.document;
  return (
    <ol class="stack">
      {stack.map((f, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stack never changes its order
        <li key={i}>
          <span>
            <Whole name={text(profile, frames.name[f] as number)} />
          </span>
          {frames.inline[f] === 1 && <i> inlined</i>}
          <small>{place_of(profile, f)}</small>
          <Source frame={f} totals={totals} is_open={f === site} />
        </li>
      ))}
    </ol>
  );
}

export function Site() {
  const { profile, state, go } = useShared();
  const context = state.site === "" ? -1 : Number(state.site);
  if (!(Number.isInteger(context) && context >= 0 && context < profile.context_count))
    return <p>There is no such call stack.</p>;
  const { frames, contexts, histograms, compared } = profile.document;
  const stack = stack_of(profile, context);
  const flags = contexts.flags[context] as number;
  const type = text(profile, contexts.type[context] as number);
  const members = profile.document.types?.findIndex((t) => t.contexts.includes(context)) ?? -1;
  const histogram = histograms.find((h) => h.context === context);
  const facts = facts_of(profile, context);
  const as_text = () =>
    stack
      .map((f) => `${text(profile, frames.name[f] as number)}\n    ${place_of(profile, f)}\n`)
      .join("");
  return (
    <section aria-label="Call stack">
      <div class="choices">
        <button type="button" onClick={() => go({ view: "stacks", site: "" })}>
          ← Call stacks
        </button>
        <CopyButton text={as_text} />
      </div>
      <h2>
        <Whole name={site_name(profile, context)} />
      </h2>
      <ul class="said">
        {type !== "" && (
          <li>
            Allocates{" "}
            <code>
              <Whole name={type} />
            </code>
            .{" "}
            {members >= 0 && (
              <button
                type="button"
                class="link"
                onClick={() => go({ view: "types", type: String(members) })}
              >
                Members
              </button>
            )}
          </li>
        )}
        {compared === undefined &&
          averages_of(profile, context).map((said) => <li key={said}>{said}</li>)}
        {(flags & 1) !== 0 && <li>The stack is truncated: its outer frames are missing.</li>}
        {(flags & 2) !== 0 && <li>Accesses to these blocks were not measured.</li>}
      </ul>
      <div class="columns">
        <div>
          <Stack stack={stack} site={(contexts.site[context] as number) - 1} />
          <MissingFiles stack={stack} />
        </div>
        <div>
          {compared === undefined ? (
            <Facts facts={facts.filter((fact) => fact.is_metric)} />
          ) : (
            <ChangedFacts context={context} />
          )}
          {histogram !== undefined && <Places histogram={histogram} />}
          <VerdictPart context={context} />
          {compared === undefined && <Spreads context={context} />}
          {facts.some((fact) => !fact.is_metric) && (
            <details>
              <summary>All other fields</summary>
              <Facts facts={facts.filter((fact) => !fact.is_metric)} />
            </details>
          )}
        </div>
      </div>
      {compared === undefined && <Ends context={context} />}
    </section>
  );
}
