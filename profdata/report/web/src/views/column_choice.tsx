// column_choice.tsx -- chooses the columns of a table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

export interface Choosable {
  name: string;
  title: string;
  help: string;
}

export function ColumnChoice<T extends Choosable>(props: {
  all: T[];
  shown: T[];
  set(names: string[]): void;
}) {
  const { all, shown } = props;
  const toggle = (column: T) => {
    const next = shown.includes(column)
      ? shown.filter((c) => c !== column)
      : all.filter((c) => c === column || shown.includes(c));
    if (next.length > 0) props.set(next.map((c) => c.name));
  };
  return (
    <details class="column-choice">
      <summary>Columns</summary>
      <div>
        {all.map((column) => (
          <label key={column.name} title={column.help}>
            <input
              type="checkbox"
              checked={shown.includes(column)}
              onChange={() => toggle(column)}
            />{" "}
            {column.title}
          </label>
        ))}
      </div>
    </details>
  );
}
