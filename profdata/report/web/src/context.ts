// context.ts -- what all views share: the profile, the chosen call stacks, and navigation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Metric } from "./data.ts";
import type { Chosen, Figures, Profile } from "./profile.ts";
import type { State } from "./state.ts";

export interface Shared {
  profile: Profile;
  state: State;
  metric: Metric;
  /** By context: its value of the metric; 0 if filtered out. */
  by_context: Float64Array;
  figures: Figures;
  /** Sum of by_context. */
  whole: number;
  chosen: Uint8Array;
  /** The values of the old profile, by context and by node. */
  before: Figures | undefined;
  /** With sampled blocks: the variances of the values. */
  variance: Figures | undefined;
  stacks: Chosen;
  pattern: RegExp | undefined;
  /** Changes the given members of the state. */
  go(change: Partial<State>): void;
}

export const SharedContext = createContext<Shared | undefined>(undefined);

export function useShared(): Shared {
  return useContext(SharedContext) as Shared;
}
