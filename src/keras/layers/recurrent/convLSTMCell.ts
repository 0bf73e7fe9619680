/** @file ConvLSTMCell: an LSTM cell whose state is an image, and whose gates are convolutions. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, type Shape } from '../../../core/shape.ts';
import { slideWindows } from '../../../core/windows.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { concat } from '../../../ops/arrangement/concat.ts';
import { conv1d } from '../../../ops/convolution/conv1d.ts';
import { conv2d } from '../../../ops/convolution/conv2d.ts';
import { conv3d } from '../../../ops/convolution/conv3d.ts';
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Activation, ActivationLike } from '../../activations.ts';
import {
  dataFormat,
  type DataFormatOptions,
  type Pair,
  type Single,
  type Triple,
} from '../base/dataFormat.ts';
import type { Steps } from './cell.ts';
import { forgetting, lstmStep } from './lstmGates.ts';
import { RecurrentCell, type RecurrentCellOptions, recurrentCellTable } from './recurrentCell.ts';
import {
  activation,
  type CallOptions,
  flag,
  integer,
  layer,
  type LayerOptions,
  oneOf,
  perAxisOf,
} from '../base/declare.ts';

/** `Size` is a number, or one per axis. */
export interface ConvLSTMCellOptions<Size> extends RecurrentCellOptions, DataFormatOptions {
  /** Channels of the state and of the output. */
  filters: number;
  /** Size of both kernels. */
  kernelSize: Size;
  /** Steps from one window of the input to the next. The state is convolved with steps of 1. Default 1. */
  strides?: Size;
  /** 'valid' takes whole windows of the input only; 'same' pads with zeros. The state is always padded. Default 'valid'. */
  padding?: 'valid' | 'same';
  /** Distance between the elements of a window of the input. Default 1; larger ones need strides of 1. */
  dilationRate?: Size;
  /** Activation of the gates. Default 'sigmoid'; null for none. */
  recurrentActivation?: ActivationLike | null;
  /** Whether the bias of the forget gate starts at 1, so that much is remembered at first. Default true. */
  unitForgetBias?: boolean;
}

/** The table of these options, for `rank` spatial axes. */
export const convLSTMCellTable = <R extends ConvLSTMRank>(rank: R) => ({
  filters: integer(),
  kernelSize: perAxisOf(rank),
  strides: perAxisOf(rank, 1),
  padding: oneOf(['valid', 'same'], 'valid'),
  dataFormat: dataFormat({ axis: -1 - rank, options: ['initialState'] }),
  dilationRate: perAxisOf(rank, 1),
  ...recurrentCellTable(),
  recurrentActivation: activation('sigmoid'),
  unitForgetBias: flag(true),
});

interface ConvolutionOptions {
  strides?: readonly number[];
  padding: 'valid' | 'same';
  dilationRate?: readonly number[];
  groups?: number;
}

type Convolution = (x: Tensor, kernel: Tensor, options: ConvolutionOptions) => Tensor;

/** The convolution op by the number of spatial axes. */
const convolutions: Readonly<Record<ConvLSTMRank, Convolution>> = {
  1: conv1d,
  2: conv2d as Convolution,
  3: conv3d,
};

/** Spatial axes: 1 for sequences, 2 for images, 3 for volumes. */
export type ConvLSTMRank = 1 | 2 | 3;

abstract class ConvLSTMCell extends RecurrentCell {
  declare readonly filters: number;
  declare readonly kernelSize: readonly number[];
  declare readonly strides: readonly number[];
  declare readonly padding: 'valid' | 'same';
  declare readonly dilationRate: readonly number[];
  declare readonly recurrentActivation: Activation;
  declare readonly unitForgetBias: boolean;
  /** Shapes of inputs and state of one sample, [...spatial, channels]; null until the cell is built. */
  #shapes: { inputs: Shape; state: Shape } | null = null;

  constructor(options: LayerOptions) {
    super(options);
    requireOneKind(this.name, this.strides, this.dilationRate);
  }

  /** The number of spatial axes. */
  get rank(): ConvLSTMRank {
    return this.kernelSize.length as ConvLSTMRank;
  }

  get stateSize(): readonly number[] {
    return [this.filters, this.filters];
  }

  protected override get stateShapes(): readonly Shape[] {
    const state = this.#shapes?.state ?? [];
    return [state, state];
  }

  override build([x]: readonly OpenShape[]): void {
    const state = this.#stateShape(x as OpenShape);
    const inputs = (x as OpenShape).slice(1) as Shape;
    this.#shapes = { inputs, state };
    const { kernelSize, filters } = this;
    const { initializer } = this.weightRules('bias');
    this.addWeights(
      [...kernelSize, inputs.at(-1) as number, 4 * filters],
      [...kernelSize, filters, 4 * filters],
      {
        shape: [4 * filters],
        initializer: this.unitForgetBias ? forgetting(initializer, filters) : initializer,
      },
    );
  }

