/** @file ConvLSTM1D, ConvLSTM2D, ConvLSTM3D: an LSTM over sequences of sequences, images or volumes. */
import type { OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Pair, Single, Triple } from '../base/dataFormat.ts';
import type { InputSpec } from '../base/declare.ts';
import { byState } from './byState.ts';
import {
  ConvLSTM1DCell,
  ConvLSTM2DCell,
  ConvLSTM3DCell,
  type ConvLSTMCellOptions,
  convLSTMCellTable,
  type ConvLSTMRank,
} from './convLSTMCell.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import { type RecurrentOptions, type RecurrentOutput, RNN } from './rnn.ts';

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
