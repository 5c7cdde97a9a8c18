// whole.tsx -- a name in its short form, with the complete name as a tooltip for mouse and
// keyboard. Copied text has complete names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useEffect, useState } from "preact/hooks";
import { useShared } from "../context.ts";
import { short } from "../profile.ts";

export function Whole({ name }: { name: string }) {
  const { profile } = useShared();
  return <span title={name}>{short(profile, name)}</span>;
}

function is_cut(element: Element): boolean {
  const room = element.closest("td") ?? element;
  return room.scrollWidth > room.clientWidth || element.scrollWidth > element.clientWidth;
}

/** Returns the tooltip of the focused element or of the name in it; browsers show tooltips only to
 * mouse users. */
function title_in(element: Element): { said: string; place: DOMRect } | undefined {
  const titled = element.hasAttribute("title") ? element : element.querySelector(".name [title]");
  const said = titled?.getAttribute("title") ?? "";
  return titled === null || said === "" || (said === titled.textContent && !is_cut(titled))
    ? undefined
    : { said, place: titled.getBoundingClientRect() };
}

export function FocusTip() {
  const [tip, setTip] = useState<{ x: number; y: number; said: string }>();
  useEffect(() => {
    const came = (event: FocusEvent) => {
      const element = event.target as Element;
      const found = element.matches(":focus-visible") ? title_in(element) : undefined;
      setTip(found && { x: found.place.left, y: found.place.bottom + 4, said: found.said });
    };
    const went = () => setTip(undefined);
    document.addEventListener("focusin", came);
    document.addEventListener("focusout", went);
    return () => {
      document.removeEventListener("focusin", came);
      document.removeEventListener("focusout", went);
    };
  }, []);
  if (tip === undefined) return null;
  const left = Math.max(8, Math.min(tip.x, window.innerWidth - 340));
  return (
    <div class="tip" aria-hidden="true" style={{ left: `${left}px`, top: `${tip.y}px` }}>
      {tip.said}
    </div>
  );
}
