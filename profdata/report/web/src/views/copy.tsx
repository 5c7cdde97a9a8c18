// copy.tsx -- copies a view as text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useState } from "preact/hooks";

/** The clipboard may be unavailable if the page was opened from a file. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function CopyButton({ text }: { text(): string }) {
  const [said, setSaid] = useState("");
  const [shown, setShown] = useState<string>();
  const clicked = async () => {
    const copied = text();
    if (await copy(copied)) setSaid("copied");
    else setShown(copied);
  };
  return (
    <>
      <button type="button" onClick={clicked}>
        Copy as text
      </button>
      <span aria-live="polite">{said}</span>
      {shown !== undefined && (
        <textarea
          class="copied"
          readOnly
          rows={12}
          aria-label="The view as text"
          value={shown}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  );
}
