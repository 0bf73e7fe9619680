/** @file What `fit` is told. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { checkSeed } from '../../ops/seeds.ts';
import type { CallbackLike } from '../callbacks/callbackList.ts';
import type { ClassWeight } from './data/classWeight.ts';
import type { Data, ValidationData } from './openData.ts';
import { requireKnownOptions } from '../knownOptions.ts';
import { requireCount, requireShare } from './optionChecks.ts';
import { type Verbose, verbosity } from './verbose.ts';

export interface FitOptions {
  /** Samples in a batch. Default 32. Not for batches that come ready. */
  batchSize?: number;
  /** Epochs in all, those before `initialEpoch` included. Default 1. */
  epochs?: number;
  /** 0: silent, 1: a progress bar, 2: a line an epoch. Default 'auto': 1 in a terminal, 0 elsewhere. */
  verbose?: Verbose;
  callbacks?: CallbackLike | readonly CallbackLike[] | null;
  /** The share of samples, the last ones before any shuffle, that validate and are not trained on. Default 0. */
  validationSplit?: number;
  /** What validates in place of a share of the samples. */
  validationData?: ValidationData | null;
  /** A new order of samples, or of whole batches, in every epoch. Default true. Not for batches that come ready. */
  shuffle?: boolean | 'batch';
  /** Which orders those are: the same seed gives the same run. Default: any. */
  seed?: number;
  /** What the samples of each class count; for a model with one output. */
  classWeight?: ClassWeight | null;
  /** What each sample counts. */
  sampleWeight?: Data | null;
  /** Epochs before it count as done: to go on with a run. Default 0. */
  initialEpoch?: number;
  /** Batches an epoch; an epoch goes on where the one before ended. Default: one pass over the data. */
  stepsPerEpoch?: number;
  /** Batches of validation. Default: all. */
  validationSteps?: number;
  /** Default: `batchSize`. */
  validationBatchSize?: number;
  /** After every so many epochs, or after the epochs of these numbers, counted from 1. Default 1. */
  validationFreq?: number | readonly number[];
  /** Ends the training between steps: the promise rejects with the signal's reason, `model.history` has what was done. */
  signal?: AbortSignal;
}

const known = [
  'batchSize',
  'epochs',
  'verbose',
  'callbacks',
  'validationSplit',
  'validationData',
  'shuffle',
  'seed',
  'classWeight',
  'sampleWeight',
  'initialEpoch',
  'stepsPerEpoch',
  'validationSteps',
  'validationBatchSize',
  'validationFreq',
  'signal',
];

/** Throws for options that `fit` doesn't know, or that are out of range. */
export function requireFitOptions(options: FitOptions): void {
  requireKnownOptions('fit', options, known);
  const { validationSplit = 0, validationFreq = 1, shuffle = true, verbose, seed } = options;
  for (const what of ['batchSize', 'stepsPerEpoch', 'validationSteps', 'validationBatchSize'] as const) {
    requireCount('fit', what, options[what], 1);
  }
  for (const what of ['epochs', 'initialEpoch'] as const) requireCount('fit', what, options[what], 0);
  requireShare('fit', 'validationSplit', validationSplit);
  checkSeed('fit', seed);
  for (const freq of [validationFreq].flat()) requireCount('fit', 'validationFreq', freq ?? Number.NaN, 1);
  requireOne('shuffle', shuffle, [true, false, 'batch']);
  verbosity(verbose);
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
