/** @file Functions that WGSL lacks or leaves inaccurate. */
export * from './math/activations.ts';
export * from './math/bits.ts';
export { commonForm } from './math/commonForm.ts';
export { type MathFunction, mathFunctions } from './math/define.ts';
export * from './math/divisors.ts';
export * from './math/exponential.ts';
export * from './math/floorDivision.ts';
export * from './math/folds.ts';
export * from './math/gaussian.ts';
export * from './math/power.ts';
export * from './math/random.ts';
export * from './math/trigonometric.ts';
