/** @file Operations of graphs on images, and on the boxes in them. */
import {
  cast,
  cropAndResize,
  nonMaxSuppression,
  pad,
  type Interpolation,
  resizeBilinear,
  resizeImages,
  resizeNearest,
} from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Call, type GraphOp, type GraphOps, waiting } from '../call.ts';
import type { Made } from '../value.ts';
import { integer } from '../hostValues.ts';

function gridOf(call: Call) {
  return {
    size: [...call.numbers(1)],
    alignCorners: call.attributes.boolean('align_corners'),
    halfPixelCenters: call.attributes.boolean('half_pixel_centers'),
  };
}

/** Images of square pixels. TensorFlow has older grids, which Keras doesn't use. */
function resized(call: Call, interpolation: Interpolation, antialias = false): Tensor {
  return resizeImages(cast(call.tensor(0), 'float32'), {
    size: [...call.numbers(1)],
    interpolation,
    antialias,
  });
}

function bicubic(call: Call): Tensor {
  const isOlder = !call.attributes.boolean('half_pixel_centers') || call.attributes.boolean('align_corners');
  if (isOlder)
    throw call.unsupported('an older grid of pixels', 'resize by tf.image.resize of TensorFlow 2.');
  return resized(call, 'bicubic');
}

const kernels: Readonly<Record<string, Interpolation>> = {
  keyscubic: 'bicubic',
  lanczos3: 'lanczos3',
  lanczos5: 'lanczos5',
  triangle: 'bilinear',
};

/** Supported as `tf.image.resize` calls it: the whole image becomes the whole result. */
function scaled(call: Call): Tensor {
  const [size, scale, translation] = [1, 2, 3].map((i) => call.numbers(i)) as [number[], number[], number[]];
  const kernel = call.attributes.text('kernel_type', 'lanczos3');
  const interpolation = Object.hasOwn(kernels, kernel) ? kernels[kernel] : undefined;
  const isWhole = size.every((count, i) => {
    const ratio = count / (call.shape(0)[i + 1] as number);
    return Math.abs((scale[i] as number) - ratio) <= 1e-6 * ratio && translation[i] === 0;
  });
  if (!interpolation || !isWhole)
    throw call.unsupported(
      `a part of an image, by '${kernel}'`,
      'crop the image first, and resize all of it.',
    );
  return resized(call, interpolation, call.attributes.boolean('antialias', true));
}

/** The versions of NonMaxSuppression differ in what they take and give. */
function suppression(give: (kept: Tensor, scores: Tensor, call: Call) => readonly Made[]): GraphOp {
  const run = async (call: Call) => {
    const found = await nonMaxSuppression(call.tensor(0), call.tensor(1), {
      maxOutputSize: call.number(2),
      iouThreshold: call.number(3),
      ...(call.count > 4 ? { scoreThreshold: call.number(4) } : {}),
      ...(call.count > 5 ? { softNmsSigma: call.number(5) } : {}),
    });
    const outputs = give(...found, call);
    for (const tensor of found) if (!outputs.includes(tensor)) tensor.dispose();
    return outputs;
  };
  return waiting(run, [2, 3, 4, 5]);
}

/** The indices filled up with zeros to the largest number of boxes, and how many there are. */
function padded(kept: Tensor, call: Call): readonly Made[] {
  const count = kept.shape[0] as number;
  const isPadded = call.attributes.boolean('pad_to_max_output_size');
  const rest = isPadded ? call.number(2) - count : 0;
  return [pad(kept, { paddings: [[0, rest]] }), integer(count)];
}

export const images: GraphOps = {
  ResizeBilinear: {
    host: [1],
    run: (call) => resizeBilinear(cast(call.tensor(0), 'float32'), gridOf(call)),
  },
  ResizeNearestNeighbor: { host: [1], run: (call) => resizeNearest(call.tensor(0), gridOf(call)) },
  ResizeArea: { host: [1], run: (call) => resized(call, 'area') },
  ResizeBicubic: { host: [1], run: bicubic },
  ScaleAndTranslate: { host: [1, 2, 3], run: scaled },
  CropAndResize: {
    host: [3],
    run: (call) => {
      const [image, boxes, boxIndices] = [call.tensor(0), call.tensor(1), call.tensor(2)];
      return cropAndResize(image, boxes, boxIndices, {
        size: [...call.numbers(3)],
        interpolation: call.attributes.text('method', 'bilinear') === 'nearest' ? 'nearest' : 'bilinear',
        fillValue: call.attributes.number('extrapolation_value', 0),
      });
    },
  },
  NonMaxSuppressionV2: suppression((kept) => [kept]),
  NonMaxSuppressionV3: suppression((kept) => [kept]),
  NonMaxSuppressionV4: suppression((kept, _, call) => padded(kept, call)),
  NonMaxSuppressionV5: suppression((kept, scores) => [kept, scores, integer(kept.shape[0] as number)]),
};
