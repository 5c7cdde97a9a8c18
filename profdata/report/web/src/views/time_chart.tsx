// time_chart.tsx -- draws the chart of a run over time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { bytes, count } from "../format.ts";
import {
  levels_of,
  most_of,
  path_of,
  type Span,
  said_time,
  type Timeline,
  ticks_of,
  time_in_steps,
} from "../timeline.ts";

export const LEFT = 74;
const RIGHT = 12;
const BANDS = 22;
const BYTES_HEIGHT = 240;
const BLOCKS_HEIGHT = 80;
const BETWEEN = 26;
const AXIS = 22;
const TICK_WIDTH = 110;
const LETTER = 7;
export interface Chart {
  line: Timeline;
  span: Span;
  width: number;
  /** Positions of the scales' lines; the last is the end of the scale. */
  levels: number[];
  block_levels: number[];
  has_rss: boolean;
  has_mapped: boolean;
  x(ns: number): number;
}

export function chart_of(line: Timeline, span: Span, width: number): Chart {
  const inner = Math.max(50, width - LEFT - RIGHT);
  const has_rss = line.slots.some((slot) => slot.rss !== undefined);
  const most = most_of(line.slots, span, (slot) => Math.max(slot.most, slot.rss ?? 0, slot.mapped));
  const most_blocks = most_of(line.slots, span, (slot) => slot.blocks);
  return {
    line,
    span,
    width: inner,
    levels: levels_of(most, true, 5),
    block_levels: levels_of(most_blocks, false, 4),
    has_rss,
    has_mapped: line.slots.some((slot) => slot.mapped > 0),
    x: (ns) => LEFT + ((ns - span.from) / (span.to - span.from)) * inner,
  };
}

function end_of(levels: number[]): number {
  return levels.at(-1) ?? 1;
}

/** Returns the things that overlap the visible span. */
export function seen<T extends Span>(chart: Chart, things: T[]): T[] {
  return things.filter((thing) => thing.to > chart.span.from && thing.from < chart.span.to);
}

function Phases({ chart }: { chart: Chart }) {
  const { span, x } = chart;
  return (
    <>
      {seen(chart, chart.line.phases).map((phase, i) => {
        const left = x(Math.max(span.from, phase.from));
        const width = x(Math.min(span.to, phase.to)) - left;
        const letters = Math.floor((width - 8) / LETTER);
        const name =
          phase.name.length <= letters ? phase.name : `${phase.name.slice(0, letters - 1)}…`;
        return (
          <g key={phase.from} class={i % 2 === 0 ? "phase" : "phase odd"}>
            <title>{phase.name}</title>
            <rect x={left} y={0} width={Math.max(1, width - 1)} height={BANDS - 4} />
            {letters >= 2 && (
              <text x={left + 4} y={BANDS - 9}>
                {name}
              </text>
            )}
            <line x1={left} x2={left} y1={BANDS} y2={BANDS + BYTES_HEIGHT} />
          </g>
        );
      })}
    </>
  );
}

function Marks({ chart }: { chart: Chart }) {
  const { line, span, x } = chart;
  return (
    <>
      {line.marks
        .filter((mark) => mark.ns >= span.from && mark.ns <= span.to)
        .map((mark, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two marks may be the same
          <g key={i} class="mark">
            <title>{`${mark.name}: ${said_time(line, mark.ns)}, ${bytes(mark.bytes)} alive`}</title>
            <line x1={x(mark.ns)} x2={x(mark.ns)} y1={BANDS} y2={BANDS + BYTES_HEIGHT} />
            <text
              x={x(mark.ns) > LEFT + chart.width - 90 ? x(mark.ns) - 4 : x(mark.ns) + 4}
              y={BANDS + 14 + (i % 3) * 15}
              text-anchor={x(mark.ns) > LEFT + chart.width - 90 ? "end" : "start"}
            >
              {mark.name.length > 24 ? `${mark.name.slice(0, 23)}…` : mark.name}
            </text>
          </g>
        ))}
    </>
  );
}

function Peak({ chart }: { chart: Chart }) {
  const { line, span, x, levels } = chart;
  const { peak } = line;
  if (peak === undefined || peak.ns < span.from || peak.ns > span.to) return null;
  const y = BANDS + BYTES_HEIGHT * (1 - Math.min(1, peak.bytes / end_of(levels)));
  const is_right = x(peak.ns) > LEFT + chart.width / 2;
  return (
    <g class="peak">
      <circle cx={x(peak.ns)} cy={y} r={5} />
      <text
        x={x(peak.ns) + (is_right ? -9 : 9)}
        y={Math.max(BANDS + 12, y - 4)}
        text-anchor={is_right ? "end" : "start"}
      >
        {`peak ${bytes(peak.bytes)}`}
      </text>
    </g>
  );
}

