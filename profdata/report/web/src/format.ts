// format.ts -- numbers for people, in the formats of `memprofdata show`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

const BYTES = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;

/** Three significant digits; no decimals from 100 on and for integers. */
function three(value: number, unit: string): string {
  const size = Math.abs(value);
  const places = Number.isInteger(value) || size >= 99.95 ? 0 : size < 9.995 ? 2 : 1;
  return `${value.toFixed(places)} ${unit}`;
}

export function count(value: number): string {
  const digits = Math.round(value).toFixed(0);
  return digits.length < 4 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a value per item. */
export function rate(value: number): string {
  if (value !== 0 && value < 0.005) return "<0.01";
  return value >= 99.95 ? count(value) : value < 9.995 ? value.toFixed(2) : value.toFixed(1);
}

export function bytes(amount: number): string {
  const value = Math.round(amount);
  if (Math.abs(value) < 1024) return `${value} B`;
  let rest = value / 1024;
  let unit = 0;
  while (Math.abs(rest) >= 1023.5 && unit + 1 < BYTES.length) {
    rest /= 1024;
    unit++;
  }
  return three(rest, BYTES[unit] as string);
}

export function time(amount: number): string {
  const ns = Math.round(amount);
  const s = Math.floor(ns / 1e9);
  if (ns < 1000) return `${ns} ns`;
  if (ns < 999500) return three(ns / 1e3, "us");
  if (ns < 999500000) return three(ns / 1e6, "ms");
  if (s < 100) return three(ns / 1e9, "s");
  if (s < HOUR) return `${Math.floor(s / MINUTE)} min ${s % MINUTE} s`;
  if (s < 2 * DAY) return `${Math.floor(s / HOUR)} h ${Math.floor(s / MINUTE) % 60} min`;
  return `${Math.floor(s / DAY)} days ${Math.floor(s / HOUR) % 24} h`;
}

export function amount(value: number, unit: string): string {
  if (unit === "bytes") return bytes(value);
  if (unit === "ns") return time(value);
  return count(value);
}

/** Formats the exact value, for tooltips. */
export function exact(value: number, unit: string): string {
  return `${count(value)} ${unit}`;
}

/** Formats "+1.5 KiB"; "-" for no change. */
export function change(before: number, after: number, unit: string): string {
  const difference = Math.round(after - before);
  if (difference === 0 && before === after) return "-";
  return `${after < before ? "-" : "+"}${amount(Math.abs(difference), unit)}`;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return "";
  const share = (100 * part) / whole;
  return part !== 0 && share < 0.05 ? "<0.1 %" : `${share.toFixed(1)} %`;
}

/** Formats a time in the reader's time zone. */
export function date(ns: number): string {
  return new Date(ns / 1e6).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "medium",
  });
}

export function base_name(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
