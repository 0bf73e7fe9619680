/** @file ConvLSTM1D, ConvLSTM2D, ConvLSTM3D and their cell: an LSTM whose state is an image, and whose gates are convolutions. */
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
import { forgetting, lstmStep } from './lstm.ts';
import { RecurrentCell, type RecurrentCellOptions, recurrentCellTable } from './recurrentCell.ts';
import {
  activation,
  type CallOptions,
  flag,
  type InputSpec,
  integer,
  layer,
  type LayerOptions,
  oneOf,
  perAxisOf,
} from '../base/declare.ts';
import { byState } from './byState.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import { type RecurrentOptions, type RecurrentOutput, RNN } from './rnn.ts';

/** `Size` is a number, or one per axis. */
interface ConvLSTMCellOptions<Size> extends RecurrentCellOptions, DataFormatOptions {
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
const convLSTMCellTable = <R extends ConvLSTMRank>(rank: R) => ({
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
type ConvLSTMRank = 1 | 2 | 3;

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
class ConvLSTM1DCell extends /* @__PURE__ */ layer<ConvLSTMCellOptions<Single>, ConvLSTMCell>(
  'ConvLSTMCell',
  () => convLSTMCellTable(1),
  ConvLSTMCell,
) {}

/** The cell of `convLSTM2d`. */
class ConvLSTM2DCell extends /* @__PURE__ */ layer<ConvLSTMCellOptions<Pair>, ConvLSTMCell>(
  'ConvLSTMCell',
  () => convLSTMCellTable(2),
  ConvLSTMCell,
) {}

/** The cell of `convLSTM3d`. */
class ConvLSTM3DCell extends /* @__PURE__ */ layer<ConvLSTMCellOptions<Triple>, ConvLSTMCell>(
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

interface ConvLSTMOptions<Size> extends ConvLSTMCellOptions<Size>, RecurrentOptions {}

/** Options that may be passed by position. */
type ConvLSTMPositions = ['filters', 'kernelSize', 'strides', 'padding'];

abstract class ConvLSTM extends RNN {
  override build(inputShape: OpenShape): void {
    super.build(inputShape);
    // The state is as large as the inputs that it was built with.
    const sizes = inputShape.slice(2).map((size, i) => [i + 2, size as number]);
    this.inputSpec = [{ rank: inputShape.length, axes: Object.fromEntries(sizes) }];
  }
}

const cellOf = <R extends ConvLSTMRank, C>(type: C, rank: R) => ({
  type,
  name: 'conv_lstm_cell',
  table: () => convLSTMCellTable(rank),
});

export type ConvLSTM1DOptions = ConvLSTMOptions<Single>;

export class ConvLSTM1D<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  ConvLSTMCellOptions<Single>,
  ConvLSTM1DCell
>('ConvLSTM1D', cellOf(ConvLSTM1DCell, 1), ConvLSTM)<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];
}

/**
 * An LSTM over sequences in time, whose gates are convolutions of the input and of the state: with the gates i, f, o
 * (recurrentActivation) and the candidate g (activation) of x ∗ kernel + h ∗ recurrentKernel + bias, in the order i, f, g, o:
 * c' = f c + i g, h' = o activation(c'). Shapes: [batch, time, steps, channels] → [batch, steps', filters], or [batch, time,
 * steps', filters] with `returnSequences`; with `returnState` [output, h, c]. Spatial sizes must be known; the state's follow
 * from the input's by `padding`, `strides` and `dilationRate`. Weights, under `conv_lstm_cell`: kernel [kernelSize, channels,
 * 4 filters], recurrent_kernel [kernelSize, filters, 4 filters], bias [4 filters].
 * Source: Shi et al., Convolutional LSTM network, NeurIPS 2015, without the peepholes.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const convLSTM1d = /* @__PURE__ */ byState<
  ConvLSTM1DOptions,
  ConvLSTM1D<Tensor>,
  ConvLSTM1D<readonly Tensor[]>,
  ConvLSTM1D,
  ConvLSTMPositions
>(ConvLSTM1D, ['filters', 'kernelSize', 'strides', 'padding']);

export type ConvLSTM2DOptions = ConvLSTMOptions<Pair>;

export class ConvLSTM2D<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  ConvLSTMCellOptions<Pair>,
  ConvLSTM2DCell
>('ConvLSTM2D', cellOf(ConvLSTM2DCell, 2), ConvLSTM)<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];
}

/**
 * An LSTM over images in time, whose gates are convolutions of the input and of the state: with the gates i, f, o
 * (recurrentActivation) and the candidate g (activation) of x ∗ kernel + h ∗ recurrentKernel + bias, in the order i, f, g, o:
 * c' = f c + i g, h' = o activation(c'). Shapes: [batch, time, height, width, channels] → [batch, height', width', filters],
 * or [batch, time, height', width', filters] with `returnSequences`; with `returnState` [output, h, c]. Spatial sizes must be
 * known; the state's follow from the input's by `padding`, `strides` and `dilationRate`. Weights, under `conv_lstm_cell`:
 * kernel [kernelHeight, kernelWidth, channels, 4 filters], recurrent_kernel [kernelHeight, kernelWidth, filters, 4 filters],
 * bias [4 filters].
 * Source: Shi et al., Convolutional LSTM network, NeurIPS 2015, without the peepholes.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const convLSTM2d = /* @__PURE__ */ byState<
  ConvLSTM2DOptions,
  ConvLSTM2D<Tensor>,
  ConvLSTM2D<readonly Tensor[]>,
  ConvLSTM2D,
  ConvLSTMPositions
>(ConvLSTM2D, ['filters', 'kernelSize', 'strides', 'padding']);

export type ConvLSTM3DOptions = ConvLSTMOptions<Triple>;

export class ConvLSTM3D<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  ConvLSTMCellOptions<Triple>,
  ConvLSTM3DCell
>('ConvLSTM3D', cellOf(ConvLSTM3DCell, 3), ConvLSTM)<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 6 }];
}

/**
 * An LSTM over volumes in time, whose gates are convolutions of the input and of the state: with the gates i, f, o
 * (recurrentActivation) and the candidate g (activation) of x ∗ kernel + h ∗ recurrentKernel + bias, in the order i, f, g, o:
 * c' = f c + i g, h' = o activation(c'). Shapes: [batch, time, depth, height, width, channels] → [batch, depth', height',
 * width', filters], or [batch, time, depth', height', width', filters] with `returnSequences`; with `returnState` [output, h,
 * c]. Spatial sizes must be known; the state's follow from the input's by `padding`, `strides` and `dilationRate`. Weights,
 * under `conv_lstm_cell`: kernel [kernelDepth, kernelHeight, kernelWidth, channels, 4 filters], recurrent_kernel
 * [kernelDepth, kernelHeight, kernelWidth, filters, 4 filters], bias [4 filters].
 * Source: Shi et al., Convolutional LSTM network, NeurIPS 2015, without the peepholes.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const convLSTM3d = /* @__PURE__ */ byState<
  ConvLSTM3DOptions,
  ConvLSTM3D<Tensor>,
  ConvLSTM3D<readonly Tensor[]>,
  ConvLSTM3D,
  ConvLSTMPositions
>(ConvLSTM3D, ['filters', 'kernelSize', 'strides', 'padding']);
