// heading.tsx -- the heading of a sortable column.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

export function Heading(props: {
  title: string;
  is_sorted: boolean;
  is_number: boolean;
  span?: number;
  help?: string;
  sort(): void;
}) {
  return (
    <th
      scope="col"
      colSpan={props.span ?? 1}
      class={props.is_number ? "number" : ""}
      aria-sort={props.is_sorted ? (props.is_number ? "descending" : "ascending") : "none"}
      title={props.help ?? ""}
    >
      <button type="button" class="heading" onClick={props.sort}>
        {props.title}
        <span aria-hidden="true">
          {props.is_sorted ? (props.is_number ? "\u00a0▾" : "\u00a0▴") : ""}
        </span>
      </button>
    </th>
  );
}
