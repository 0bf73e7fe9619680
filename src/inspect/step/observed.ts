/** @file The records of a step recorder about calls, tensors and gradients. */
import type { Node } from '../../history/node.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Allocation } from './allocationLog.ts';
import type { TensorRole } from './reportData.ts';
import type { PendingStatistics } from './valueStatistics.ts';
import { avgPool } from '../../ops/pooling/avgPool.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import type { UnobservedWork } from './unobserved.ts';

/** A tensor of the step. */
export interface ObservedTensor {
  readonly id: number;
  readonly name: string | undefined;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly role: TensorRole;
  readonly maker: ObservedCall | null;
  readonly values: PendingStatistics | null;
  readonly allocation: Allocation | undefined;
  gradient: PendingStatistics | null;
  /** For a relu: the maxima of its units. */
  unitMaxima: PendingStatistics | null;
  /** For data: the maximum minus the minimum of each column, over the rows. */
  rowSpread: PendingStatistics | null;
  /** Whether a recurrent op reads it: [batch, time, …]. */
  isSequence: boolean;
  /** Squared norms of the gradient by time step. */
  squaresOverTime: Tensor | null;
}

/** A call of an op. */
export interface ObservedCall {
  readonly id: number;
  readonly op: string;
  readonly node: Node | null;
  readonly parent: Node | null;
  /** The call whose gradient it computes. */
  readonly gradientOf: Node | null;
  readonly inputs: readonly (ObservedTensor | null)[];
  outputs: readonly ObservedTensor[];
  readonly options: object;
  readonly callSite: string | undefined;
  /** Launches made before the end of the call, as the stream counts them. */
  readonly launchesBy: number;
}

/** A request for gradients from a tape. */
export interface GradientRequest {
  readonly tape: object;
  readonly targets: readonly Tensor[];
  readonly sources: readonly Tensor[];
  readonly isNull: readonly boolean[];
  readonly gradients: readonly (PendingStatistics | null)[];
}

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

/** Takes feature maps: a few channels of layers' outputs for the first sample, shown as pictures. */
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
