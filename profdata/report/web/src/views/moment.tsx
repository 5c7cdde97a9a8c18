// moment.tsx -- chooses a moment of a log, or two.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { amount, count } from "../format.ts";
import {
  type Choice as Chosen,
  choice_of,
  nearest,
  said_choice,
  said_moment,
  state_of,
} from "../moments.ts";
import { Choice } from "./choice.tsx";

function Slider(props: { label: string; value: number; set(index: number): void }) {
  const { document } = useShared().profile;
  return (
    <label class="moment">
      {props.label}{" "}
      <input
        type="range"
        min={0}
        max={(document.moments?.ns.length ?? 1) - 1}
        value={props.value}
        aria-valuetext={said_moment(document, props.value)}
        onInput={(event) => props.set(Number(event.currentTarget.value))}
      />
    </label>
  );
}

/** Says how much is chosen. */
function Said({ chosen }: { chosen: Chosen }) {
  const { profile } = useShared();
  const total = (name: string) => profile.metrics.find((m) => m.name === name)?.total ?? 0;
  const said = said_choice(profile.document, chosen);
  const all = profile.document.moments?.ns.length ?? 0;
  return (
    <output class="hint">
      {`${amount(total("bytes"), "bytes")} in ${count(total("blocks"))} blocks ${said}; ${count(all)} moments can be chosen`}
    </output>
  );
}

export function MomentChoice() {
  const { profile, state, go } = useShared();
  const { moments, runs } = profile.document;
  if (moments === undefined) return null;
  const chosen = choice_of(profile.document, state.moment);
  const last = moments.ns.length - 1;
  const set = (next: Chosen) => go({ moment: state_of(moments, next) });
  const begin = (kind: string) => {
    const at = chosen?.at ?? nearest(moments, runs[0]?.peak_ns ?? 0);
    if (kind === "") go({ moment: "" });
    else if (kind === "at") set({ at });
    else set({ after: at > 0 ? Math.floor(at / 2) : 0, at: Math.max(1, at) });
  };
  const kind = chosen === undefined ? "" : chosen.after === undefined ? "at" : "between";
  return (
    <fieldset class="controls" aria-label="Moment">
      <Choice
        label="Blocks"
        value={kind}
        of={[
          ["", "of the whole run"],
          ["at", "alive at a moment"],
          ...(last > 0
            ? [["between", "allocated in a part, still alive"] as [string, string]]
            : []),
        ]}
        set={begin}
      />
      {chosen?.after !== undefined && (
        <Slider
          label="after"
          value={chosen.after}
          set={(i) => {
            const after = Math.min(i, last - 1);
            set({ after, at: Math.max(chosen.at, after + 1) });
          }}
        />
      )}
      {chosen !== undefined && (
        <Slider
          label={chosen.after === undefined ? "moment" : "alive at"}
          value={chosen.at}
          set={(i) => {
            if (chosen.after === undefined) set({ at: i });
            else
              set({
                after: Math.min(chosen.after, Math.max(i, 1) - 1),
                at: Math.max(i, 1),
              });
          }}
        />
      )}
      {chosen !== undefined && <Said chosen={chosen} />}
    </fieldset>
  );
}
