// data.ts -- the document inside the page, as report/document.c writes it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

export const FORMAT = "memprof report";
export const VERSION = 1;

export interface Metric {
  name: string;
  title: string;
  field: string;
  unit: string;
  total: number;
  /** Where blocks were sampled: the field with the variance of its sums. */
  variance?: string;
}

export interface Field {
  name: string;
  unit: string;
  help: string;
  total: number;
}

/** A dump of a process; what is not known is not there. */
export interface Run {
  kind: string;
  count: number;
  executable?: string;
  host?: string;
  options?: string;
  tool?: string;
  pid?: number;
  start_ns?: number;
  duration_ns?: number;
  clock_resolution_ns?: number;
  own_memory_bytes?: number;
  own_time_ns?: number;
  truncated_stacks?: number;
  dropped_blocks?: number;
  peak_bytes?: number;
  peak_ns?: number;
}

/** A run over time: columns of `slots` rows, ascending, each a slot of step_ns. A
 * column of zeros is not there; of `rss`, 0 is not known. Times are since the start
 * of the run. */
export interface Series {
  /** Index into runs. */
  run?: number;
  step_ns: number;
  slots: number;
  dropped_marks?: number;
  ns?: number[];
  /** Alive at last, and at most. */
  bytes?: number[];
  most?: number[];
  /** As the slot began. */
  blocks?: number[];
  rss?: number[];
  /** What the program named: a phase that begins (null: none any more), or a mark. */
  marks: { ns: number; bytes: number; phase?: string | null; mark?: string | null }[];
}

/** Blocks by powers of two: bucket b has the values from 2^b to below 2^(b+1),
 * bucket 0 also the value 0. */
export interface Spread {
  /** By context: the bucket + 1 of all its blocks; 0: in several, or not known. */
  only: number[];
  /** Of contexts with several: rows, contexts ascending. */
  context: number[];
  bucket: number[];
  count: number[];
}

/** Rows, contexts ascending: how many of its blocks another call stack ended. A
 * node is index + 1; 0: not known. */
export interface Links {
  context: number[];
  node: number[];
  count: number[];
  /** That were freed; of realloc: by how much the new blocks were larger. */
  bytes: number[];
}

/** The profile that the others are compared with. Fields are the metrics that both
 * hold; frames and nodes of the old profile follow those of the new one; a context is a
 * call stack of both, as the new one has it, else as the old one. */
export interface Compared {
  /** The metric to show first. */
  metric: string;
  /** The old one, and the new one. */
  sides: [Side, Side];
  /** Of the old one, by the name of the metric. */
  totals: Record<string, number>;
  runs: Run[];
  /** By context. 1: the old one has it; 2: the new one; 3: both. */
  held_by: number[];
  /** By context: bit i, that metrics[i] is not to be compared. */
  unmeasured: number[];
  /** By frame, and by node of the call that leads to it or that allocates there: equal
   * numbers are the same function, file or line. */
  functions: number[];
  files: number[];
  lines: number[];
  leaves: number[];
  /** The old one's fields. */
  before: Record<string, number[]>;
}

export interface Side {
  input: string;
  runs?: number;
  /** Its numbers, to compare them. */
  divided_by: number;
  stacks: number;
}

/** Of a context: accesses to cells of cell_bytes each. */
export interface Histogram {
  context: number;
  cell_bytes: number;
  /** The first cell of some beside each other, and their accesses. */
  cells: number[][];
  /** Of blocks that are arrays: an element's. */
  element_bytes?: number;
  /** Into strings: the members of the block, or of an element (shared/type_format.h). */
  members?: number;
}

/** Columns: what stands at one place of each is one row. Texts are indexes into
 * `strings`, of which 0 is the empty one. A node's parent is its caller's, as
 * index + 1, and always an earlier one; 0: none. */
export interface Document {
  format: string;
  version: number;
  metrics: Metric[];
  fields: Field[];
  runs: Run[];
  notes: string[];
  findings: string[];
  strings: string[];
  /** By string: of a name of C++ as `memprofdata show` shortens it, and as far as that
   * goes; "" where that is the name itself, and of other strings. */
  short: string[];
  shortest: string[];
  frames: {
    name: number[];
    file: number[];
    line: number[];
    module: number[];
    inline: number[];
    /** 1: it runs before main() or a thread's function. */
    start: number[];
  };
  nodes: { parent: number[]; frame: number[] };
  contexts: {
    node: number[];
    type: number[];
    /** The frame, as index + 1, of the function that is to be named for it. */
    site: number[];
    /** 1: the stack was cut; 2: accesses were not measured */
    flags: number[];
    fields: Record<string, number[]>;
    /** Of one profile: indexes into `verdicts` and `verdict_reasons`, and the numbers
     * behind them, null where they are not known. */
    verdict?: number[];
    why?: number[];
    verdict_numbers?: Record<string, (number | null)[]>;
  };
  verdicts?: string[];
  verdict_reasons?: { name: string; sentence: string }[];
  compared?: Compared;
  /** Lines around the frames of the largest call stacks: the number of the first, and
   * their texts. */
  sources?: {
    file: string;
    missing?: boolean;
    changed?: boolean;
    lines?: [number, ...string[]][];
  }[];
  histograms: Histogram[];
  series: Series[];
  spreads: { size?: Spread; lifetime?: Spread };
  links: { realloc: Links; free: Links };
  /** Rows: what of a context threads of a name allocated. Not there where all is of
   * one name. */
  threads?: { name: number[]; context: number[]; fields: Record<string, number[]> };
  /** Rows: what pools of a name gave out to a call stack, whose node is index + 1. */
  pools?: { name: number[]; node: number[]; fields: Record<string, number[]> };
}

function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpacked(base64: string): Promise<unknown> {
  try {
    const packed = new Blob([bytes_of(base64.trim())]).stream();
    const text = new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
    return JSON.parse(await text);
  } catch {
    throw new Error("the data in it are damaged or cut short");
  }
}

/** The document from the text of the page's data element. */
export async function decode(base64: string): Promise<Document> {
  const document = (await unpacked(base64)) as Document;

  if (document.format !== FORMAT || document.version !== VERSION)
    throw new Error(
      `its data are ${document.format} ${document.version}, and it reads ${FORMAT} ${VERSION}`,
    );
  return document;
}
