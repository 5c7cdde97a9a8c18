// virtual.tsx -- a long table of which only the rows that are seen exist.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const ROW = 30;
const AROUND = 10;

export function VirtualTable(props: {
  label: string;
  count: number;
  columns: number;
  head: ComponentChildren;
  /** A tr of ROW height. */
  row(index: number): ComponentChildren;
}) {
  const place = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  useLayoutEffect(() => {
    const element = place.current as HTMLElement;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.min(Math.floor(top / ROW) - AROUND, props.count - 1));
  const last = Math.min(props.count, Math.ceil((top + height) / ROW) + AROUND);
  const rows: ComponentChildren[] = [];
  for (let i = first; i < last; i++) rows.push(props.row(i));
  return (
    <section
      class="virtual"
      ref={place}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
      aria-label={props.label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={props.count + 1}>
        <thead>{props.head}</thead>
        <tbody>
          <tr class="space">
            <td colSpan={props.columns} style={{ height: `${first * ROW}px` }} />
          </tr>
          {rows}
          <tr class="space">
            <td colSpan={props.columns} style={{ height: `${(props.count - last) * ROW}px` }} />
          </tr>
        </tbody>
      </table>
    </section>
  );
}
