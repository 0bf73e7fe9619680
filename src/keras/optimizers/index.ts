/** @file The optimizers. */
export { Adam, adam, type AdamOptions } from './adam.ts';
export { Optimizer, type OptimizerOptions } from './optimizer.ts';
