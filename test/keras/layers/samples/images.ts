/** @file Samples of layers that change images, or create them from sounds. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerCase, LayerSamples } from './types.ts';

const colours = { shape: [2, 3, 4, 3], low: 0.1, high: 0.9 };
/** Channels with different values: where two are equal, hues have no gradient. */
const apart = {
  shape: [1, 2, 2, 3],
  values: [0.2, 0.5, 0.8, 0.7, 0.3, 0.5, 0.4, 0.9, 0.15, 0.85, 0.6, 0.3],
};
const unit = { valueRange: [0, 1], seed: 5 };
const trained = (options: object, more: Partial<LayerCase> = {}): LayerCase => ({
  options,
  inputs: colours,
  training: true,
  ...more,
});
/** Values that depend on ranks or bits have no gradient; others are composed of parts whose gradients are checked. */
const stepwise = { gradient: false };
const ofParts = { gradient: false, zeroBatch: false };

const bad = (options: object, why: string): BadLayerCase => ({ why, options, error: ValueError });
const vector: BadLayerCase = { why: 'a vector', inputs: { shape: [2, 3] }, error: ShapeError };
const grey: BadLayerCase = {
  why: 'images without colours',
  inputs: { shape: [1, 2, 2, 1] },
  training: true,
  error: ShapeError,
};

export const samples: LayerSamples[] = [
  {
    layer: 'autoContrast',
    cases: [{ options: { valueRange: [0, 1] }, inputs: colours, open: [1, 2] }],
    bad: [vector, bad({ valueRange: 3 }, 'a range of one number')],
  },
  {
    layer: 'equalization',
    cases: [trained({ valueRange: [0, 1], bins: 8 }, stepwise)],
    bad: [bad({ bins: 1 }, 'one bin')],
  },
  {
    layer: 'contrastLimitedAdaptiveHistogramEqualization',
    cases: [{ options: { valueRange: [0, 1], tileGridSize: [2, 2] }, inputs: colours, ...stepwise }],
    bad: [
      bad({ tileGridSize: [2] }, 'a grid of one axis'),
      bad({ clipLimit: 'none' }, 'a limit that is no number'),
    ],
  },
  {
    layer: 'solarization',
    cases: [trained({ ...unit, additionFactor: [0.1, 0.2], thresholdFactor: [0.3, 0.4] })],
    bad: [
      bad({ additionFactor: -0.1 }, 'a negative addition'),
      bad({ thresholdFactor: 2 }, 'a threshold of 2'),
    ],
  },
  {
    layer: 'randomHue',
    cases: [trained({ ...unit, factor: [0.1, 0.3] }, { inputs: apart })],
    bad: [bad({}, 'no factor'), { ...grey, options: { factor: 0.2 } }],
  },
  {
    layer: 'randomSaturation',
    cases: [trained({ ...unit, factor: [0.3, 0.4] }, { inputs: apart })],
    bad: [bad({ factor: 1.5 }, 'a factor above 1')],
  },
  {
    layer: 'randomSharpness',
    cases: [trained({ ...unit, factor: [0.4, 0.6] })],
    bad: [bad({ factor: -1 }, 'a negative factor')],
  },
  {
    layer: 'randomPosterization',
    cases: [trained({ ...unit, factor: [3, 6] }, stepwise)],
    bad: [bad({ factor: 0 }, 'no bits'), bad({ factor: [1.5, 4] }, 'half a bit')],
  },
  {
    layer: 'randomGrayscale',
    cases: [trained({ factor: 0.5, seed: 5 })],
    bad: [bad({ factor: 2 }, 'a probability of 2'), grey],
  },
  {
    layer: 'randomGaussianBlur',
    cases: [trained({ ...unit, kernelSize: [3, 1], sigma: [0.5, 0.8] })],
    bad: [bad({ kernelSize: 2 }, 'an even size'), bad({ sigma: 2 }, 'a deviation of 2')],
  },
  {
    layer: 'randomErasing',
    cases: [trained({ ...unit, fillValue: [0.1, 0.2, 0.3], factor: 0.9, scale: 0.3 })],
    bad: [bad({ fillValue: [1, 2] }, 'two values'), bad({ scale: [0, 2] }, 'a box larger than the image')],
  },
  {
    layer: 'randomElasticTransform',
    cases: [trained({ ...unit, scale: [0.9, 1], fillMode: 'mirror' }, ofParts)],
    bad: [bad({ fillMode: 'repeat' }, 'another fill'), bad({ interpolation: 'bicubic' }, 'bicubic')],
  },
  {
    layer: 'randomPerspective',
    cases: [trained({ scale: 0.3, fillValue: 0.5, seed: 5 }, ofParts)],
    bad: [bad({ scale: 2 }, 'a scale of 2'), bad({ fillValue: Number.NaN }, 'a fill of NaN')],
  },
  {
    layer: 'randomShear',
    cases: [trained({ xFactor: 0.3, yFactor: [0.1, 0.2], fillMode: 'wrap', seed: 5 }, ofParts)],
    bad: [bad({ xFactor: [-0.1, 0.2] }, 'a negative bound'), bad({ yFactor: 2 }, 'a factor of 2')],
  },
  {
    layer: 'randomColorJitter',
    cases: [trained({ ...unit, brightnessFactor: 0.1, contrastFactor: [0.1, 0.2] }, ofParts)],
    bad: [bad({ hueFactor: 2 }, 'a hue of 2')],
  },
  {
    layer: 'cutMix',
    cases: [trained({ factor: [0.8, 0.9], seed: 5 })],
    bad: [bad({ factor: 2 }, 'a factor of 2')],
  },
  {
    layer: 'mixUp',
    cases: [trained({ alpha: 0.6, seed: 5 })],
    bad: [bad({ alpha: 0 }, 'no alpha')],
  },
  {
    layer: 'randAugment',
    cases: [trained({ ...unit, numOps: 2, factor: 0.3 }, ofParts)],
    bad: [bad({ numOps: -1 }, 'less than no changes')],
  },
  {
    layer: 'augMix',
    cases: [trained({ ...unit, numChains: 2, chainDepth: 1, factor: 0.2 }, ofParts)],
    bad: [bad({ numChains: 0 }, 'no chains'), bad({ alpha: -1 }, 'a negative alpha')],
  },
  {
    layer: 'stftSpectrogram',
    cases: [
      {
        options: { mode: 'psd', frameLength: 4, expandDims: true },
        inputs: { shape: [2, 11, 2] },
        open: [1],
      },
      {
        options: { mode: 'real', frameLength: 3, frameStep: 1, padding: 'same' },
        inputs: { shape: [2, 7, 1] },
      },
    ],
    bad: [
      bad({ frameLength: 4, frameStep: 5 }, 'gaps between frames'),
      bad({ frameLength: 8, fftLength: 4 }, 'a transform shorter than a frame'),
      bad({ window: 'kaiser' }, 'a window with a parameter'),
      { ...vector, options: { frameLength: 2 } },
    ],
  },
  {
    layer: 'melSpectrogram',
    cases: [
      {
        options: { fftLength: 8, sequenceStride: 4, numMelBins: 3, powerToDb: false },
        inputs: { shape: [2, 19] },
      },
    ],
    bad: [
      bad({ fftLength: 8, sequenceLength: 16 }, 'a frame longer than a transform'),
      bad({ minFreq: 5000, maxFreq: 100 }, 'bands from high to low'),
      { ...vector, options: { fftLength: 64 } },
    ],
  },
];
