/** @file The options of `fit`. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { checkSeed } from '../../ops/define/seeds.ts';
import type { CallbackLike } from '../callbacks/callbackList.ts';
import type { ClassWeight } from './data/classWeight.ts';
import { type Data, fitOptionNames, type ValidationData } from './openData.ts';
import { checkOptions } from '../../core/options.ts';
import { requireCount, requireShare, type Verbose, verbosity } from './optionChecks.ts';

/** Options of `model.fit`. */
export interface FitOptions {
  /** Batch size. Default 32. Not allowed for data that come in batches. */
  batchSize?: number;
  /** Number of epochs, including those before `initialEpoch`. Default 1. */
  epochs?: number;
  /** 0: silent, 1: progress bar, 2: one line per epoch. Default 'auto': 1 in a terminal, 0 elsewhere. */
  verbose?: Verbose;
  /**
   * Callbacks, or an object of hooks such as { onEpochEnd }. Default: none but the progress bar and the
   * History.
   */
  callbacks?: CallbackLike | readonly CallbackLike[] | null;
  /** Fraction of the samples to hold out for validation: the last ones, before shuffling. Default 0. */
  validationSplit?: number;
  /** Validation data, instead of a fraction of the samples. */
  validationData?: ValidationData | null;
  /** Whether to shuffle samples, or whole batches, before each epoch. Default true. Not for data that come in batches. */
  shuffle?: boolean | 'batch';
  /** Seed of the shuffling: the same seed gives the same order. Default null: random. */
  seed?: number | null;
  /** Weight of each class, for a model with one output. */
  classWeight?: ClassWeight | null;
  /** Weight of each sample. */
  sampleWeight?: Data | null;
  /** The epoch to start at, to resume a run. Default 0. */
  initialEpoch?: number;
  /** Batches per epoch; each epoch continues where the previous one ended. Default: one pass over the data. */
  stepsPerEpoch?: number;
  /** Number of validation batches. Default: all. */
  validationSteps?: number;
  /** Batch size in validation. Default: `batchSize`. */
  validationBatchSize?: number;
  /** Validate every n epochs, or after the listed epochs, counted from 1. Default 1. */
  validationFreq?: number | readonly number[];
  /** Aborts between steps: the promise rejects with the signal's reason; `model.history` keeps the finished epochs. */
  signal?: AbortSignal;
}

/** Throws for options that are unknown or out of range. */
export function requireFitOptions(options: FitOptions): void {
  checkOptions('fit', options, fitOptionNames);
  const { validationSplit = 0, validationFreq = 1, shuffle = true, verbose, seed } = options;
  for (const what of ['batchSize', 'stepsPerEpoch', 'validationSteps', 'validationBatchSize'] as const) {
    requireCount('fit', what, options[what], 1);
  }
  for (const what of ['epochs', 'initialEpoch'] as const) requireCount('fit', what, options[what], 0);
  requireShare('fit', 'validationSplit', validationSplit);
  requireEpochsLeft(options);
  requireOneValidation(options);
  checkSeed('fit', seed ?? undefined);
  for (const freq of [validationFreq].flat()) requireCount('fit', 'validationFreq', freq ?? Number.NaN, 1);
  requireOne('shuffle', shuffle, [true, false, 'batch']);
  verbosity(verbose);
}

/** A resumed run may be complete already, but must not start beyond its last epoch. Errors: ValueError. */
function requireEpochsLeft({ epochs = 1, initialEpoch = 0 }: FitOptions): void {
  if (initialEpoch <= epochs) return;
  throw new ValueError({
    op: 'fit',
    rule: '`epochs` counts those before `initialEpoch`, too.',
    received: `initialEpoch: ${initialEpoch}, epochs: ${epochs}`,
    hint: `for ${epochs} more pass epochs: ${initialEpoch + epochs}.`,
  });
}

/** Errors: ValueError if validation data are given twice, or their options without data. */
function requireOneValidation(options: FitOptions): void {
  const { validationSplit = 0, validationData = null } = options;
  if (validationSplit > 0 && validationData !== null) {
    throw new ValueError({
      op: 'fit',
      rule: 'validation data are a fraction of the samples, or separate data.',
      received: `validationSplit: ${validationSplit}, and validationData`,
      hint: 'leave out one of them.',
    });
  }
  if (validationSplit > 0 || validationData !== null) return;
  const names = ['validationSteps', 'validationFreq', 'validationBatchSize'] as const;
  const unread = names.find((name) => options[name] !== undefined);
  if (unread === undefined) return;
  throw new ValueError({
    op: 'fit',
    rule: `\`${unread}\` concerns validation data.`,
    received: `${unread}: ${describe(options[unread])}, without validation data`,
    hint: 'pass validationData: [xv, yv] or validationSplit: 0.2, too, or leave it out.',
  });
}

function requireOne(what: string, value: unknown, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  throw new ValueError({
    op: 'fit',
    rule: `\`${what}\` is one of ${choices.map(describe).join(', ')}.`,
    received: `${what}: ${describe(value)}`,
    hint: 'leave it out for the default.',
  });
}
