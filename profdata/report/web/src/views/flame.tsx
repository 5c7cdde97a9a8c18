// flame.tsx -- the flame graph: the call tree as boxes, each as wide as its share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Branch, call_tree, find_branch, way_to } from "../calltree.ts";
import {
  CHANGES,
  type Colouring,
  colour_kind,
  colour_kinds,
  colours_of,
  INK,
  VERDICTS,
} from "../colours.ts";
import { change_percent, value_text } from "../compare.ts";
import { type Shared, useShared } from "../context.ts";
import { estimated, is_sampled } from "../errors.ts";
import { type Box, box_at, box_beside, boxes_of, rows_of } from "../flame_layout.ts";
import { amount, change, percent } from "../format.ts";
import {
  type Figures,
  LazyFigures,
  NONE,
  type Profile,
  short,
  shortest,
  text,
} from "../profile.ts";
import { numbers_of } from "../state.ts";
import { Choice } from "./choice.tsx";
import { Legend } from "./compared.tsx";
import { Ways } from "./ways.tsx";
import { useWidth } from "./width.ts";

const ROW = 20;
const ROWS_MAX = 1500;
const FONT = "12px system-ui, sans-serif";
const LETTERS_MIN = 20;

function label(shared: Shared, branch: Branch): string {
  return branch.name === NONE ? "all" : text(shared.profile, branch.name) || "[unknown]";
}

/** Returns the figures that determine the width of boxes, and the figures that keep a box without
 * width: for two profiles those of the new one, of the old one, or the changes. */
function widths_of(shared: Shared): [Figures, Figures | undefined] {
  const { profile, figures, before, state } = shared;
  if (before === undefined || state.width === "new") return [figures, before];
  if (state.width === "old") return [before, figures];
  const changes = figures.by_context.map((n, c) => Math.abs(n - (before.by_context[c] as number)));
  return [new LazyFigures(profile, changes), undefined];
}

/** The values before and after. */
function both(shared: Shared, branch: Branch): [number, number] {
  const { before, figures } = shared;
  return [branch.of(before ?? figures), branch.of(figures)];
}

function described_change(shared: Shared, branch: Branch): string {
  const { unit, title } = shared.metric;
  const [before, after] = both(shared, branch);
  const percent = change_percent(before, after);
  return `${label(shared, branch)}: ${title} ${value_text(shared.profile, 0, before, unit)} before, ${value_text(shared.profile, 1, after, unit)} after: ${change(before, after, unit)}${percent === "" ? "" : ` (${percent})`}`;
}

/** The text of a change in a box, if there is room. */
function short_change(shared: Shared, branch: Branch): string {
  const [before, after] = both(shared, branch);
  return before === after ? "" : `  ${change(before, after, shared.metric.unit)}`;
}

function described(shared: Shared, branch: Branch): string {
  const { profile, metric, whole, variance } = shared;
  if (shared.before !== undefined) return described_change(shared, branch);
  const own =
    shared.state.from === "down" && branch.self > 0
      ? `, ${is_sampled(profile) ? "~" : ""}${amount(branch.self, metric.unit)} self`
      : "";
  const value = estimated(profile, metric, branch.value, variance && branch.of(variance));
  return `${label(shared, branch)}: ${value}, ${percent(branch.value, whole)} of ${metric.title}${own}`;
}

/** Shortens a name to the available room; "" if the result would be meaningless. */
function shortened(
  pen: CanvasRenderingContext2D,
  profile: Profile,
  name: string,
  width: number,
): string {
  const room = width - 8;
  if (room < LETTERS_MIN) return "";
  const fitting = short(profile, name);
  if (pen.measureText(fitting).width <= room) return fitting;
  const least = shortest(profile, name);
  if (pen.measureText(least).width <= room) return least;
  let letters = least.length;
  while (letters > 2 && pen.measureText(`${least.slice(0, letters)}…`).width > room)
    letters = Math.floor(letters * 0.9);
  return letters > 2 ? `${least.slice(0, letters)}…` : "";
}

interface Drawing {
  canvas: HTMLCanvasElement;
  boxes: Box[];
  width: number;
  rows: number;
  is_upward: boolean;
  selected: Box | undefined;
}

