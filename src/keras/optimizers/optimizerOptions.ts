/** @file The options of all optimizers, with Keras's defaults. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { Clipping } from '../../kernels/optimizers/optimizerStep.ts';
import type { ClassConfig } from '../namedObjects.ts';
import { readOptions } from '../options/option.ts';
import { flag, fraction, integer, notNegative, positive } from './optionKinds.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';
import type { StepExtras } from './stepEngine.ts';
import { fixProperties } from '../../core/unknownProperties.ts';
import { foldName } from '../../core/suggest.ts';

/** A number, or a schedule: an object, `{ className, config }`, or a function of the step. */
export type LearningRate = number | LearningRateSchedule | ClassConfig | ((step: number) => number);

/** Options of every optimizer. */
export interface OptimizerOptions {
  /** Size of a step: a number or a schedule. Default: that of the optimizer. */
  learningRate?: LearningRate;
  /** Weight decay: each step first subtracts this fraction of the variable times the learning rate. Default null. */
  weightDecay?: number | null;
  /** Maximum norm of each gradient. At most one kind of clipping can be set. Default null. */
  clipnorm?: number | null;
  /** Maximum norm of all gradients together. */
  globalClipnorm?: number | null;
  /** Maximum magnitude of each value of a gradient. */
  clipvalue?: number | null;
  /** Whether a running average of the variables is kept. Default false. */
  useEma?: boolean;
  /** Weight of the old average in the new one. Default 0.99. */
  emaMomentum?: number;
  /** Set the variables to their averages every n steps. Default null: only at the end of `fit`. */
  emaOverwriteFrequency?: number | null;
  /** Factor of the loss (`scaleLoss`), by which gradients are divided. Default null. */
  lossScaleFactor?: number | null;
  /** Number of steps between updates, each by the mean of the gradients since the last. Default null: 1. */
  gradientAccumulationSteps?: number | null;
  /** Its name in errors and files. Default: the class's name. */
  name?: string;
}

/** Option names of all optimizers. */
export const optionNames: readonly (keyof OptimizerOptions)[] = [
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

/** All options except learning rate and name, with defaults filled in. */
export type StepOptions = {
  readonly [K in Exclude<keyof OptimizerOptions, 'learningRate' | 'name'>]-?: Exclude<
    OptimizerOptions[K],
    undefined
  >;
};

const stepTable = () => ({
  weightDecay: notNegative(null),
  clipnorm: positive(null),
  globalClipnorm: positive(null),
  clipvalue: positive(null),
  useEma: flag(false),
  emaMomentum: fraction(0.99),
  emaOverwriteFrequency: integer({ default: null }),
  lossScaleFactor: positive(null),
  gradientAccumulationSteps: integer({ min: 2, default: null }),
});

/** Errors: ValueError for values out of range. */
export function completeOptions(op: string, options: OptimizerOptions): StepOptions {
  const complete = readOptions(op, stepTable(), options) as unknown as StepOptions;
  const { clipnorm, globalClipnorm, clipvalue } = complete;
  requireOneClipping(op, { clipnorm, globalClipnorm, clipvalue });
  return complete;
}

/** Returns the parts of a step that the options ask for. */
export function extrasOf(options: StepOptions): StepExtras {
  return {
    clipping: clippingOf(options),
    useEma: options.useEma,
    accumulating: options.gradientAccumulationSteps !== null,
    scaled: options.lossScaleFactor !== null,
    decayed: options.weightDecay !== null,
  };
}

function clippingOf({ clipnorm, globalClipnorm, clipvalue }: StepOptions): Clipping {
  if (clipnorm !== null) return 'norm';
  if (globalClipnorm !== null) return 'globalNorm';
  return clipvalue === null ? 'none' : 'value';
}

function requireOneClipping(op: string, clippings: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(clippings).filter(([, value]) => value !== null);
  if (given.length < 2) return;
  throw new ValueError({
    op,
    rule: 'at most one of `clipnorm`, `globalClipnorm` and `clipvalue` can be set.',
    received: given.map(([what, value]) => `${what}: ${describe(value)}`).join(', '),
    hint: 'omit all but one.',
  });
}

/** Only the learning rate can be set later: recorded steps have the other options as constants. */
const hint = 'set optimizer.learningRate; for other options make another optimizer, and compile again.';

/** Returns advice for a property `name` that an optimizer doesn't have; `own` are the options of its class. */
export function adviceOn(name: string, own: readonly string[]): string | null {
  const wanted = foldName(name);
  if (wanted === 'lr' || wanted === 'learningrate') return "did you mean 'learningRate'?";
  return [...own, ...optionNames].some((option) => foldName(option) === wanted) ? hint : null;
}

/** From here on, assignments to the options `own` throw ValueError. */
export function fixOptions(optimizer: object, own: readonly string[]): void {
  fixProperties(optimizer, own, hint);
}
