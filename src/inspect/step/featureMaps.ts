/** @file Feature maps: a few channels of layers' outputs for the first sample, shown as pictures. */
import { avgPool } from '../../ops/pooling/avgPool.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ObservedCall } from './observed.ts';
import type { UnobservedWork } from './unobserved.ts';

export interface TakenMaps {
  readonly tensor: number;
  readonly call: ObservedCall;
  /** [1, height, width, channels]. */
  readonly pixels: Tensor;
}

/** The largest number of pixels along a side: larger maps are averaged down. */
const maxPixels = 64;
/** The largest number of layers whose maps are taken. */
const maxLayers = 48;

/** Ops whose results are worth looking at. */
const picturedOps = /conv|pool|relu|activation|norm|add$|concat|resize|elu|sigmoid|tanh/i;

export class FeatureMapTaker {
  #taken = 0;

  constructor(
    private readonly unobserved: UnobservedWork,
    /** The largest number of channels per layer; 0 for none. */
    private readonly channels: number,
  ) {}

  /** Returns the maps of `output`; null if it has none. */
  take(output: Tensor, call: ObservedCall): TakenMaps | null {
    const [batch = 0, height = 0, width = 0, channels = 0] = output.shape;
    const isMap = output.rank === 4 && output.dtype === 'float32' && Math.min(height, width) > 2;
    if (!isMap || batch * channels === 0 || !picturedOps.test(call.op)) return null;
    if (this.channels === 0 || this.#taken === maxLayers) return null;
    this.#taken++;
    const count = Math.min(channels, this.channels);
    const factor = Math.ceil(Math.max(height, width) / maxPixels);
    const pixels = this.unobserved.run(() => {
      const first = slice(output, { begin: [0, 0, 0, 0], size: [1, height, width, count] });
      return factor > 1 ? avgPool(first, { poolSize: factor, strides: factor, padding: 'valid' }) : first;
    });
    return { tensor: output.id, call, pixels };
  }
}
