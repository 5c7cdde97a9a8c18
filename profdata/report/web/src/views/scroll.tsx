// scroll.tsx -- a scrollable area that the keyboard can scroll too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { ComponentChildren } from "preact";

export function Scroll(props: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="scroll" tabIndex={0} aria-label={props.label}>
      {props.children}
    </section>
  );
}
