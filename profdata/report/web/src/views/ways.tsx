// ways.tsx -- the direction of a call tree, for all views that show one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { Choice } from "./choice.tsx";

export function Ways() {
  const { state, go } = useShared();
  return (
    <>
      <Choice
        label="From"
        value={state.from}
        of={[
          ["down", "main() to allocation"],
          ["up", "allocation to callers"],
        ]}
        set={(from) => go({ from, root: "" })}
      />
      <Choice
        label="Recursion"
        value={state.recursion}
        of={[
          ["apart", "as it is"],
          ["folded", "folded"],
        ]}
        set={(recursion) => go({ recursion, root: "" })}
      />
    </>
  );
}
