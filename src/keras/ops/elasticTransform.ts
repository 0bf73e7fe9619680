/** @file ops.image.elasticTransform: images whose pixels are shifted by smooth noise. */
import { ValueError } from '../../core/errors.ts';
import { oneOf, requireFinite, requireOneOf } from '../../core/shape.ts';
import { range } from '../../ops/creation/range.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import { type FillMode, fillModes } from '../../ops/images/fillModes.ts';
import { bell, windowed } from '../../ops/images/gaussianBlur.ts';
import { type Interpolation, sampleImages } from '../../ops/images/sampleImages.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { unstack } from '../../ops/arrangement/unstack.ts';
import { randomNormal } from '../../ops/random/random.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type DataFormatOption, inEitherFormat } from './channels.ts';
import { composeFloats } from './composites.ts';
import { ofImages } from './imageBatches.ts';

export interface ElasticTransformOptions extends DataFormatOption {
  /** The strength of the shifts. Default 20. */
  alpha?: number;
  /** The standard deviation of the noise, and of the window that smooths it, in pixels. Default 5. */
  sigma?: number;
  /** The interpolation between pixels. Default 'bilinear'. */
  interpolation?: Interpolation;
  /** What is outside of an image: see the library's `transformImages`. Default 'reflect'. */
  fillMode?: FillMode;
  /** The value of pixels outside, for fillMode 'constant'. Default 0. */
  fillValue?: number;
  /** The seed of the noise. Default: new noise in each call. */
  seed?: number;
}

/**
 * Images whose pixels are shifted down and across by `alpha` times smoothed normal noise. float32. Shapes: images [..batch, h, w, c] →
 * the same. Source: P. Simard et al., "Best Practices for Convolutional Neural Networks Applied to Visual Document Analysis", 2003.
 * Errors: ShapeError, DTypeError, ValueError; a graph has no noise of its own, so that it takes the layer.
 */
export const elasticTransform: CompositeOp<
  [images: Tensor],
  ElasticTransformOptions,
  Tensor,
  ['alpha', 'sigma', 'interpolation', 'fillMode', 'fillValue', 'seed']
> = /* @__PURE__ */ composeFloats(
  inEitherFormat(
    {
      name: 'elasticTransform',
      inputs: ['images'],
      options: {
        alpha: true,
        sigma: true,
        interpolation: true,
        fillMode: true,
        fillValue: true,
        seed: true,
        dataFormat: false,
      },
      compose: ([images], options) => {
        const op = 'elasticTransform';
        const { alpha = 20, sigma = 5, fillMode = 'reflect', fillValue = 0, seed } = options;
        const interpolation = oneOf(op, 'interpolation', options.interpolation ?? 'bilinear', [
          'bilinear',
          'nearest',
        ]);
        requireFinite(op, 'alpha', alpha);
        requireFinite(op, 'sigma', sigma, 0);
        requireFinite(op, 'fillValue', fillValue);
        requireOneOf(op, 'fillMode', fillMode, fillModes);
        if (isSymbolic(images)) throw noiseInGraph();
        return ofImages(op, images, (x) => {
          const [batch, height, width] = x.shape as [number, number, number];
          const shifts = mul(smoothNoise([batch, height, width, 2], sigma, seed), alpha);
          const [across, down] = unstack(shifts, { axis: 3 }) as [Tensor, Tensor];
          const column = reshape(range(0, width), { shape: [1, 1, width] });
          const row = reshape(range(0, height), { shape: [1, height, 1] });
          const points = stack([add(row, down), add(column, across)], { axis: -1 });
          return sampleImages(x, points, null, { size: [height, width], interpolation, fillMode, fillValue });
        });
      },
    },
    -3,
  ),
);

/** Normal values of deviation `sigma`, averaged by a Gaussian window of the same deviation. */
function smoothNoise(shape: readonly number[], sigma: number, seed?: number): Tensor {
  const noise = mul(randomNormal(shape, seed === undefined ? {} : { seed }), sigma);
  // As in Keras, an odd number of pixels, six deviations or more.
  const weights = bell(Math.trunc(6 * sigma) | 1, tensor(Math.max(sigma, 1e-12)) as Tensor);
  return windowed(noise, weights, weights);
}

const noiseInGraph = () =>
  new ValueError({
    op: 'elasticTransform',
    rule: 'its noise is new in each call, which the graph of a model would hold.',
    received: 'a symbolic tensor',
    hint: 'use layers.randomElasticTransform in models.',
  });
