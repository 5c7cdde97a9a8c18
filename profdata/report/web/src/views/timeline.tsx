// timeline.tsx -- a run over time: live bytes and resident memory, with the phases and marks that
// the program named.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo, useState } from "preact/hooks";
import { type Shared, useShared } from "../context.ts";
import type { Moments } from "../data.ts";
import { is_sampled } from "../errors.ts";
import { base_name, bytes, count, date } from "../format.ts";
import { choice_of, nearest, state_of } from "../moments.ts";
import { numbers_of } from "../state.ts";
import {
  fitting,
  type Timeline as Line,
  phase_at,
  type Span,
  said_time,
  slot_at,
  time_in_steps,
  timeline_of,
  zoomed,
} from "../timeline.ts";
import { Choice } from "./choice.tsx";
import { Legend } from "./compared.tsx";
import { chart_of, Drawing, LEFT, seen } from "./time_chart.tsx";
import { Named, Table } from "./time_tables.tsx";
import { useWidth } from "./width.ts";

/** Returns the state that chooses the moments nearest to one or two times. */
function moment_near(moments: Moments, ns: number[]): string {
  const [first, second] = ns.map((n) => nearest(moments, n));
  return first !== undefined && second !== undefined && first < second
    ? state_of(moments, { after: first, at: second })
    : state_of(moments, { at: second ?? first ?? 0 });
}

/** A shorter drag counts as a click. */
const PULL_MIN = 5;

function said_at(line: Line, ns: number): string {
  const slot = line.slots[slot_at(line.slots, ns)];
  if (slot === undefined) return "";
  const phase = phase_at(line, ns);
  return [
    `${said_time(line, slot.from)}: ${bytes(slot.most)} alive at most`,
    `${count(slot.blocks)} blocks as it began`,
    ...(slot.rss === undefined ? [] : [`${bytes(slot.rss)} resident`]),
    ...(slot.mapped === 0 ? [] : [`${bytes(slot.mapped)} mapped`]),
    ...(phase === undefined ? [] : [`phase ${phase.name}`]),
  ].join(", ");
}

