/** @file The loop over batches that training, evaluation and prediction share. */
import { ValueError } from '../../core/errors.ts';
import type { HookResult } from '../callbacks/callback.ts';
import type { AnyBatch } from './batch.ts';
import { type BatchSource, freeBatch } from './data/batchSource.ts';
import type { Throttle } from './throttle.ts';

export interface BatchLoop {
  readonly op: string;
  readonly source: BatchSource;
  /** The largest number of batches; null for all. */
  readonly steps: number | null;
  /** Whether there must be exactly `steps` batches. */
  readonly strict: boolean;
  readonly throttle: Throttle;
  /** Launches the step of a batch. The batch is freed afterwards: once a promise resolved, where it returns one. */
  run(batch: AnyBatch): HookResult;
  /** Number of batches for which `before`, `after` and `stopped` are called once. */
  readonly perExecution: number;
  /** Called with the index of the first batch. */
  before?(index: number): HookResult;
  /** Called with the index of the last batch. */
  after?(index: number): HookResult;
  /** Whether to stop now. */
  stopped?(): boolean;
}

/** Returns the number of batches in one pass over the data, at most `steps`; null if unknown. */
export function batchLimit({ batches }: BatchSource, steps: number | null): number | null {
  return batches === null ? steps : Math.min(batches, steps ?? batches);
}

/** Launches all batches and resolves to their number. Errors: faults; ValueError if the data run out of batches. */
export async function runBatches(loop: BatchLoop): Promise<number> {
  const { source, steps, throttle, perExecution } = loop;
  const { device } = throttle;
  if (steps === null && source.isEndless) throw endless(loop);
  let index = 0;
  for (; steps === null || index < steps; index++) {
    // Awaiting costs a turn of the event loop, so it is done for promises only.
    // A step begins with its batch: both are one submission.
    const next = throttle.within(() => device.deferringSubmission(() => source.next()));
    const batch = next instanceof Promise ? await throttle.orAborted(next, freeLate) : next;
    if (!batch) break;
    try {
      throttle.check();
      const before = index % perExecution === 0 && loop.before?.(index);
      if (before) await before;
      // So are the ops of the step, at first: a small model is one submission, and a large one is submitted in parts.
      const running = throttle.within(() => device.deferringSubmission(() => loop.run(batch)));
      const samples = source.samples?.();
      throttle.launched(index, samples);
      if (running) {
        await running;
        throttle.launched(index, samples);
      }
    } finally {
      freeBatch(batch);
    }
    const isEnd = (index + 1) % perExecution === 0 || index + 1 === steps;
    const after = isEnd && loop.after?.(index);
    if (after) await after;
    // With automatic tuning, a slow guess then affects only the step that started the measurement.
    const measuring = device.autotuner?.measuring;
    if (measuring) await throttle.orAborted(measuring, () => {});
    const wait = throttle.step();
    if (wait) await wait;
    if (isEnd && loop.stopped?.()) return index + 1;
  }
  // Data of unknown length may end within an execution. As in Keras, `after` still gets the last index of a whole one.
  const rest = steps === null ? index % perExecution : 0;
  if (rest > 0) await loop.after?.(index - rest + perExecution - 1);
  if (index === 0 || (loop.strict && steps !== null && index !== steps)) throw ranOut(loop, index);
  return index;
}

/** Frees a batch that arrives after the run has ended. */
function freeLate(batch: AnyBatch | null): void {
  if (batch) freeBatch(batch);
}

function endless({ op, throttle }: BatchLoop): ValueError {
  return new ValueError({
    op,
    rule: 'the number of steps must be known for data without an end.',
    received: `a dataset that is repeated forever, in ${throttle.where}`,
    hint: `pass ${op === 'fit' ? 'stepsPerEpoch' : 'steps'}, or repeat the dataset a number of times.`,
  });
}

function ranOut({ op, steps, throttle }: BatchLoop, count: number): ValueError {
  return new ValueError({
    op,
    rule:
      steps === null ? 'the data must have at least one batch.' : 'the data must have a batch for each step.',
    received: `${count} batches in ${throttle.where}${steps === null ? '' : `, which has ${steps} steps`}`,
    hint:
      count === 0
        ? 'check what the generator yields. A generator can be used once only: pass the function that creates it.'
        : 'let the generator yield indefinitely, or ask for fewer steps.',
  });
}
