// looks.mjs -- runs look.mjs and the like in one process with one browser: to start both
// takes longer than most looks.
//
// usage: looks.mjs ANSWER
//
// Reads requests from standard input until it ends: the number of words, then one word
// a line: a program of this folder and its arguments. Writes what the program prints to
// the file ANSWER, then its exit status to standard output. look.sh sends a request.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { close, keep } from "../../browser.mjs";

const [answer] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await lines.next()).value;
let number = 0;

keep();
for (let count = await next(); count !== undefined; count = await next()) {
  const words = [];
  while (words.length < Number(count)) words.push(await next());
  const said = [];
  let status = 0;
  console.log = (line) => said.push(`${line}\n`);
  process.argv = [process.argv[0], ...words];
  try {
    // A module runs once for each address.
    await import(`./${words[0]}?${number++}`);
  } catch (error) {
    said.push(`${inspect(error)}\n`);
    status = 1;
  }
  writeFileSync(answer, said.join(""));
  process.stdout.write(`${status}\n`);
}
await close();
