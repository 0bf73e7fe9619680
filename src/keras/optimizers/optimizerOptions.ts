/** @file The options that all optimizers have, with Keras's defaults. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { Clipping } from '../../kernels/optimizerStep.ts';
import { requireKnownOptions } from '../knownOptions.ts';
import type { ClassConfig } from '../namedObjects.ts';
import { requireBoolean, requireNotNegative, requireOption, requirePositive } from './optionChecks.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';

/** A rate; a rule from the count of steps to a rate, as an object, by `{ className, config }` or as a function. */
export type LearningRate = number | LearningRateSchedule | ClassConfig | ((step: number) => number);

export interface OptimizerOptions {
  learningRate?: LearningRate;
  /** Share of a variable, times the rate, that is taken off before each step. Default null. */
  weightDecay?: number | null;
  /** The most that the length of each gradient may be. At most one of the three clippings is given. Default null. */
  clipnorm?: number | null;
  /** The most that the length of all gradients together may be. */
  globalClipnorm?: number | null;
  /** The most that the magnitude of each of a gradient's values may be. */
  clipvalue?: number | null;
  /** Whether a running average of the variables is kept. Default false. */
  useEma?: boolean;
  /** Share of the old average in the new one. Default 0.99. */
  emaMomentum?: number;
  /** Every so many steps the variables take the values of their averages. Default null: at the end of `fit` alone. */
  emaOverwriteFrequency?: number | null;
  /** What the loss is multiplied by (`scaleLoss`), and gradients are divided by. Default null. */
  lossScaleFactor?: number | null;
  /** Variables move every so many steps, by the mean of the gradients since. Default null. */
  gradientAccumulationSteps?: number | null;
  name?: string;
}

const names = [
  'learningRate',
  'weightDecay',
  'clipnorm',
  'globalClipnorm',
  'clipvalue',
  'useEma',
  'emaMomentum',
  'emaOverwriteFrequency',
  'lossScaleFactor',
  'gradientAccumulationSteps',
  'name',
];

/** The options but for the learning rate and the name, complete. */
export type StepOptions = {
  readonly [K in Exclude<keyof OptimizerOptions, 'learningRate' | 'name'>]-?: Exclude<
    OptimizerOptions[K],
    undefined
  >;
};

/** Errors: ValueError for unknown names and for values out of range. */
export function completeOptions(op: string, options: OptimizerOptions, own: readonly string[]): StepOptions {
  requireKnownOptions(op, options, [...own, ...names]);
  const {
    weightDecay = null,
    clipnorm = null,
    globalClipnorm = null,
    clipvalue = null,
    useEma = false,
    emaMomentum = 0.99,
    emaOverwriteFrequency = null,
    lossScaleFactor = null,
    gradientAccumulationSteps = null,
  } = options;
  if (weightDecay !== null) requireNotNegative(op, 'weightDecay', weightDecay);
  const clippings = { clipnorm, globalClipnorm, clipvalue };
  for (const [what, value] of Object.entries(clippings)) if (value !== null) requirePositive(op, what, value);
  requireOneClipping(op, clippings);
  requireBoolean(op, 'useEma', useEma);
  const isShare = typeof emaMomentum === 'number' && emaMomentum >= 0 && emaMomentum <= 1;
  requireOption(op, 'emaMomentum', emaMomentum, isShare, 'a number in [0, 1]');
  if (emaOverwriteFrequency !== null) requireCount(op, 'emaOverwriteFrequency', emaOverwriteFrequency, 1);
  if (lossScaleFactor !== null) requirePositive(op, 'lossScaleFactor', lossScaleFactor);
  if (gradientAccumulationSteps !== null)
    requireCount(op, 'gradientAccumulationSteps', gradientAccumulationSteps, 2);
  return {
    weightDecay,
    clipnorm,
    globalClipnorm,
    clipvalue,
    useEma,
    emaMomentum,
    emaOverwriteFrequency,
    lossScaleFactor,
    gradientAccumulationSteps,
  };
}

export function clippingOf({ clipnorm, globalClipnorm, clipvalue }: StepOptions): Clipping {
  if (clipnorm !== null) return 'norm';
  if (globalClipnorm !== null) return 'globalNorm';
  return clipvalue === null ? 'none' : 'value';
}

function requireCount(op: string, what: string, value: unknown, least: number): void {
  const isCount = Number.isInteger(value) && (value as number) >= least;
  requireOption(op, what, value, isCount, `a whole number of at least ${least}`);
}

function requireOneClipping(op: string, clippings: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(clippings).filter(([, value]) => value !== null);
  if (given.length < 2) return;
  throw new ValueError({
    op,
    rule: 'at most one of `clipnorm`, `globalClipnorm` and `clipvalue` is given.',
    received: given.map(([what, value]) => `${what}: ${describe(value)}`).join(', '),
    hint: 'leave out all but one.',
  });
}
