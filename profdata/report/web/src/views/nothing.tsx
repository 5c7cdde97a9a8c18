// nothing.tsx -- why no call stack is shown, and how to see more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { count } from "../format.ts";

const NOT_FILTERED = ["time", "types"];

export function Nothing() {
  const { profile, state, chosen, go } = useShared();
  if (chosen.includes(1) || NOT_FILTERED.includes(state.view)) return null;
  if (profile.context_count === 0) {
    const options = profile.document.notes.filter((note) => note.includes(" filtered out "));
    return (
      <output class="hint">
        This report has no call stack
        {options.length > 0 && `: ${options.join("; ")}. A report without these options has them`}.
      </output>
    );
  }
  const filters = [
    state.filter !== "" && `only stacks with “${state.filter}”`,
    state.ignore !== "" && `no stacks with “${state.ignore}”`,
    state.thread !== "" && `thread ${state.thread}`,
  ].filter((said) => said !== false);
  return (
    <output class="hint">
      None of the {count(profile.context_count)} call stacks is left: {filters.join(", ")}.{" "}
      <button type="button" onClick={() => go({ filter: "", ignore: "", thread: "" })}>
        Show all call stacks
      </button>
    </output>
  );
}
