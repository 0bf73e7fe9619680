/** @file Suggestions for misspelt names. */
import { expect, test } from 'vitest';
import { foldedName, foldName, nearestName, suggestionFor } from '../../src/core/suggest.ts';

test('spellings of one name', () => {
  for (const name of ['heNormal', 'he_normal', 'He-Normal', 'He Normal'])
    expect(foldName(name)).toBe('henormal');
  expect(foldedName('He_Normal')).toBe('henormal');
  expect(foldedName(3)).toBe(3);
});

test.each<[string, readonly string[], string | undefined]>([
  // Another spelling, a letter more, less, changed or swapped.
  ['keep_dims', ['axis', 'keepDims'], 'keepDims'],
  ['axs', ['axis', 'keepDims'], 'axis'],
  ['axiss', ['keepDims', 'axis'], 'axis'],
  ['axus', ['keepDims', 'axis'], 'axis'],
  ['aixs', ['keepDims', 'axis'], 'axis'],
  ['stirdes', ['padding', 'strides', 'stride'], 'strides'],
  // The nearest, and of equally near ones the first.
  ['filter', ['filters', 'filterz'], 'filters'],
  ['paddin', ['adding', 'padding'], 'padding'],
  // A third of the letters may differ; one may of short names.
  ['units', ['limits'], undefined],
  ['ab', ['ac'], 'ac'],
  ['ab', ['cd'], undefined],
  ['abcdef', ['abcdxy'], 'abcdxy'],
  ['abcdef', ['abcxyz'], undefined],
  ['abcdef', ['bacdxy'], undefined],
  // A part of a name, unless it is as short as two letters.
  ['dilation', ['rate', 'dilationRate'], 'dilationRate'],
  ['regularizer', ['units', 'kernelRegularizer'], 'kernelRegularizer'],
  ['di', ['dilationRate'], undefined],
  // What other libraries call it.
  ['alpha', ['negativeSlope'], 'negativeSlope'],
  ['alpha', ['rho'], 'rho'],
  ['axes', ['perm'], 'perm'],
  ['betas', ['beta1', 'beta2'], 'beta1'],
  ['bias', ['useBias'], 'useBias'],
  ['boolean', ['int32', 'bool'], 'bool'],
  ['dilations', ['dilationRate'], 'dilationRate'],
  ['dim', ['keepDims', 'axis'], 'axis'],
  ['dims', ['perm', 'axis'], 'axis'],
  ['double', ['float16', 'float32'], 'float32'],
  ['eps', ['steps', 'epsilon'], 'epsilon'],
  ['hidden_size', ['units'], 'units'],
  ['int64', ['int8', 'int32'], 'int32'],
  ['kernel_size', ['poolSize'], 'poolSize'],
  ['lr', ['learningRate'], 'learningRate'],
  ['multiples', ['reps'], 'reps'],
  ['num_classes', ['depth'], 'depth'],
  ['out_channels', ['filters'], 'filters'],
  ['out_features', ['units'], 'units'],
  ['p', ['rate'], 'rate'],
  ['scale_factor', ['size'], 'size'],
  ['sigma', ['stddev'], 'stddev'],
  ['std', ['stddev'], 'stddev'],
  ['stop', ['step', 'end'], 'end'],
  // Unless the name is there itself.
  ['Alpha', ['alpha', 'rho'], 'alpha'],
])('%s among %j', (name, names, nearest) => {
  expect(nearestName(name, names)).toBe(nearest);
});

test('a hint, for names only', () => {
  expect(suggestionFor('axs', ['axis'], 'otherwise')).toBe("did you mean 'axis'?");
  expect(suggestionFor('other', ['axis'], 'otherwise')).toBe('otherwise');
  expect(suggestionFor(3, ['axis'], 'otherwise')).toBe('otherwise');
  const long = `axis${'x'.repeat(60)}`;
  expect(suggestionFor(long, [long], 'otherwise')).toBe('otherwise');
  expect(suggestionFor(long.slice(1), [long.slice(1)], 'otherwise')).toMatch(/^did you mean/);
});