function Scale(props: {
  top: number;
  height: number;
  width: number;
  levels: number[];
  said(level: number): string;
}) {
  const { top, height, width, levels } = props;
  return (
    <g class="scale">
      <line x1={LEFT} x2={LEFT} y1={top} y2={top + height} />
      {levels.map((level) => {
        const y = top + height * (1 - level / end_of(levels));
        return (
          <g key={level}>
            <line class="level" x1={LEFT} x2={LEFT + width} y1={y} y2={y} />
            <text x={LEFT - 6} y={y + 4}>
              {props.said(level)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function Ticks({ chart, top }: { chart: Chart; top: number }) {
  const ticks = ticks_of(chart.span, chart.width / TICK_WIDTH);
  const step = (ticks[1] ?? chart.span.to) - (ticks[0] ?? 0);
  return (
    <g class="scale">
      <line x1={LEFT} x2={LEFT + chart.width} y1={top} y2={top} />
      {ticks.map((ns) => (
        <g key={ns}>
          <line x1={chart.x(ns)} x2={chart.x(ns)} y1={top} y2={top + 5} />
          <text
            x={chart.x(ns)}
            y={top + 18}
            class={chart.x(ns) > LEFT + chart.width - TICK_WIDTH / 3 ? "tick last" : "tick"}
          >
            {time_in_steps(ns, step || 1, chart.span.to)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The chosen moment, or both and what is between. */
function Lived({ chart, chosen, height }: { chart: Chart; chosen: Span; height: number }) {
  const within = (ns: number) => Math.max(chart.span.from, Math.min(ns, chart.span.to));
  const [left, right] = [chart.x(within(chosen.from)), chart.x(within(chosen.to))];
  return (
    <g class="lived">
      <rect x={left} width={right - left} y={BANDS} height={height - BANDS - AXIS} />
      {[...new Set([chosen.from, chosen.to])]
        .filter((ns) => ns === within(ns))
        .map((ns) => (
          <line key={ns} x1={chart.x(ns)} x2={chart.x(ns)} y1={BANDS} y2={height - AXIS} />
        ))}
    </g>
  );
}

export function Drawing({
  chart,
  cursor,
  pull,
  moments,
  chosen,
}: {
  chart: Chart;
  cursor: number | undefined;
  pull: Span | undefined;
  /** Moments that can be chosen. */
  moments: number[];
  chosen: Span | undefined;
}) {
  const { line, span, width, levels, block_levels, x } = chart;
  const below = BANDS + BYTES_HEIGHT + BETWEEN;
  const height = below + BLOCKS_HEIGHT + AXIS;
  const box = { width, height: BYTES_HEIGHT, most: end_of(levels) };
  const block_box = { width, height: BLOCKS_HEIGHT, most: end_of(block_levels) };
  const slots = line.slots;
  return (
    <svg width={LEFT + width + RIGHT} height={height} aria-hidden="true" data-slots={slots.length}>
      <Scale top={BANDS} height={BYTES_HEIGHT} width={width} levels={levels} said={bytes} />
      <Scale top={below} height={BLOCKS_HEIGHT} width={width} levels={block_levels} said={count} />
      <Phases chart={chart} />
      <g transform={`translate(${LEFT} ${BANDS})`}>
        <path class="alive" d={path_of(slots, span, box, (slot) => slot.most, true)} />
        {chart.has_rss && (
          <path class="rss" d={path_of(slots, span, box, (slot) => slot.rss, false)} />
        )}
        {chart.has_mapped && (
          <path class="mapped" d={path_of(slots, span, box, (slot) => slot.mapped, false)} />
        )}
      </g>
      <g transform={`translate(${LEFT} ${below})`}>
        <path class="alive" d={path_of(slots, span, block_box, (slot) => slot.blocks, true)} />
      </g>
      {chosen !== undefined && <Lived chart={chart} chosen={chosen} height={height} />}
      <Marks chart={chart} />
      <Peak chart={chart} />
      <Ticks chart={chart} top={below + BLOCKS_HEIGHT} />
      <path
        class="moments"
        d={moments
          .filter((ns) => ns >= span.from && ns <= span.to)
          .map((ns) => `M${x(ns).toFixed(1)} ${BANDS + BYTES_HEIGHT + 3}v6`)
          .join("")}
      />
      {pull !== undefined && (
        <rect
          class="pull"
          x={x(Math.min(pull.from, pull.to))}
          width={Math.abs(x(pull.to) - x(pull.from))}
          y={BANDS}
          height={height - BANDS - AXIS}
        />
      )}
      {cursor !== undefined && cursor >= span.from && cursor <= span.to && (
        <line class="cursor" x1={x(cursor)} x2={x(cursor)} y1={BANDS} y2={height - AXIS} />
      )}
    </svg>
  );
}