function draw(shared: Shared, drawing: Drawing, colour: Colouring): void {
  const { canvas, boxes, width, rows } = drawing;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(rows * ROW * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${rows * ROW}px`;
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  pen.scale(scale, scale);
  pen.font = FONT;
  pen.textBaseline = "middle";
  const { pattern } = shared;
  for (const box of boxes) {
    const name = label(shared, box.branch);
    const y = (drawing.is_upward ? rows - 1 - box.row : box.row) * ROW;
    const is_match = pattern !== undefined && box.branch.name !== NONE && pattern.test(name);
    pen.fillStyle = colour(box.branch);
    pen.fillRect(box.x * width, y, Math.max(box.width * width - 1, 0.5), ROW - 1);
    if (is_match || box === drawing.selected) {
      pen.strokeStyle = INK;
      pen.lineWidth = box === drawing.selected ? 3 : 2;
      pen.strokeRect(box.x * width + 1, y + 1, Math.max(box.width * width - 3, 0.5), ROW - 3);
    }
    const added = short_change(shared, box.branch);
    const room = box.width * width;
    const full = short(shared.profile, name) + added;
    const has_room = added !== "" && pen.measureText(full).width <= room - 8;
    const said = has_room ? full : shortened(pen, shared.profile, name, room);
    if (said === "") continue;
    pen.fillStyle = INK;
    pen.fillText(said, box.x * width + 4, y + ROW / 2);
  }
}

function Choices({ is_zoomed, out }: { is_zoomed: boolean; out(): void }) {
  const { state, profile, before, go } = useShared();
  const colours = colour_kinds(profile);
  return (
    <div class="choices" role="toolbar" aria-label="Flame graph">
      <Ways />
      <Choice
        label="Layout"
        value={state.layout}
        of={[
          ["icicle", "root on top"],
          ["flame", "root at bottom"],
        ]}
        set={(layout) => go({ layout })}
      />
      <Choice
        label="Colour"
        value={colour_kind(profile, state.colour)}
        of={colours}
        set={(colour) => go({ colour })}
      />
      {before !== undefined && (
        <Choice
          label="Width"
          value={state.width}
          of={[
            ["change", "change"],
            ["new", "new profile"],
            ["old", "old profile"],
          ]}
          set={(width) => go({ width, root: "" })}
        />
      )}
      <button type="button" onClick={out} disabled={!is_zoomed}>
        Whole graph
      </button>
    </div>
  );
}

const STEPS: Record<string, Record<string, "in" | "out" | "left" | "right">> = {
  icicle: { ArrowDown: "in", ArrowUp: "out", ArrowLeft: "left", ArrowRight: "right" },
  flame: { ArrowUp: "in", ArrowDown: "out", ArrowLeft: "left", ArrowRight: "right" },
};

export function Flame() {
  const shared = useShared();
  const { profile, state, figures, stacks, before, go } = shared;
  const { width: width_of } = state;
  const colour_by = colour_kind(profile, state.colour);
  const [place, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [selected, setSelected] = useState<Branch>();
  const [tip, setTip] = useState<{ x: number; y: number; said: string }>();
  const inverted = state.from === "up";
  const folded = state.recursion === "folded";
  const root = useMemo(() => {
    const [of, other] = widths_of(shared);
    return call_tree(profile, of, stacks, { inverted, folded, beside: other });
  }, [profile, figures, stacks, before, inverted, folded, width_of]);
  const top = useMemo(() => find_branch(root, numbers_of(state.root)), [root, state.root]);
  const boxes = useMemo(() => boxes_of(top, width > 0 ? 0.7 / width : 1, ROWS_MAX), [top, width]);
  const rows = rows_of(boxes);
  const is_upward = state.layout === "flame";
  const selected_box = boxes.find((box) => box.branch === selected);

  useEffect(() => {
    if (canvas.current === null || width === 0) return;
    const colour = colours_of(shared, colour_by);
    draw(
      shared,
      { canvas: canvas.current, boxes, width, rows, is_upward, selected: selected_box },
      colour,
    );
  }, [shared, boxes, width, rows, is_upward, selected_box, colour_by]);

  const zoom = (branch: Branch) => go({ root: way_to(branch).join(".") });
  const under = (event: MouseEvent): Box | undefined => {
    const row = Math.floor(event.offsetY / ROW);
    return box_at(boxes, event.offsetX / width, is_upward ? rows - 1 - row : row);
  };
  const moved = (event: MouseEvent) => {
    const box = under(event);
    setTip(box && { x: event.clientX, y: event.clientY, said: described(shared, box.branch) });
  };
  const pressed = (event: KeyboardEvent) => {
    const step = STEPS[state.layout]?.[event.key];
    if (step !== undefined) {
      const from = selected_box ?? (boxes.find((box) => box.branch === top) as Box);
      setSelected(
        (selected_box === undefined ? from : (box_beside(boxes, from, step) ?? from)).branch,
      );
      event.preventDefault();
    } else if (event.key === "Enter" && selected_box !== undefined) zoom(selected_box.branch);
    else if (event.key === "Escape") go({ root: "" });
  };

  return (
    <section aria-label="Flame graph">
      <Choices is_zoomed={state.root !== ""} out={() => go({ root: "" })} />
      {colour_by === "change" && <Legend of={CHANGES} />}
      {colour_by === "verdict" && <Legend of={VERDICTS} />}
      <p class="hint" aria-live="polite" id="flame-said">
        {selected_box !== undefined
          ? described(shared, selected_box.branch)
          : `${described(shared, top)}. A click or Enter zooms in, arrows move, Escape shows all.`}
      </p>
      <div class="flame" ref={place}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`Flame graph of ${shared.metric.title}, ${boxes.length} boxes`}
          aria-describedby="flame-said"
          data-boxes={boxes.length}
          data-rows={rows}
          onKeyDown={pressed}
          onClick={(event) => {
            const box = under(event);
            if (box !== undefined) zoom(box.branch);
          }}
          onMouseMove={moved}
          onMouseLeave={() => setTip(undefined)}
        />
      </div>
      {tip !== undefined && (
        <div
          class="tip"
          style={{
            left: `${Math.min(tip.x + 12, window.innerWidth - 340)}px`,
            top: `${tip.y + 16}px`,
          }}
        >
          {tip.said}
        </div>
      )}
    </section>
  );
}