  override steps(batchSize: number, options: CallOptions): Steps {
    const kernel = this.kernel as Variable;
    const recurrentKernel = this.recurrentKernel as Variable;
    const { strides, padding, dilationRate } = this;
    const noise = this.#noise(batchSize, options);
    return {
      project: (x) => {
        const sums = this.#convolved(x, kernel, noise.inputs, { strides, padding, dilationRate });
        return this.bias ? add(sums, this.bias) : sums;
      },
      take: (projected, [h, c]) => {
        const recurrent = this.#convolved(h as Tensor, recurrentKernel, noise.state, { padding: 'same' });
        return lstmStep(add(projected, recurrent), c as Tensor, this);
      },
    };
  }

  override computeOutputShape([x]: readonly OpenShape[]): readonly OpenShape[] {
    const shape = [x?.[0] ?? null, ...this.#stateShape(x as OpenShape)];
    return [shape, shape, shape];
  }

  /** Returns the shape of a sample's state, for inputs [batch, ...spatial, channels]. */
  #stateShape(x: OpenShape): number[] {
    const { rank, kernelSize: window, strides, padding, dilationRate: dilation, name } = this;
    const spatial = x.slice(1, -1);
    if (x.length !== rank + 2 || x.slice(1).includes(null)) {
      throw new ShapeError({
        op: name,
        rule: `its inputs have ${rank} spatial ${rank === 1 ? 'axis' : 'axes'} and channels at each time, all of known sizes: the state is as large.`,
        received: describe(x),
        hint: `give them, as in input({ shape: [null, ${new Array(rank).fill('32, ').join('')}3] }).`,
      });
    }
    const axes = slideWindows(name, spatial as Shape, { window, strides, padding, dilation });
    return [...axes.map(({ output }) => output), this.filters];
  }

  /** Draws separate noise for each gate; the factors of the gates are concatenated along the channels. */
  #noise(batchSize: number, options: CallOptions): { inputs: Tensor | null; state: Tensor | null } {
    const { inputs, state } = this.#shapes as { inputs: Shape; state: Shape };
    const forGates = (shape: Shape) => [batchSize, ...shape.slice(0, -1), 4 * (shape.at(-1) as number)];
    return {
      inputs: this.draw(forGates(inputs), this.dropout, options),
      state: this.draw(forGates(state), this.recurrentDropout, options),
    };
  }

  /** Returns the sums of the gates, for x at one time or at all of them. With noise, each gate convolves its own copy. */
  #convolved(x: Tensor, kernel: Tensor, noise: Tensor | null, windows: ConvolutionOptions): Tensor {
    const copies = noise ? cleared(x, noise) : x;
    const options = { ...windows, groups: noise ? 4 : 1 };
    const convolve = convolutions[this.rank];
    if (x.rank === this.rank + 2) return convolve(copies, kernel, options);
    const [batch, time, ...rest] = copies.shape as [number, number, ...number[]];
    const sums = convolve(reshape(copies, { shape: [batch * time, ...rest] }), kernel, options);
    return reshape(sums, { shape: [batch, time, ...sums.shape.slice(1)] });
  }
}

/** The cell of `convLSTM1d`. */
export class ConvLSTM1DCell extends /* @__PURE__ */ layer<ConvLSTMCellOptions<Single>, ConvLSTMCell>(
  'ConvLSTMCell',
  () => convLSTMCellTable(1),
  ConvLSTMCell,
) {}

/** The cell of `convLSTM2d`. */
export class ConvLSTM2DCell extends /* @__PURE__ */ layer<ConvLSTMCellOptions<Pair>, ConvLSTMCell>(
  'ConvLSTMCell',
  () => convLSTMCellTable(2),
  ConvLSTMCell,
) {}

/** The cell of `convLSTM3d`. */
export class ConvLSTM3DCell extends /* @__PURE__ */ layer<ConvLSTMCellOptions<Triple>, ConvLSTMCell>(
  'ConvLSTMCell',
  () => convLSTMCellTable(3),
  ConvLSTMCell,
) {}

/** Returns one copy of `x` for each gate, concatenated, with some values cleared, the same ones at all times. */
function cleared(x: Tensor, noise: Tensor): Tensor {
  const copies = concat([x, x, x, x], { axis: -1 });
  return mul(copies, x.rank > noise.rank ? expandDims(noise, { axis: 1 }) : noise);
}

/** As in Keras. */
function requireOneKind(op: string, strides: readonly number[], dilationRate: readonly number[]): void {
  if (strides.every((n) => n === 1) || dilationRate.every((n) => n === 1)) return;
  throw new ValueError({
    op,
    rule: '`strides` or `dilationRate` is 1.',
    received: `strides: ${describe(strides)}, dilationRate: ${describe(dilationRate)}`,
    hint: 'leave out one of them.',
  });
}
