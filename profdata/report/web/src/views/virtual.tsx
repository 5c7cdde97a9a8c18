// virtual.tsx -- a long table that renders only its visible rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const ROW = 30;
const AROUND = 10;

/** The buttons in the rows. Only one of them can be reached with Tab, so that a long table does not
 * trap the keyboard; arrow keys move between them. */
function buttons_of(table: HTMLElement): HTMLButtonElement[] {
  return [...table.querySelectorAll<HTMLButtonElement>("tbody button")];
}

function offer_one(table: HTMLElement): void {
  const buttons = buttons_of(table);
  const stop = buttons.find((button) => button === document.activeElement) ?? buttons[0];
  for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
}

function walk(table: HTMLElement, event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const buttons = buttons_of(table);
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const is_table = document.activeElement === table;
  if (step === 0 || (at < 0 && !is_table)) return;
  const top = table.getBoundingClientRect().top + (table.querySelector("thead")?.clientHeight ?? 0);
  const seen = buttons.find((button) => button.getBoundingClientRect().top >= top);
  const next = at < 0 ? seen : buttons[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  offer_one(table);
}

export function VirtualTable(props: {
  label: string;
  count: number;
  columns: number;
  head: ComponentChildren;
  /** Returns a tr of ROW height. */
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
  useLayoutEffect(() => offer_one(place.current as HTMLElement));
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
      onKeyDown={(event) => walk(event.currentTarget, event)}
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
