/** @file SimpleRNN: a layer whose output is fed back to it. */
import { byState } from './byState.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { DenseRNN } from './denseRNN.ts';
import { cellOptions } from './ownCellRNN.ts';
import { SimpleRNNCell, type SimpleRNNCellOptions } from './simpleRNNCell.ts';
import { type RecurrentOptions, type RecurrentOutput, recurrentOptionNames } from './rnn.ts';

/** Options of `simpleRNN`. */
export interface SimpleRNNOptions extends SimpleRNNCellOptions, RecurrentOptions {}

/** The class of layers created by `simpleRNN`, which documents shapes, weights and errors. */
export class SimpleRNN<Out extends RecurrentOutput = RecurrentOutput> extends DenseRNN<SimpleRNNCell, Out> {
  static override readonly className: string = 'SimpleRNN';

  static override get knownOptions(): readonly string[] {
    return [...SimpleRNNCell.knownOptions, ...Object.keys(recurrentOptionNames)];
  }

  constructor(options: SimpleRNNOptions) {
    super(new SimpleRNNCell(cellOptions(new.target, options, SimpleRNNCell, 'simple_rnn_cell')), options);
  }
}

/**
 * A fully connected layer whose output at one time is part of its input at the next (`simpleRNNCell`). Shapes: [batch, time,
 * features] → [batch, units], or [batch, time, units] with `returnSequences`; with `returnState` [output, h]. Weights, under
 * `simple_rnn_cell`: kernel [features, units], recurrent_kernel [units, units], bias [units].
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const simpleRNN = /* @__PURE__ */ byState<
  SimpleRNNOptions,
  SimpleRNN<Tensor>,
  SimpleRNN<readonly Tensor[]>,
  SimpleRNN,
  ['units', 'activation']
>(SimpleRNN, ['units', 'activation']);
