/** @file tf.image: resizes, flips, colours, thresholds. */
import {
  defineShim,
  type Loose,
  native,
  rejectUnless,
  requireFloat,
  requireRank,
  toFloat,
  toTensor,
} from './call.ts';
import { batched } from './nn.ts';
import { notOffered } from './notOffered.ts';
import { ownedByTest } from './testScope.ts';

const resize = (name: string, of: string) =>
  defineShim(name, ['images'], (value, size, alignCorners = false, halfPixelCenters = false) => {
    const images = name === 'resizeBilinear' ? toFloat(value) : toTensor(value);
    requireRank(images, [3, 4], `Error in ${name}: x must be rank 3 or 4, but got rank ${images?.rank}.`);
    const options = { size, alignCorners, halfPixelCenters };
    return batched(images, 4, (batch) => native(of)(batch, options));
  });

/** Weights of red, green and blue in luma (CCIR 601). */
const luma = [0.2989, 0.587, 0.114];

const grayOf = (x: Loose): Loose => native('sum')(native('mul')(x, luma), { axis: -1, keepDims: true });

function requireImage(name: string, x: Loose, channels: number, kind: string): void {
  rejectUnless(x.rank >= 2, `Error in ${name}: images must be at least rank 2, but got rank ${x.rank}.`);
  const last = x.shape.at(-1);
  rejectUnless(
    last === channels,
    `Error in ${name}: last dimension of ${kind} image should be size ${channels}, but got size ${last}.`,
  );
}

/** Returns the threshold between two classes of largest variance between them; the first of several. */
function otsu(histogram: Loose, total: number): Loose {
  const counts = native('cast')(histogram, 'float32');
  const below = native('cumsum')(counts);
  const weighted = native('cumsum')(native('mul')(counts, native('range')(0, 256)));
  const above = native('sub')(total, below);
  const sum = native('slice')(weighted, { begin: 255 });
  const difference = native('sub')(
    native('div')(weighted, below),
    native('div')(native('sub')(sum, weighted), above),
  );
  const spread = native('mul')(native('mul')(below, above), native('square')(difference));
  const known = native('nanToNum')(spread, { nan: -1, posInf: -1, negInf: -1 });
  return native('cast')(native('argMax')(native('slice')(known, { begin: 0, size: 255 })), 'float32');
}

const threshold = defineShim(
  'threshold',
  ['image'],
  (value, method = 'binary', inverted = false, threshValue = 0.5) => {
    const x = toTensor(value);
    requireRank(x, [3], `Error in threshold: image must be rank 3,but got rank ${x.rank}.`);
    rejectUnless(
      [1, 3].includes(x.shape[2]),
      `Error in threshold: image color channel must be equal to 3 or 1but got ${x.shape[2]}.`,
    );
    rejectUnless(
      ['int32', 'float32'].includes(x.dtype),
      `Error in dtype: image dtype must be int32 or float32,but got dtype ${x.dtype}.`,
    );
    rejectUnless(['otsu', 'binary'].includes(method), `Method must be binary or otsu, but was ${method}`);
    const gray = x.shape[2] === 3 ? grayOf(toFloat(x)) : toFloat(x);
    const levels = native('reshape')(native('cast')(native('round')(gray), 'int32'), { shape: [-1] });
    const limit =
      method === 'otsu'
        ? otsu(native('bincount')(levels, null, { size: 256, validateIndices: false }), gray.size)
        : threshValue * 255;
    const isSet = native(inverted ? 'lessEqual' : 'greater')(gray, limit);
    return native('mul')(native('cast')(isSet, 'int32'), 255);
  },
);

const cropAndResize = defineShim(
  'cropAndResize',
  ['image', 'boxes:float32', 'boxInd:int32'],
  (value, boxes, boxInd, cropSize, method = 'bilinear', extrapolationValue = 0) =>
    native('cropAndResize')(toFloat(value), toTensor(boxes, 'float32'), toTensor(boxInd, 'int32'), {
      size: cropSize,
      interpolation: method,
      fillValue: extrapolationValue,
    }),
);

