/** @file Measures a row at one size in this process: processor time, and the bytes that it adds at its peak. */
import fs from 'node:fs';
import process from 'node:process';
import type { ScaleRow } from './scaleRow.ts';

export interface Cost {
  /** Milliseconds of processor time, of all threads: the least of the runs. */
  readonly milliseconds: number;
  /** Bytes of the process at its peak, beyond those before the work. */
  readonly bytes: number;
  /** Milliseconds until the work was prepared, the first time. */
  readonly preparation: number;
}

declare const gc: (() => void) | undefined;

/** Runs the work of `row` at size `n` up to `runs` times, as long as less than `budget` milliseconds went by. */
export async function measure(row: ScaleRow, n: number, runs: number, budget: number): Promise<Cost> {
  let milliseconds = Number.POSITIVE_INFINITY;
  let bytes = Number.POSITIVE_INFINITY;
  let preparation = 0;
  const start = performance.now();
  for (let run = 0; run < runs && (run === 0 || performance.now() - start < budget); run++) {
    const work = await row.prepare(n);
    if (run === 0) preparation = performance.now() - start;
    gc?.();
    forgetPeak();
    const residentBefore = process.memoryUsage.rss();
    const before = process.cpuUsage();
    const held = await work();
    const { user, system } = process.cpuUsage(before);
    milliseconds = Math.min(milliseconds, (user + system) / 1000);
    if (run === 0) bytes = Math.max(0, peakBytes() - residentBefore);
    void held;
  }
  return { milliseconds, bytes, preparation };
}

/** Linux forgets the peak of a process on demand; elsewhere the peak is that since the process began. */
function forgetPeak(): void {
  if (process.platform === 'linux') fs.writeFileSync('/proc/self/clear_refs', '5');
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
