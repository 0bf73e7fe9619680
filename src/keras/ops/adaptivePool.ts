/** @file Adaptive pooling of keras.ops: a given number of windows along each axis, for any input size. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type DataFormatOption, inEitherFormat } from './channels.ts';

/** Options of `adaptiveAveragePool` and `adaptiveMaxPool`. */
export interface AdaptivePoolOptions extends DataFormatOption {
  /** Windows along each axis: a number, or one for each axis. */
  outputSize: number | readonly number[];
}

type AdaptivePool = CompositeOp<[x: Tensor], AdaptivePoolOptions, Tensor, ['outputSize']>;

/** Windows along an axis: window i runs from ⌊i · size / count⌋ to ⌈(i + 1) · size / count⌉. */
interface Windows {
  /** The indices in each window; the last one is repeated so that all windows have the same number. */
  places: number[][];
  /** 1 / length for the indices of a window, 0 for repeated ones. */
  shares: number[][];
}

function windowsOf(size: number, count: number): Windows {
  const bounds = Array.from({ length: count }, (_, i) => {
    return [Math.floor((i * size) / count), Math.ceil(((i + 1) * size) / count)] as const;
  });
  const longest = Math.max(...bounds.map(([start, end]) => end - start));
  const each = <T>(make: (place: number, start: number, end: number) => T) =>
    bounds.map(([start, end]) => Array.from({ length: longest }, (_, k) => make(start + k, start, end)));
  return {
    places: each((place, _, end) => Math.min(place, end - 1)),
    shares: each((place, start, end) => (place < end ? 1 / (end - start) : 0)),
  };
}

/** Reduces windows [..., count, length, ...], where `axis` is the axis of the count. */
type Pool = (windows: Tensor, axis: number, shares: number[][]) => Tensor;

const averages: Pool = (windows, axis, shares) => {
  const [count, length] = windows.shape.slice(axis, axis + 2) as [number, number];
  const shape = windows.shape.map((_, i) => (i === axis ? count : i === axis + 1 ? length : 1));
  return sum(mul(windows, tensor(shares.flat(), { shape }) as Tensor), { axis: axis + 1 });
};

const maxima: Pool = (windows, axis) => max(windows, { axis: axis + 1 });

/* @__NO_SIDE_EFFECTS__ */
function adaptivePool(name: string, pool: Pool): AdaptivePool {
  return defineComposite(
    inEitherFormat({
      name,
      inputs: ['x'],
      options: { outputSize: true, dataFormat: false },
      compose: ([x], { outputSize }) => {
        const rank = x.shape.length - 2;
        if (rank < 1) throw noSizes(name, x);
        const counts = perAxis(name, 'outputSize', outputSize, rank as 1 | 2 | 3);
        return counts.reduce((y, count, i) => {
          const { places, shares } = windowsOf(y.shape[i + 1] as number, count);
          const windows = gather(y, tensor(places, { dtype: 'int32' }) as Tensor, { axis: i + 1 });
          return pool(windows, i + 1, shares);
        }, x);
      },
    }),
  );
}

function noSizes(op: string, x: Tensor): ShapeError {
  return new ShapeError({
    op,
    rule: 'x is [batch, ...sizes, channels].',
    received: `x ${formatShape(x.shape)}`,
    hint: 'add axes for the batch and the channels.',
  });
}

/**
 * The means of windows, `outputSize` along each axis; windows overlap where sizes can't be divided evenly. float32. Shapes: x
 * [batch, ...sizes, channels] → [batch, ...outputSize, channels]. Errors: ShapeError, ValueError, DTypeError.
 */
export const adaptiveAveragePool: AdaptivePool = /* @__PURE__ */ adaptivePool(
  'adaptiveAveragePool',
  averages,
);

/** The maxima of such windows. Shapes and errors: as of `adaptiveAveragePool`. */
export const adaptiveMaxPool: AdaptivePool = /* @__PURE__ */ adaptivePool('adaptiveMaxPool', maxima);
