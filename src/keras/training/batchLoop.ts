/** @file One pass of batches through a step: what training, evaluation and prediction have in common. */
import { ValueError } from '../../core/errors.ts';
import { withDevice } from '../../webgpu/device.ts';
import type { HookResult } from '../callbacks/callback.ts';
import type { Batch } from './batch.ts';
import { type BatchSource, freeBatch } from './data/batchSource.ts';
import type { Pace } from './throttle.ts';

export interface Pass {
  readonly op: string;
  readonly source: BatchSource;
  /** The most batches; null for all that there are. */
  readonly steps: number | null;
  /** Whether there must be as many batches as `steps` says. */
  readonly strict: boolean;
  readonly pace: Pace;
  /** Launches the work on a batch, which is freed afterwards. */
  run(batch: Batch): void;
  before?(index: number): HookResult;
  after?(index: number): HookResult;
  /** Whether to end after the batch that has just run. */
  stopped?(): boolean;
}

/** Batches of one pass over the data, of `steps` at the most; null where that is not known. */
export function stepsOfPass({ batches }: BatchSource, steps: number | null): number | null {
  return batches === null ? steps : Math.min(batches, steps ?? batches);
}

/** Runs the batches; resolves to their number once all are launched. Errors: faults; ValueError where batches run out. */
export async function runPass(pass: Pass): Promise<number> {
  const { source, steps, pace } = pass;
  const { device } = pace;
  let index = 0;
  for (; steps === null || index < steps; index++) {
    // Waiting costs a turn of the event loop: only where there is something to wait for.
    const next = withDevice(device, () => source.next());
    const batch = next instanceof Promise ? await pace.orAborted(next, freeLate) : next;
    if (!batch) break;
    try {
      pace.check();
      const before = pass.before?.(index);
      if (before) await before;
      withDevice(device, () => pass.run(batch));
      pace.launched(index);
    } finally {
      freeBatch(batch);
    }
    const after = pass.after?.(index);
    if (after) await after;
    // Where an app has choices measured by themselves, a wrong guess costs the one step that asked.
    const measuring = device.chooser?.measuring;
    if (measuring) await pace.orAborted(measuring, () => {});
    const wait = pace.step();
    if (wait) await wait;
    if (pass.stopped?.()) return index + 1;
  }
  if (index === 0 || (pass.strict && steps !== null && index !== steps)) throw ranOut(pass, index);
  return index;
}

/** A batch that comes when the run has ended. */
function freeLate(batch: Batch | null): void {
  if (batch) freeBatch(batch);
}

function ranOut({ op, steps, pace }: Pass, count: number): ValueError {
  return new ValueError({
    op,
    rule:
      steps === null
        ? 'data bring at least one batch.'
        : 'data bring as many batches as the steps that were asked for.',
    received: `${count} batches in ${pace.where}${steps === null ? '' : `, which has ${steps} steps`}`,
    hint:
      count === 0
        ? 'look at what the generator yields; one that was used up gives nothing more: pass the function that makes it.'
        : 'let the generator go on without end, or ask for fewer steps.',
  });
}
