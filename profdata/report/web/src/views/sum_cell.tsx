// sum_cell.tsx -- a cell with a sum, as an estimate if blocks were sampled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { error_text, exact_error, type Kind, mark } from "../errors.ts";
import { amount, exact } from "../format.ts";

/** of: by default the chosen metric; variance: undefined if unknown. */
export function SumCell(props: { value: number; variance: number | undefined; of?: Kind }) {
  const { profile, metric } = useShared();
  const { value, variance, of = metric } = props;
  return (
    <td class="number" title={exact(value, of.unit) + exact_error(variance)}>
      {mark(profile, of, value, variance)}
      {amount(value, of.unit)}
      {variance ? (
        <>
          {" "}
          <small class="off">{error_text(variance, of.unit)}</small>
        </>
      ) : (
        ""
      )}
    </td>
  );
}
