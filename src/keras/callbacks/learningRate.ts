/** @file The optimizer of callbacks that set the learning rate. */
import type { CallbackModel, CallbackOptimizer } from './callback.ts';
import { invalid } from './callbackOptions.ts';

/** The optimizer, whose rate can be set. Errors: ValueError if there is none, or if a schedule sets the rate. */
export function settableOptimizer(op: string, { name, optimizer }: CallbackModel): CallbackOptimizer {
  if (!optimizer) {
    throw invalid(
      op,
      'it sets the learning rate of the optimizer.',
      `'${name}', which has no optimizer`,
      "call compile({ optimizer: 'adam', … }) first.",
    );
  }
  if (!optimizer.schedule) return optimizer;
  throw invalid(
    op,
    'it sets the learning rate, so the optimizer must not have a schedule.',
    `optimizer '${optimizer.name}' with a schedule`,
    'create the optimizer with a number as learningRate.',
  );
}
