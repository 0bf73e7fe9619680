/** @file ConvLSTMCell: an LSTM cell whose state is an image, and whose gates are convolutions. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import type { OptionNames } from '../../../core/options.ts';
import {
  describe,
  oneOf,
  type OpenShape,
  requireBoolean,
  requireInteger,
  type Shape,
} from '../../../core/shape.ts';
import { perAxis, slideWindows } from '../../../core/windows.ts';
import { add, mul } from '../../../ops/arithmetic.ts';
import { concat } from '../../../ops/concat.ts';
import { conv1d } from '../../../ops/conv1d.ts';
import { conv2d } from '../../../ops/conv2d.ts';
import { conv3d } from '../../../ops/conv3d.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { reshape } from '../../../ops/reshape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import {
  type Activation,
  activationOf,
  type ActivationLike,
  serializeActivation,
} from '../../activations.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';
import type { CallOptions } from '../base/layer.ts';
import type { Steps } from './cell.ts';
import { forgetting, lstmStep } from './lstmGates.ts';
import { RecurrentCell, type RecurrentCellOptions, recurrentCellOptionNames } from './recurrentCell.ts';

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

export const convLSTMCellOptionNames: OptionNames<ConvLSTMCellOptions<unknown>> = {
  filters: true,
  kernelSize: true,
  strides: true,
  padding: true,
  dataFormat: false,
  dilationRate: false,
  ...recurrentCellOptionNames,
  activation: false,
  recurrentActivation: false,
  unitForgetBias: false,
};

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

/** The cell of `convLSTM1d`, `convLSTM2d` and `convLSTM3d`, which document shapes, weights and errors. */
export class ConvLSTMCell extends RecurrentCell {
  static override readonly className: string = 'ConvLSTMCell';

  static get knownOptions(): readonly string[] {
    return Object.keys(convLSTMCellOptionNames satisfies OptionNames<ConvLSTMCellOptions<unknown>>);
  }

  readonly filters: number;
  readonly kernelSize: readonly number[];
  readonly strides: readonly number[];
  readonly padding: 'valid' | 'same';
  readonly dataFormat = 'channelsLast';
  readonly dilationRate: readonly number[];
  readonly recurrentActivation: Activation;
  readonly unitForgetBias: boolean;
  /** Shapes of inputs and state of one sample, [...spatial, channels]; null until the cell is built. */
  #shapes: { inputs: Shape; state: Shape } | null = null;

  constructor(
    readonly rank: ConvLSTMRank,
    options: ConvLSTMCellOptions<unknown>,
  ) {
    super(options);
    const { name } = this;
    const { filters, strides = 1, padding = 'valid', dilationRate = 1, unitForgetBias = true } = options;
    requireInteger(name, 'filters', filters, 1);
    requireBoolean(name, 'unitForgetBias', unitForgetBias);
    requireChannelsLast(name, options.dataFormat);
    this.filters = filters;
    this.kernelSize = perAxis(name, 'kernelSize', options.kernelSize, rank);
    this.strides = perAxis(name, 'strides', strides, rank);
    this.padding = oneOf(name, 'padding', padding, ['valid', 'same'] as const);
    this.dilationRate = perAxis(name, 'dilationRate', dilationRate, rank);
    requireOneKind(name, this.strides, this.dilationRate);
    this.recurrentActivation = activationOf(
      options.recurrentActivation === undefined ? 'sigmoid' : options.recurrentActivation,
    );
    this.unitForgetBias = unitForgetBias;
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
    const { initializer } = this.rules.bias;
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

  override getConfig(): Record<string, unknown> {
    const { filters, kernelSize, strides, padding, dataFormat, dilationRate, unitForgetBias } = this;
    return {
      ...super.getConfig(),
      filters,
      kernelSize,
      strides,
      padding,
      dataFormat,
      dilationRate,
      recurrentActivation: serializeActivation(this.recurrentActivation),
      unitForgetBias,
    };
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
