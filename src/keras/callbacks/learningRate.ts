/** @file The learning rate of a run, for callbacks that set it. */
import type { CallbackModel, CallbackOptimizer } from './callback.ts';
import { refusal } from './callbackOptions.ts';

/** The optimizer of a model whose rate can be set. Errors: ValueError where there is none, or a schedule sets the rate. */
export function settableOptimizer(op: string, { name, optimizer }: CallbackModel): CallbackOptimizer {
  if (!optimizer) {
    throw refusal(
      op,
      'it sets the learning rate of the optimizer.',
      `'${name}', which has no optimizer`,
      "call compile({ optimizer: 'adam', … }) first.",
    );
  }
  if (!optimizer.schedule) return optimizer;
  throw refusal(
    op,
    'it sets the learning rate, so no schedule does.',
    `optimizer '${optimizer.name}' with a schedule`,
    'make the optimizer with a number as learningRate.',
  );
}