const transform = defineShim(
  'transform',
  ['image:float32', 'transforms:float32'],
  (
    value,
    transforms,
    interpolation = 'nearest',
    fillMode = 'constant',
    fillValue = 0,
    outputShape?: Loose,
  ) => {
    const options = { interpolation, fillMode, fillValue };
    const size = outputShape === undefined || outputShape === null ? {} : { outputSize: outputShape };
    return native('transformImages')(toTensor(value, 'float32'), toTensor(transforms, 'float32'), {
      ...options,
      ...size,
    });
  },
);

/** Returns the boxes that remain. TF.js's threshold is the smallest excessive overlap; here it is the largest allowed one. */
async function suppressed(name: string, args: Loose[], sigma: number): Promise<Loose> {
  const [boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = Number.NEGATIVE_INFINITY] = args;
  const call = defineShim(name, ['boxes', 'scores'], (b, s) => [
    native('nonMaxSuppression')(toTensor(b), toTensor(s), {
      maxOutputSize,
      iouThreshold,
      scoreThreshold,
      softNmsSigma: sigma,
    }),
  ]);
  return ownedByTest(await call(boxes, scores)[0]);
}

const suppression = {
  nonMaxSuppressionAsync: async (...args: Loose[]) => {
    const [indices, scores] = await suppressed('nonMaxSuppression', args, 0);
    scores.dispose();
    return indices;
  },
  nonMaxSuppressionWithScoreAsync: async (...args: Loose[]) => {
    const found = await suppressed('nonMaxSuppressionWithScore', args, args[5] ?? 0);
    return { selectedIndices: found[0], selectedScores: found[1] };
  },
  nonMaxSuppressionPaddedAsync: async (...args: Loose[]) => {
    const [indices, scores] = await suppressed('nonMaxSuppressionPadded', args, 0);
    const missing = args[5] ? args[2] - indices.size : 0;
    const selectedIndices = native('pad')(indices, { paddings: [[0, missing]] });
    const validOutputs = native('tensor')(indices.size, { dtype: 'int32' });
    for (const part of [indices, scores]) part.dispose();
    return ownedByTest({ selectedIndices, validOutputs });
  },
  nonMaxSuppression: () => notOffered('a synchronous nonMaxSuppression: its shape depends on values'),
  nonMaxSuppressionWithScore: () =>
    notOffered('a synchronous nonMaxSuppression: its shape depends on values'),
  nonMaxSuppressionPadded: () => notOffered('a synchronous nonMaxSuppression: its shape depends on values'),
};

export const image = {
  ...suppression,
  cropAndResize,
  transform,
  threshold,
  rgbToGrayscale: defineShim('RGBToGrayscale', ['image'], (value) => {
    const x = toTensor(value);
    requireImage('RGBToGrayscale', x, 3, 'an RGB');
    return native('cast')(grayOf(toFloat(x)), x.dtype);
  }),
  grayscaleToRGB: defineShim('grayscaleToRGB', ['image'], (value) => {
    const x = toTensor(value);
    requireImage('grayscaleToRGB', x, 1, 'a grayscale');
    return native('broadcastTo')(x, { shape: [...x.shape.slice(0, -1), 3] });
  }),
  resizeBilinear: resize('resizeBilinear', 'resizeBilinear'),
  resizeNearestNeighbor: resize('resizeNearestNeighbor', 'resizeNearest'),
  flipLeftRight: defineShim('flipLeftRight', ['image:float32'], (value) => {
    const x = toTensor(value);
    requireRank(x, [4], `Error in flipLeftRight: image must be rank 4,but got rank ${x.rank}.`);
    const flipped = native('flip')(x, { axis: 2 });
    requireFloat('flipLeftRight', 'image', x);
    return flipped;
  }),
};
