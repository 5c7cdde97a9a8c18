// width.ts -- the current width of an element.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function useWidth(): [preact.RefObject<HTMLDivElement>, number] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current as HTMLDivElement;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}

/** Is the screen as narrow as a phone's (see style.css)? Then there is room for few columns. */
export function is_narrow(): boolean {
  return matchMedia("(max-width: 40rem)").matches;
}

/** Is it as narrow as half of a screen? Then there is room for some. */
export function is_half(): boolean {
  return matchMedia("(max-width: 64rem)").matches;
}
