// verdict.tsx -- the verdict of a call stack: cold or hot, and why.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { verdict_of, verdict_title } from "../verdict.ts";

export function VerdictPart({ context }: { context: number }) {
  const verdict = verdict_of(useShared().profile, context);
  if (verdict === undefined) return null;
  return (
    <section data-verdict={verdict.word} aria-label="Verdict">
      <h2>{verdict_title(verdict.word)}</h2>
      <p>Because {verdict.why}.</p>
      <dl>
        {verdict.numbers.map(([title, said]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{said}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
