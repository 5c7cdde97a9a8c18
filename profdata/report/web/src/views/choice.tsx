// choice.tsx -- a labelled choice between several values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

export function Choice(props: {
  label: string;
  value: string;
  of: [string, string][];
  set(value: string): void;
}) {
  return (
    <label>
      {props.label}{" "}
      <select value={props.value} onChange={(event) => props.set(event.currentTarget.value)}>
        {props.of.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
