/** @file The names of the options of `fit`, which distinguish `fit(x, options)` from `fit(x, y)`. */

export const fitOptionNames = [
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
