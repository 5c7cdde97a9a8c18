// context.ts -- what all views share: the profile, what is chosen of it, and how to
// go elsewhere.
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
  /** By context: what it has of the metric; 0 where the filter leaves it out. */
  by_context: Float64Array;
  figures: Figures;
  /** Of by_context. */
  whole: number;
  chosen: Uint8Array;
  /** Of the profile that it is compared with: the same by context and by node. */
  before: Figures | undefined;
  /** Where blocks were sampled: the variances of them. */
  variance: Figures | undefined;
  stacks: Chosen;
  pattern: RegExp | undefined;
  /** Goes there; what is not named stays. */
  go(change: Partial<State>): void;
}

export const SharedContext = createContext<Shared | undefined>(undefined);

export function useShared(): Shared {
  return useContext(SharedContext) as Shared;
}
