// types.tsx -- which members of a type are accessed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import type { Row, Type } from "../data.ts";
import { amount, bytes, count, exact, percent } from "../format.ts";
import { field_of } from "../profile.ts";
import { heat_of, joint_of, line_ends_before, of_stack, unused_of } from "../types.ts";
import { Scroll } from "./scroll.tsx";
import { place_of, StackLink } from "./stacks.tsx";
import { Whole } from "./whole.tsx";

function things(number: number, thing: string, several = `${thing}s`): string {
  return `${count(number)} ${number === 1 ? thing : several}`;
}

function All({ types }: { types: Type[] }) {
  const { go } = useShared();
  const most = types.reduce((max, type) => Math.max(max, type.accesses), 1);
  return (
    <section aria-label="Types">
      <p class="hint">
        Types whose members and accesses by offset are known, by accesses of all call stacks.
      </p>
      <table class="bars types">
        <tbody>
          {types.map((type, i) => (
            <tr key={`${type.name} ${type.bytes} ${type.open}`}>
              <th scope="row">
                <button type="button" class="link" onClick={() => go({ type: String(i) })}>
                  <Whole name={type.name} />
                </button>
                {type.open && " and more"}
              </th>
              <td>
                <meter min={0} max={most} value={type.accesses} aria-label={type.name} />
              </td>
              <td class="number" title={exact(type.accesses, "accesses")}>
                {amount(type.accesses, "accesses")}
              </td>
              <td class="number">{bytes(type.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Counts({ type, row }: { type: Type; row: { accesses?: number; writes?: number } }) {
  const { accesses, writes = 0 } = row;
  const text = (number: number) => (number === 0 ? "none" : count(number));
  const known = accesses !== undefined;
  return (
    <>
      <td class="number heat" title={exact(accesses ?? 0, "accesses")}>
        {known && text(accesses)}
      </td>
      {type.rw && (
        <>
          <td class="number">{known && text(accesses - writes)}</td>
          <td class="number">{known && text(writes)}</td>
        </>
      )}
    </>
  );
}

function Member({ type, row, at }: { type: Type; row: Row; at: number }) {
  const heat = heat_of(type, row);
  const is_hole = row.name === undefined;
  return (
    <tr class={is_hole ? "hole" : ""} style={{ "--heat": `${Math.round(100 * heat)}%` }}>
      <td class="number">{count(row.from)}</td>
      <td class="number">{count(row.to - row.from)}</td>
      <td class="joint">{joint_of(type, at)}</td>
      <Counts type={type} row={row} />
      <td class="number">
        {row.accesses !== undefined && row.accesses > 0 && percent(row.accesses, type.accesses)}
      </td>
      <th scope="row" class="name">
        {row.name ?? (row.to === type.bytes ? "padding" : "hole")}
        {row.use !== undefined && <small> {row.use}</small>}
        {row.own_accesses !== undefined && (
          <small> {count(row.own_accesses)} in bytes that no other member shares</small>
        )}
      </th>
      <td class="name">{row.type}</td>
      {type.proposal !== undefined && (
        <td class="number">
          {row.proposed !== undefined && count(row.proposed)}
          {row.cold && type.proposal.hot_bytes !== undefined && "*"}
        </td>
      )}
    </tr>
  );
}

function Behind({ type }: { type: Type }) {
  const { behind } = type;
  if (behind === undefined) return null;
  return (
    <tr class="hole">
      <td class="number">{count(type.bytes)}</td>
      <td />
      <td />
      <Counts type={type} row={behind} />
      <td class="number">{behind.accesses > 0 && percent(behind.accesses, type.accesses)}</td>
      <th scope="row" class="name">
        behind it, in the same block
      </th>
      <td />
    </tr>
  );
}

function Proposal({ type }: { type: Type }) {
  const { proposal } = type;
  if (proposal === undefined) return null;
  const { hot_bytes, cold_bytes } = proposal;
  return (
    <>
      <li>
        With its members at the proposed offsets, the type has {bytes(proposal.bytes)}, and a visit
        touches {proposal.lines.toFixed(2)} cache lines instead of{" "}
        {proposal.lines_before.toFixed(2)}.
      </li>
      {hot_bytes !== undefined && cold_bytes !== undefined && (
        <li>
          With the members marked * in a block of their own, it has {bytes(hot_bytes)}, and they
          have {bytes(cold_bytes)}.
        </li>
      )}
    </>
  );
}

function Sites({ type, chosen }: { type: Type; chosen: number }) {
  const { profile, go } = useShared();
  return (
    <section>
      <h2>Call stacks that allocate it</h2>
      <ul class="said">
        {type.contexts.map((context, at) => (
          <li key={context}>
            <StackLink context={context} />{" "}
            <small>
              {place_of(profile, (profile.document.contexts.site[context] as number) - 1)}
            </small>
            {type.stacks?.[at] !== undefined && at !== chosen && (
              <>
                {" "}
                <button type="button" class="link" onClick={() => go({ site: String(context) })}>
                  {things(type.stacks[at].counted, "access", "accesses")}
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function One({ of: whole }: { of: Type }) {
  const { profile, state, go } = useShared();
  const context = state.site === "" ? -1 : Number(state.site);
  const chosen = whole.contexts.indexOf(context);
  const type = of_stack(whole, chosen);
  const blocks = type === whole ? type.blocks : field_of(profile, context, "AllocCount");
  const unused = unused_of(type);
  return (
    <section aria-label="Members">
      <div class="choices">
        <button type="button" onClick={() => go({ type: "", site: "" })}>
          ← Types
        </button>
        {type !== whole && (
          <>
            <button type="button" onClick={() => go({ site: "" })}>
              All call stacks
            </button>
            <span class="hint">
              Only accesses to the blocks of <StackLink context={context} />
            </span>
          </>
        )}
      </div>
      <h2>
        <Whole name={type.name} />
      </h2>
      <ul class="said">
        <li>
          {bytes(type.bytes)} {type.arrays && "each "}
          {type.open ? "at the start of" : "in"} {things(blocks, "block")},{" "}
          {type.at_least && "at least "}
          {things(type.accesses, "access", "accesses")}.
        </li>
        {unused.members > 0 && (
          <li>
            {things(unused.members, "member")} of {bytes(unused.bytes)} without accesses.
          </li>
        )}
        <Proposal type={type} />
      </ul>
      <Scroll label="Layout">
        <table class="layout">
          <thead>
            <tr>
              <th scope="col">offset</th>
              <th scope="col">size</th>
              <td />
              <th scope="col">accesses</th>
              {type.rw && (
                <>
                  <th scope="col">reads</th>
                  <th scope="col">writes</th>
                </>
              )}
              <th scope="col">share</th>
              <th scope="col" class="name">
                member
              </th>
              <th scope="col" class="name">
                type
              </th>
              {type.proposal !== undefined && <th scope="col">proposed offset</th>}
            </tr>
          </thead>
          <tbody>
            {type.rows.map((row, i) => [
              line_ends_before(type, i) !== undefined && (
                <tr key={`line ${row.from}`} class="line">
                  <td colSpan={10}>{count(line_ends_before(type, i) ?? 0)} bytes</td>
                </tr>
              ),
              <Member key={`${row.from} ${row.name ?? ""}`} type={type} row={row} at={i} />,
            ])}
            <Behind type={type} />
          </tbody>
        </table>
      </Scroll>
      <Sites type={whole} chosen={type === whole ? -1 : chosen} />
    </section>
  );
}

export function Types() {
  const { profile, state } = useShared();
  const types = profile.document.types ?? [];
  const type = state.type === "" ? undefined : types[Number(state.type)];
  return type === undefined ? <All types={types} /> : <One of={type} />;
}
