// summary.tsx -- the summary: runs, totals and findings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import type { Advice, Metric, Run, UsedTogether } from "../data.ts";
import { error_text, exact_error, is_sampled, mark, variance_of } from "../errors.ts";
import { amount, base_name, bytes, count, date, exact, percent, time } from "../format.ts";
import { groups_of, type Kind, sorted } from "../groups.ts";
import { choice_of } from "../moments.ts";
import { short, whole_of } from "../profile.ts";
import { AllSpreads } from "./spread.tsx";
import { StackLink, site_of } from "./stacks.tsx";

/** says: a name shorter than the title. */
function Total({ metric, says }: { metric: Metric; says?: string }) {
  const { profile, go } = useShared();
  const { title, value } = whole_of(
    metric,
    (name) => profile.metrics.find((m) => m.name === name)?.total,
  );
  const error = variance_of(profile, metric)?.total;
  return (
    <button
      type="button"
      title={exact(Math.round(value), metric.unit) + exact_error(error)}
      data-metric={metric.name}
      onClick={() =>
        metric.name === "lifetime"
          ? go({ view: "stacks", sort: "lifetime", columns: "" })
          : go({ metric: metric.name, view: "flame" })
      }
    >
      <b>
        {mark(profile, metric, value, error)}
        {amount(value, metric.unit)}
        {error ? (
          <>
            {" "}
            <small class="off">{error_text(error, metric.unit)}</small>
          </>
        ) : (
          ""
        )}
      </b>{" "}
      <span>{says ?? title}</span>
    </button>
  );
}

/** Metrics of moments; all others are totals of the run. */
const MOMENTS = ["peak", "live", "leaked"];

function Totals() {
  const { profile, state, go } = useShared();
  const is_of_moment = choice_of(profile.document, state.moment) !== undefined;
  const stacks = is_of_moment
    ? (profile.document.contexts.fields.AllocCount ?? []).filter((n) => n > 0).length
    : profile.context_count;
  const named = (name: string) => profile.metrics.find((m) => m.name === name);
  const blocks_of = (name: string) => named(name === "bytes" ? "blocks" : `${name}-blocks`);
  const card = (metric: Metric) => {
    const blocks = blocks_of(metric.name);
    return (
      <li key={metric.name} class="pair">
        <Total metric={metric} />
        {blocks !== undefined && <Total metric={blocks} says="blocks" />}
      </li>
    );
  };
  const moments = (is_of_moment ? [] : MOMENTS).map(named).filter((metric) => metric !== undefined);
  const shown = new Set([...moments, ...[...MOMENTS, "bytes"].map(blocks_of)]);
  return (
    <section aria-label="Totals">
      {moments.length > 0 && (
        <>
          <p class="group">Memory in use</p>
          <ul class="cards">{moments.map(card)}</ul>
        </>
      )}
      {moments.length > 0 && (
        <p class="group">
          {profile.document.is_of_moment ? "Blocks alive at the moment" : "Over the whole run"}
        </p>
      )}
      <ul class="cards">
        {profile.metrics.filter((metric) => !shown.has(metric)).map(card)}
        <li>
          <button type="button" onClick={() => go({ view: "stacks" })}>
            <b>{count(stacks)}</b>
            <span>call stacks</span>
          </button>
        </li>
      </ul>
    </section>
  );
}

