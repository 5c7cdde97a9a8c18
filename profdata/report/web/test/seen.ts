// seen.ts -- how colours look, to eyes with three kinds of cones and with two.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/** Red, green and blue from 0 to 1; as they are written, or linear in light. */
export type Rgb = [number, number, number];
type Matrix = [Rgb, Rgb, Rgb];

/** Of linear colours: Machado, Oliveira and Fernandes, "A Physiologically-based Model
 * for Simulation of Color Vision Deficiency", 2009, severity 1. */
export const EYES: Record<string, Matrix> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function times(matrix: Matrix, [r, g, b]: Rgb): Rgb {
  return matrix.map(([x, y, z]) => x * r + y * g + z * b) as Rgb;
}

function linear(color: Rgb): Rgb {
  return color.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as Rgb;
}

export function rgb_of_hex(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as Rgb;
}

export function rgb_of_hsl([hue, saturation, light]: [number, number, number]): Rgb {
  const s = saturation / 100;
  const l = light / 100;
  const part = (n: number) => {
    const k = (n + hue / 30) % 12;
    return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [part(0), part(8), part(4)];
}

/** As WCAG 2 defines it, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const light = (color: Rgb) => {
    const [r, g, b] = linear(color);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const TO_XYZ: Matrix = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const WHITE: Rgb = [0.9505, 1, 1.089];

/** CIE L*a*b*, as an eye sees it. */
export function lab(color: Rgb, eye: string): Rgb {
  const seen = times(EYES[eye] as Matrix, linear(color)).map((c) => Math.max(0, Math.min(c, 1)));
  const [x, y, z] = times(TO_XYZ, seen as Rgb).map((c, i) => {
    const t = c / (WHITE[i] as number);
    return t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
  }) as Rgb;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIE 1976; 2.3 is just seen. */
export function difference(a: Rgb, b: Rgb, eye: string): number {
  const other = lab(b, eye);
  return Math.hypot(...lab(a, eye).map((n, i) => n - (other[i] as number)));
}