/** Returns the cursor's position after a key; undefined if the key does not move it. */
function stepped(line: Line, span: Span, at: number, key: string): number | undefined {
  const index = slot_at(line.slots, at);
  const beside = (by: number) => line.slots[index + by]?.from ?? at;
  const far = (span.to - span.from) / 10;
  const steps: Record<string, () => number> = {
    ArrowLeft: () => beside(-1),
    ArrowDown: () => beside(-1),
    ArrowRight: () => beside(1),
    ArrowUp: () => beside(1),
    PageDown: () => at - far,
    PageUp: () => at + far,
    Home: () => span.from,
    End: () => line.slots.at(-1)?.from ?? at,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(line.from, Math.min(step(), line.to));
}

function run_title(shared: Shared, i: number): string {
  const { series, runs } = shared.profile.document;
  const run = runs[series[i]?.run ?? -1];
  const name = base_name(run?.executable ?? "") || `run ${i + 1}`;
  return [name, run?.pid ? `process ${run.pid}` : "", run?.start_ns ? date(run.start_ns) : ""]
    .filter((part) => part !== "")
    .join(", ");
}

function Choices(props: {
  at: number;
  line: Line;
  span: Span;
  here: number;
  zoom(factor: number): void;
  show(span: Span): void;
}) {
  const shared = useShared();
  const { line, span, show } = props;
  const { series, moments } = shared.profile.document;
  const choose = (...ns: number[]) => moments && shared.go({ moment: moment_near(moments, ns) });
  const far = (span.to - span.from) / 2;
  const is_whole = span.from <= line.from && span.to >= line.to;
  return (
    <div class="choices" role="toolbar" aria-label="Over time">
      {series.length > 1 && (
        <Choice
          label="Run"
          value={String(props.at)}
          of={series.map((_, i) => [String(i), run_title(shared, i)])}
          set={(run) => shared.go({ run, span: "" })}
        />
      )}
      <button type="button" onClick={() => props.zoom(0.5)}>
        Zoom in
      </button>
      <button type="button" disabled={is_whole} onClick={() => props.zoom(2)}>
        Zoom out
      </button>
      <button
        type="button"
        disabled={span.from <= line.from}
        onClick={() => show({ from: span.from - far, to: span.to - far })}
      >
        Earlier
      </button>
      <button
        type="button"
        disabled={span.to >= line.to}
        onClick={() => show({ from: span.from + far, to: span.to + far })}
      >
        Later
      </button>
      <button type="button" disabled={is_whole} onClick={() => shared.go({ span: "" })}>
        Whole run
      </button>
      {moments !== undefined && (
        <>
          <button type="button" onClick={() => choose(props.here)}>
            Blocks alive here
          </button>
          <button type="button" onClick={() => choose(span.from, span.to)}>
            Blocks allocated in this part, alive at its end
          </button>
        </>
      )}
    </div>
  );
}

export function Timeline() {
  const shared = useShared();
  const { profile, state, go } = shared;
  const { series, moments } = profile.document;
  const [place, width] = useWidth();
  const [cursor, setCursor] = useState<number>();
  const [pull, setPull] = useState<Span>();
  const at = Math.max(0, Math.min(Number(state.run) || 0, series.length - 1));
  const chosen = series[at];
  const line = useMemo(
    () => chosen && timeline_of(profile.document, chosen),
    [profile.document, chosen],
  );
  if (line === undefined) return <p ref={place}>The profile has no data over time.</p>;

  const [from, to] = numbers_of(state.span);
  const is_span = from !== undefined && to !== undefined && to > from;
  const span = fitting(line, is_span ? { from, to } : line);
  const chart = chart_of(line, span, width);
  const own = profile.document.runs[chosen?.run ?? -1]?.rss_peak_profiler ?? 0;
  const here = Math.max(span.from, Math.min(cursor ?? line.peak?.ns ?? span.from, span.to));
  const choice = choice_of(profile.document, state.moment);
  const lived = choice && {
    from: moments?.ns[choice.after ?? choice.at] ?? 0,
    to: moments?.ns[choice.at] ?? 0,
  };
  const show = (next: Span) => {
    const fit = fitting(line, next);
    go({ span: `${Math.round(fit.from)}.${Math.round(fit.to)}` });
  };
  const zoom = (factor: number) => show(zoomed(line, span, here, factor));
  const under = (event: PointerEvent): number => {
    const left = (event.currentTarget as HTMLElement).getBoundingClientRect().left + LEFT;
    const share = Math.max(0, Math.min((event.clientX - left) / chart.width, 1));
    return span.from + share * (span.to - span.from);
  };
  const choose = (ns: number) => moments && go({ moment: moment_near(moments, [ns]) });
  const moved = (event: PointerEvent) => {
    const ns = under(event);
    setCursor(ns);
    if (pull !== undefined) setPull({ from: pull.from, to: ns });
  };
  const released = () => {
    if (pull === undefined) return;
    setPull(undefined);
    if (Math.abs(chart.x(pull.to) - chart.x(pull.from)) >= PULL_MIN)
      show({ from: Math.min(pull.from, pull.to), to: Math.max(pull.from, pull.to) });
    else choose(pull.to);
  };
  const pressed = (event: KeyboardEvent) => {
    const next = stepped(line, span, here, event.key);
    if (next !== undefined) {
      setCursor(next);
      if (next < span.from || next > span.to)
        show({ from: next - (span.to - span.from) / 2, to: next + (span.to - span.from) / 2 });
    } else if (event.key === "+" || event.key === "=" || event.key === "Enter") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === " " && moments !== undefined) choose(here);
    else if (event.key === "Escape") go({ span: "" });
    else return;
    event.preventDefault();
  };

  return (
    <section aria-label="Over time">
      <Choices at={at} line={line} span={span} here={here} zoom={zoom} show={show} />
      <p class="hint" id="time-said">
        {said_at(line, here)}
      </p>
      <Legend
        of={[
          { colour: "var(--bar)", said: "bytes alive (above), blocks alive (below)" },
          ...(chart.has_rss ? [{ colour: "var(--second)", said: "resident memory, dashed" }] : []),
          ...(chart.has_mapped
            ? [{ colour: "var(--third)", said: "mapped by the program, dotted" }]
            : []),
        ]}
      />
      <div class="over-time" ref={place}>
        <div
          class="chart"
          role="slider"
          tabIndex={0}
          aria-label={`Bytes alive over time: arrows walk, plus and minus zoom, Escape shows all${moments === undefined ? "" : ", Space chooses the moment"}`}
          aria-valuemin={Math.round(span.from)}
          aria-valuemax={Math.round(span.to)}
          aria-valuenow={Math.round(here)}
          aria-valuetext={said_at(line, here)}
          onKeyDown={pressed}
          onPointerMove={moved}
          onPointerDown={(event) => setPull({ from: under(event), to: under(event) })}
          onPointerUp={released}
          onPointerLeave={() => setPull(undefined)}
        >
          {width > 0 && (
            <Drawing
              chart={chart}
              cursor={here}
              pull={pull}
              moments={moments?.ns ?? []}
              chosen={lived}
            />
          )}
        </div>
      </div>
      <p class="hint">
        Point at a moment to see its numbers. Drag over a part, or press plus and minus, to zoom.{" "}
        {moments !== undefined &&
          `A click, or Space, chooses the nearest of the ${moments.ns.length} moments below the chart: all views then have the blocks that were alive. `}
        {is_sampled(profile) && "Bytes and blocks are estimates. "}
        The runtime sampled every {time_in_steps(line.step_ns, line.step_ns / 100, line.step_ns)}.
        {chart.has_rss &&
          ` Resident memory is that of the whole process${own > 0 ? `, in which the profiler had ${bytes(own)} at the highest reading` : ", the profiler's included"}.`}
      </p>
      <Named line={line} show={show} />
      <Table line={line} slots={seen(chart, line.slots)} />
    </section>
  );
}