export function Sentences({ title, said }: { title: string; said: string[] }) {
  if (said.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ol class="said">
        {said.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ol>
    </section>
  );
}

const LARGEST_SHOWN = 8;

function Largest({ kind, title }: { kind: Kind; title: string }) {
  const { profile, metric, by_context, whole, go } = useShared();
  const rows = sorted(groups_of(profile, kind, by_context), "self")
    .slice(0, LARGEST_SHOWN)
    .filter((row) => row.self > 0);
  return (
    <section>
      <h2>
        {title}: {metric.title}
      </h2>
      {rows.length === 0 && <p>none</p>}
      <table class="bars">
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" title={row.name}>
                {short(profile, row.name)}
              </th>
              <td>
                <meter min={0} max={whole} value={row.self} aria-label={row.name} />
              </td>
              <td class="number">
                {is_sampled(profile) && "~"}
                {amount(row.self, metric.unit)}
              </td>
              <td class="number">{percent(row.self, whole)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" class="link" onClick={() => go({ view: "groups", by: kind, sort: "" })}>
        Show all
      </button>
    </section>
  );
}

/** What to change, as `memprofdata advise` says; `count`: how many rows it has. */
function Changes({ advice, count: all }: { advice: Advice[]; count: number }) {
  const { profile } = useShared();
  return (
    <section>
      <h2>What to change</h2>
      <ol class="said">
        {advice.map((row) => (
          <li key={`${row.kind} ${row.context}`}>
            <b>{row.kind}</b>: {row.saving}
            <div>
              {row.sentence} {row.action}
            </div>
            <StackLink context={row.context} />{" "}
            <small class="off">{site_of(profile, row.context)}</small>
            {row.stacks > 1 &&
              ` and ${count(row.stacks - 1)} more call stack${row.stacks === 2 ? "" : "s"}`}
          </li>
        ))}
      </ol>
      {all > advice.length && (
        <p>
          and {count(all - advice.length)} more: <code>memprofdata advise</code> has all
        </p>
      )}
    </section>
  );
}

const GROUPS_SHOWN = 10;
const GROUP_STACKS_SHOWN = 2;

/** What a pool for each group of call stacks would gain, as `memprofdata explain --groups` says. */
function Together({ groups }: { groups: UsedTogether[] }) {
  return (
    <section>
      <h2>Blocks that are used together</h2>
      <ol class="said">
        {groups.slice(0, GROUPS_SHOWN).map((group) => (
          <li key={group.contexts[0]}>
            {bytes(group.resident_bytes)}, {group.pool === 0 ? "no pool" : `pool ${group.pool}`}:{" "}
            {group.sentence}. {count(group.blocks)} blocks of {count(group.contexts.length)} call
            stack{group.contexts.length === 1 ? "" : "s"}, {percent(group.access_share, 1)} of all
            accesses, {percent(group.small_share, 1)} of the live bytes of all small blocks.
            {group.contexts.slice(0, GROUP_STACKS_SHOWN).map((context) => (
              <div key={context}>
                <StackLink context={context} />
              </div>
            ))}
          </li>
        ))}
      </ol>
      {groups.length > GROUPS_SHOWN && <p>and {count(groups.length - GROUPS_SHOWN)} more</p>}
    </section>
  );
}

/** Kinds of resident memory, as shared/resident_format.h has them. */
const RESIDENT = [
  ["blocks", "live heap blocks"],
  ["held", "held by the allocator"],
  ["mapped", "mapped by the program"],
  ["stacks", "stacks"],
  ["code", "code and data"],
  ["shared", "shared"],
  ["profiler", "the profiler"],
  ["other", "other"],
];

function resident_of(run: Run, when: string): string {
  const parts = RESIDENT.map(([key, said]) => ({ said, n: run[`rss_${when}_${key}`] ?? 0 }));
  const sum = parts.reduce((all, part) => all + part.n, 0);
  if (sum === 0) return "";
  const said = parts.filter((part) => part.n > 0).map((part) => `${bytes(part.n)} ${part.said}`);
  return `${bytes(sum)} = ${said.join(" + ")}`;
}

function facts_of(run: Run): [string, string][] {
  const facts: [string, string | undefined][] = [
    ["program", run.executable],
    ["times merged", run.count > 1 ? count(run.count) : undefined],
    ["started", run.start_ns && date(run.start_ns)],
    ["ran for", run.duration_ns && time(run.duration_ns)],
    ["on", run.host],
    ["process", run.pid && String(run.pid)],
    ["options", run.options],
    ["recorded by", run.tool ?? run.kind],
    ["resident, highest reading", resident_of(run, "peak")],
    ["resident at the end", resident_of(run, "end")],
    ["resident at most, says the kernel", run.rss_highest && bytes(run.rss_highest)],
    ["the profiler's call stacks and sums", run.own_memory_bytes && bytes(run.own_memory_bytes)],
    [
      "the profiler's time in malloc",
      run.own_time_ns && run.duration_ns
        ? `${time(run.own_time_ns)} (${percent(run.own_time_ns, run.duration_ns)} of the run)`
        : undefined,
    ],
    ["resolution of times", run.clock_resolution_ns && time(run.clock_resolution_ns)],
    ["truncated stacks", run.truncated_stacks && count(run.truncated_stacks)],
    ["blocks without a stack", run.dropped_blocks && count(run.dropped_blocks)],
  ].map(([name, value]) => [
    name as string,
    value === 0 ? undefined : (value as string | undefined),
  ]);
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== "");
}

const RUNS_SHOWN = 12;

export function Runs({ runs, title }: { runs: Run[]; title?: string }) {
  const usual = runs.length === 1 ? "The run" : `The ${count(runs.length)} runs`;
  return (
    <section>
      <h2>{title ?? usual}</h2>
      {runs.slice(0, RUNS_SHOWN).map((run, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: runs never change their order
        <details key={i} open={runs.length === 1}>
          <summary>
            {base_name(run.executable ?? "unknown program")}
            {run.start_ns ? `, ${date(run.start_ns)}` : ""}
          </summary>
          <dl>
            {facts_of(run).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
      {runs.length > RUNS_SHOWN && <p>and {count(runs.length - RUNS_SHOWN)} more</p>}
    </section>
  );
}

export function title_of(runs: Run[]): string {
  const programs = [...new Set(runs.map((run) => base_name(run.executable ?? "")))].filter(
    (p) => p !== "",
  );
  if (programs.length === 0) return "Heap profile";
  const shown = programs.slice(0, 3).join(", ");
  return `Heap profile of ${shown}${programs.length > 3 ? ` and ${programs.length - 3} more` : ""}`;
}

const MARKS =
  "An estimate has its standard error behind \u00b1, or begins with ~ if the error is unknown. All other values are exact, except those over time.";

export function Summary() {
  const { profile } = useShared();
  const { advice, advice_count } = profile.document;
  const has_types = profile.document.contexts.type.some((t) => t !== 0);
  return (
    <>
      <Totals />
      <div class="columns">
        <div>
          <Sentences title="Findings" said={profile.document.findings} />
          {advice !== undefined && (
            <Changes advice={advice} count={advice_count ?? advice.length} />
          )}
          <Largest kind="function" title="Functions that allocate most" />
          {has_types && <Largest kind="type" title="Types of the objects" />}
          {profile.document.groups !== undefined && <Together groups={profile.document.groups} />}
        </div>
        <div>
          <Runs runs={profile.document.runs} />
          <Sentences
            title="Notes on these numbers"
            said={[...profile.document.notes, ...(is_sampled(profile) ? [MARKS] : [])]}
          />
          <AllSpreads />
        </div>
      </div>
    </>
  );
}
