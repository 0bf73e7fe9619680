/** @file LSTM: an LSTM over a sequence. */
import { byState } from './byState.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { InputSpec } from '../base/declare.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import { LSTMCell, type LSTMCellOptions, lstmCellTable } from './lstmCell.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

export interface LSTMOptions extends LSTMCellOptions, RecurrentOptions {}

export class LSTM<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  LSTMCellOptions,
  LSTMCell
>('LSTM', {
  type: LSTMCell,
  name: 'lstm_cell',
  table: lstmCellTable,
})<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
}

/**
 * An LSTM (`lstmCell`) over a sequence. Shapes: [batch, time, features] → [batch, units], or [batch, time, units] with
 * `returnSequences`; with `returnState` [output, h, c]. Weights, under `lstm_cell`: kernel [features, 4 units], recurrent_kernel
 * [units, 4 units], bias [4 units], for the gates i, f, candidate and o.
 *
 * With tanh, sigmoid and no recurrent dropout, all steps run as one op, and so does the gradient.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const lstm = /* @__PURE__ */ byState<
  LSTMOptions,
  LSTM<Tensor>,
  LSTM<readonly Tensor[]>,
  LSTM,
  ['units', 'activation']
>(LSTM, ['units', 'activation']);
