/** @file ConvLSTM1D, ConvLSTM2D, ConvLSTM3D: an LSTM over sequences of sequences, images or volumes. */
import type { OptionNames } from '../../../core/options.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Pair, Single, Triple } from '../base/dataFormat.ts';
import type { OptionClass } from '../base/layerOptions.ts';
import { byState } from './byState.ts';
import {
  ConvLSTMCell,
  type ConvLSTMCellOptions,
  convLSTMCellOptionNames,
  type ConvLSTMRank,
} from './convLSTMCell.ts';
import { cellOptions, OwnCellRNN } from './ownCellRNN.ts';
import { type RecurrentOptions, type RecurrentOutput, recurrentOptionNames } from './rnn.ts';

interface ConvLSTMOptions<Size> extends ConvLSTMCellOptions<Size>, RecurrentOptions {}

/** Options that may be passed by position. */
type ConvLSTMPositions = ['filters', 'kernelSize', 'strides', 'padding'];

const optionNames: OptionNames<ConvLSTMOptions<unknown>> = {
  ...convLSTMCellOptionNames,
  ...recurrentOptionNames,
};

abstract class ConvLSTM<Out extends RecurrentOutput> extends OwnCellRNN<ConvLSTMCell, Out> {
  constructor(rank: ConvLSTMRank, options: ConvLSTMOptions<unknown>, type: OptionClass) {
    super(
      new ConvLSTMCell(rank, cellOptions(type, options, ConvLSTMCell, 'conv_lstm_cell')),
      options,
      rank + 3,
    );
  }

  /** Channels of the state and of the output. */
  get filters(): number {
    return this.cell.filters;
  }

  override build(inputShape: OpenShape): void {
    super.build(inputShape);
    // The state is as large as the inputs that it was built with.
    const sizes = inputShape.slice(2).map((size, i) => [i + 2, size as number]);
    this.inputSpec = [{ rank: inputShape.length, axes: Object.fromEntries(sizes) }];
  }
}

/** Options of `convLSTM1d`. */
export type ConvLSTM1DOptions = ConvLSTMOptions<Single>;

/** The class of layers created by `convLSTM1d`, which documents shapes, weights and errors. */
export class ConvLSTM1D<Out extends RecurrentOutput = RecurrentOutput> extends ConvLSTM<Out> {
  static override readonly className: string = 'ConvLSTM1D';

  static override get knownOptions(): readonly string[] {
    return Object.keys(optionNames satisfies OptionNames<ConvLSTM1DOptions>);
  }

  constructor(options: ConvLSTM1DOptions) {
    super(1, options, new.target);
  }
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

/** Options of `convLSTM2d`. */
export type ConvLSTM2DOptions = ConvLSTMOptions<Pair>;

/** The class of layers created by `convLSTM2d`, which documents shapes, weights and errors. */
export class ConvLSTM2D<Out extends RecurrentOutput = RecurrentOutput> extends ConvLSTM<Out> {
  static override readonly className: string = 'ConvLSTM2D';

  static override get knownOptions(): readonly string[] {
    return Object.keys(optionNames satisfies OptionNames<ConvLSTM2DOptions>);
  }

  constructor(options: ConvLSTM2DOptions) {
    super(2, options, new.target);
  }
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

/** Options of `convLSTM3d`. */
export type ConvLSTM3DOptions = ConvLSTMOptions<Triple>;

/** The class of layers created by `convLSTM3d`, which documents shapes, weights and errors. */
export class ConvLSTM3D<Out extends RecurrentOutput = RecurrentOutput> extends ConvLSTM<Out> {
  static override readonly className: string = 'ConvLSTM3D';

  static override get knownOptions(): readonly string[] {
    return Object.keys(optionNames satisfies OptionNames<ConvLSTM3DOptions>);
  }

  constructor(options: ConvLSTM3DOptions) {
    super(3, options, new.target);
  }
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
