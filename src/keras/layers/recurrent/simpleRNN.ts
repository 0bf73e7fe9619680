/** @file SimpleRNN: a layer whose output is fed back to it. */
import { byState } from './byState.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { InputSpec } from '../base/declare.ts';
import { denseCellTable } from './denseCell.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import { SimpleRNNCell, type SimpleRNNCellOptions } from './simpleRNNCell.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

export interface SimpleRNNOptions extends SimpleRNNCellOptions, RecurrentOptions {}

export class SimpleRNN<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  SimpleRNNCellOptions,
  SimpleRNNCell
>('SimpleRNN', {
  type: SimpleRNNCell,
  name: 'simple_rnn_cell',
  table: denseCellTable,
})<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
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
