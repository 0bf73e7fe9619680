/** @file GRU: a GRU over a sequence. */
import { byState } from './byState.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { InputSpec } from '../base/declare.ts';
import { ownCellRNN } from './ownCellRNN.ts';
import { GRUCell, type GRUCellOptions, gruCellTable } from './gruCell.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

export interface GRUOptions extends GRUCellOptions, RecurrentOptions {}

export class GRU<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ ownCellRNN<
  GRUCellOptions,
  GRUCell
>('GRU', {
  type: GRUCell,
  name: 'gru_cell',
  table: gruCellTable,
})<Out> {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
}

/**
 * A GRU (`gruCell`) over a sequence. Shapes: [batch, time, features] → [batch, units], or [batch, time, units] with
 * `returnSequences`; with `returnState` [output, h]. Weights, under `gru_cell`: kernel [features, 3 units], recurrent_kernel
 * [units, 3 units], bias [2, 3 units], or [3 units] without `resetAfter`, for the gates z, r and the candidate.
 *
 * With tanh, sigmoid, `resetAfter` and no recurrent dropout, all steps run as one op, and so does the gradient.
 * Errors: ValueError for invalid options; ShapeError for other inputs, and for states and masks that don't fit.
 */
export const gru = /* @__PURE__ */ byState<
  GRUOptions,
  GRU<Tensor>,
  GRU<readonly Tensor[]>,
  GRU,
  ['units', 'activation']
>(GRU, ['units', 'activation']);
