// sum_cell.tsx -- a cell with a sum and, with sampling, its standard error.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { error_text, exact_error } from "../errors.ts";
import { amount, exact } from "../format.ts";

/** variance: undefined without sampling. */
export function SumCell({ value, variance }: { value: number; variance: number | undefined }) {
  const { unit } = useShared().metric;
  return (
    <td class="number" title={exact(value, unit) + exact_error(variance)}>
      {amount(value, unit)}
      {variance ? (
        <>
          {" "}
          <small class="off">{error_text(variance, unit)}</small>
        </>
      ) : (
        ""
      )}
    </td>
  );
}
