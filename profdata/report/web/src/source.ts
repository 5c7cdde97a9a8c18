// source.ts -- the source text around a frame.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { type Profile, text } from "./profile.ts";

export interface Excerpt {
  first: number;
  lines: string[];
  is_changed: boolean;
}

const AROUND = 3;

/** Removes the indentation that all lines have in common. */
function outdented(lines: string[]): string[] {
  const plain = lines.map((line) => line.replaceAll("\t", "    "));
  const indents = plain.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const least = Math.min(...indents, 80);
  return plain.map((line) => line.slice(least));
}

/** Returns the lines around a frame; undefined if the page does not contain them. */
export function excerpt_of(profile: Profile, frame: number): Excerpt | undefined {
  const { frames, sources } = profile.document;
  const file = text(profile, frames.file[frame] as number);
  const line = frames.line[frame] as number;
  const source = sources?.find((s) => s.file === file);
  for (const [first, ...lines] of source?.lines ?? []) {
    if (line < first || line >= first + lines.length) continue;
    const from = Math.max(first, line - AROUND);
    return {
      first: from,
      lines: outdented(lines.slice(from - first, line + AROUND + 1 - first)),
      is_changed: source?.changed ?? false,
    };
  }
  return undefined;
}

/** Returns the files of a stack that memprofdata could not read. */
export function missing_files(profile: Profile, stack: number[]): string[] {
  const { frames, sources } = profile.document;
  const missing = new Set(sources?.filter((s) => s.missing).map((s) => s.file));
  const files = new Set(stack.map((f) => text(profile, frames.file[f] as number)));
  return [...files].filter((file) => missing.has(file));
}
