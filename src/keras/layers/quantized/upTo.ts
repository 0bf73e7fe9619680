/** @file upTo: evenly spaced places. */

/** 0, step, 2 step, …: `count` numbers. */
export const upTo = (count: number, step = 1) => Array.from({ length: count }, (_, i) => i * step);
