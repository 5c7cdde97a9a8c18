// spread.tsx -- distributions of sizes and lifetimes, and the call stacks that ended blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { is_sampled } from "../errors.ts";
import { bytes, count, exact, percent } from "../format.ts";
import { frames_from, NONE, type Profile, text } from "../profile.ts";
import {
  type Bucket,
  context_at,
  type End,
  ends_of,
  range_of,
  type SpreadKind,
  spread_of,
  spread_of_all,
} from "../spreads.ts";
import { brief_way, place_of, StackLink } from "./stacks.tsx";
import { Whole } from "./whole.tsx";

const TITLES: Record<SpreadKind, string> = {
  size: "Blocks by size",
  lifetime: "Blocks by lifetime",
};

/** What captions of tables with blocks add. */
function estimates(profile: Profile): string {
  return is_sampled(profile) ? " (estimates)" : "";
}

function Spread({ kind, buckets }: { kind: SpreadKind; buckets: Bucket[] }) {
  const { profile } = useShared();
  if (buckets.length === 0) return null;
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const all = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  return (
    <table class="bars spread" data-spread={kind}>
      <caption>
        {TITLES[kind]}
        {estimates(profile)}
      </caption>
      <tbody>
        {buckets.map((bucket) => (
          <tr key={bucket.bucket} data-bucket={bucket.bucket}>
            <th scope="row">{range_of(kind, bucket.bucket)}</th>
            <td>
              <meter
                min={0}
                max={most || 1}
                value={bucket.count}
                aria-label={`${count(bucket.count)} blocks`}
              />
            </td>
            <td class="number" title={exact(bucket.count, "blocks")}>
              {count(bucket.count)}
            </td>
            <td class="number">{percent(bucket.count, all)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Distributions of one call stack. */
export function Spreads({ context }: { context: number }) {
  const { profile } = useShared();
  return (
    <>
      <Spread kind="size" buckets={spread_of(profile, "size", context)} />
      <Spread kind="lifetime" buckets={spread_of(profile, "lifetime", context)} />
    </>
  );
}

/** Distributions of all chosen call stacks. */
export function AllSpreads() {
  const { profile, chosen } = useShared();
  return (
    <>
      <Spread kind="size" buckets={spread_of_all(profile, "size", chosen)} />
      <Spread kind="lifetime" buckets={spread_of_all(profile, "lifetime", chosen)} />
    </>
  );
}

function Frames({ profile, node }: { profile: Profile; node: number }) {
  const { frames } = profile.document;
  return (
    <ol class="stack">
      {frames_from(profile, node).map((f, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stack never changes its order
        <li key={i}>
          <span>
            <Whole name={text(profile, frames.name[f] as number)} />
          </span>
          <small>{place_of(profile, f)}</small>
        </li>
      ))}
    </ol>
  );
}

/** The call stack that ended blocks: a link if it allocated too, else its frames. */
function Who({ node, context }: { node: number; context: number }) {
  const { profile } = useShared();
  const other = context_at(profile, node);
  if (node === NONE) return "[unknown]";
  if (other === context) return "this call stack itself";
  if (other !== NONE) return <StackLink context={other} />;
  return (
    <details>
      <summary>{brief_way(profile, node)}</summary>
      <Frames profile={profile} node={node} />
    </details>
  );
}

const ENDS_SHOWN = 20;

function EndsOf(props: { title: string; ends: End[]; more: string; context: number }) {
  const { title, ends, more, context } = props;
  const { profile } = useShared();
  if (ends.length === 0) return null;
  return (
    <table class="ends">
      <caption>
        {title}
        {estimates(profile)}
      </caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            blocks
          </th>
          <th scope="col" class="number">
            {more}
          </th>
          <th scope="col">by</th>
        </tr>
      </thead>
      <tbody>
        {ends.slice(0, ENDS_SHOWN).map((end) => (
          <tr key={end.node}>
            <td class="number">{count(end.count)}</td>
            <td class="number" title={exact(end.bytes, "bytes")}>
              {bytes(end.bytes)}
            </td>
            <td class="name">
              <Who node={end.node} context={context} />
            </td>
          </tr>
        ))}
      </tbody>
      {ends.length > ENDS_SHOWN && (
        <tfoot>
          <tr>
            <td colSpan={3}>and {count(ends.length - ENDS_SHOWN)} call stacks more</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

export function Ends({ context }: { context: number }) {
  const { links } = useShared().profile.document;
  return (
    <>
      <EndsOf
        title="Blocks that realloc replaced"
        ends={ends_of(links.realloc, context)}
        more="larger by"
        context={context}
      />
      <EndsOf
        title="Blocks that were freed"
        ends={ends_of(links.free, context)}
        more="bytes"
        context={context}
      />
    </>
  );
}
