// threads.test.ts -- what is known by thread and by pool.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { groups_of } from "../src/groups.ts";
import {
  hiding,
  matching,
  metric_named,
  type Profile,
  profile_of,
  values,
} from "../src/profile.ts";
import {
  groups_of_pools,
  groups_of_threads,
  has_thread,
  NO_THREAD,
  of_thread,
  thread_names,
} from "../src/threads.ts";
import { small } from "./small.ts";

/** main has 60 of the first call stack, worker 30 of it and all of the second. */
function threaded(): Profile {
  const document = small();
  const [main, worker, pool] = [10, 11, 12];
  document.strings.push("main thread", "worker", "arena");
  document.threads = {
    name: [main, worker, worker],
    context: [0, 0, 1],
    fields: { TotalSize: [60, 30, 30], AllocCount: [6, 3, 1] },
  };
  document.pools = { name: [pool, pool], node: [2, 3], fields: { TotalSize: [5, 6] } };
  return profile_of(document);
}

const profile = threaded();
const bytes = metric_named(profile, "bytes");
const all = matching(profile, undefined);

test("threads, and what no thread is known of, are the whole", () => {
  const groups = groups_of_threads(profile, bytes, values(profile, bytes, all), all);
  assert.deepEqual(
    groups.map((g) => [g.name, g.self, g.contexts]),
    [
      ["main thread", 60, 1],
      ["worker", 60, 2],
      [NO_THREAD, 67, 3],
    ],
  );
  const some = Uint8Array.from([0, 1, 0, 0]);
  assert.deepEqual(
    groups_of_threads(profile, bytes, values(profile, bytes, some), some).map((g) => g.name),
    ["worker"],
  );
});

test("a thread is a profile of its own, with nothing that is not its", () => {
  assert.deepEqual(thread_names(profile), ["main thread", "worker"]);
  const worker = of_thread(profile, "worker");
  assert.deepEqual(
    worker.metrics.map((m) => [m.name, m.total]),
    [
      ["bytes", 60],
      ["blocks", 4],
    ],
  );
  assert.deepEqual([...has_thread(profile, "worker")], [1, 1, 0, 0]);
  const chosen = has_thread(profile, "worker");
  const groups = groups_of(
    hiding(worker, false, undefined),
    "function",
    values(worker, bytes, chosen),
  );
  assert.deepEqual(
    groups.filter((g) => g.self > 0).map((g) => [g.name, g.self]),
    [["new_node", 60]],
  );
  assert.equal(worker.document.verdicts, undefined);
  assert.equal(of_thread(profile, "nobody"), profile);
});

test("pools say what is known of them, and no more", () => {
  assert.deepEqual(groups_of_pools(profile, bytes), [
    { name: "arena", self: 11, total: 11, contexts: 2 },
  ]);
  assert.equal(groups_of_pools(profile, metric_named(profile, "blocks")), undefined);
  assert.equal(groups_of_pools(profile_of(small()), bytes), undefined);
});
