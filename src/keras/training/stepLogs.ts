/** @file Checks what a step of a model returned. */
import { ValueError } from '../../core/errors.ts';
import { describe, hintFor } from '../../core/shape.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Logs, StepLogs } from './batch.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import { isRecord } from './perOutput.ts';

/** Throws unless `logs` is a record of tensors, or undefined. Errors: ValueError. */
export function requireStepLogs(step: string, logs: unknown): void {
  if (logs === undefined) return;
  if (logs instanceof Promise) {
    // Nothing waits for it, and an error of its own would end the process.
    logs.catch(() => {});
    throw rejected(
      step,
      'a Promise',
      'write the step without async and await: it is recorded once and replayed.',
    );
  }
  const hint =
    'return the tensor itself: the step is recorded once and replayed, so a number would stay the same. fit reads the values.';
  if (!isRecord(logs)) throw rejected(step, describe(logs), hint);
  for (const [name, value] of Object.entries(logs)) {
    if (!(value instanceof Tensor)) throw rejected(step, `${name}: ${describe(value)}`, hint);
  }
}

/**
 * Throws where a step returned nothing and its loss isn't tracked, which logs would show as 0: what is logged then is the
 * compiled loss and metrics. Errors: ValueError.
 */
export function requireTrackedLoss(step: string, logs: StepLogs, isTracked: boolean): void {
  if (isTracked || (logs && Object.keys(logs).length > 0)) return;
  throw new ValueError({
    op: step,
    rule: 'a step that returns nothing logs the loss and the metrics of compile, and must update them.',
    received: 'nothing, and a loss that was not updated',
    hint: `return the tensors to log, such as { loss }, or leave the loss to super.${step}(batch).`,
  });
}

/** Throws unless `predictStep` returned tensors. Errors: ValueError. */
export function requireOutputs(outputs: unknown): void {
  const leaves = leavesOf(outputs as Nest<unknown>, 'the result of predictStep');
  if (leaves.length > 0 && leaves.every((leaf) => leaf instanceof Tensor)) return;
  const wrong = leaves.find((leaf) => !(leaf instanceof Tensor));
  throw new ValueError({
    op: 'predictStep',
    rule: 'a step of prediction returns the outputs for its batch: a tensor, or arrays or records of tensors.',
    received: describe(leaves.length > 0 ? wrong : outputs),
    hint: hintFor(wrong, 'return this.apply(batch.x, { training: false }).'),
  });
}

function rejected(step: string, received: string, hint: string): ValueError {
  return new ValueError({
    op: step,
    rule: 'a step returns a record of tensors for the logs, such as { loss }.',
    received,
    hint,
  });
}

/** Values by name; by iteration in the order of `model.metricsNames`, as in Keras: `const [loss, accuracy] = await net.evaluate(x, y)`. */
export type ListedLogs = Logs & Iterable<number>;

/** Returns `logs`, which can then be iterated in the order of `keys`, the names of the metrics. */
export function listed(logs: Logs, keys: readonly string[]): ListedLogs {
  const values = () =>
    Object.keys(logs)
      .sort((a, b) => placeOf(a, keys) - placeOf(b, keys))
      .map((name) => logs[name] as number);
  // Hidden, so that the logs look like any other record.
  const value = () => values()[Symbol.iterator]();
  return Object.defineProperty(logs, Symbol.iterator, { value }) as ListedLogs;
}

/** Values that belong to no metric come last. */
function placeOf(name: string, keys: readonly string[]): number {
  const place = keys.indexOf(name);
  return place < 0 ? keys.length : place;
}
