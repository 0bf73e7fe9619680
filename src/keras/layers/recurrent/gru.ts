/** @file GRU: a GRU over a sequence. */
import { byState } from './byState.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { DenseRNN } from './denseRNN.ts';
import { cellOptions } from './ownCellRNN.ts';
import { GRUCell, type GRUCellOptions } from './gruCell.ts';
import { type RecurrentOptions, type RecurrentOutput, recurrentOptionNames } from './rnn.ts';

/** Options of `gru`. */
export interface GRUOptions extends GRUCellOptions, RecurrentOptions {}

/** The class of layers created by `gru`, which documents shapes, weights and errors. */
export class GRU<Out extends RecurrentOutput = RecurrentOutput> extends DenseRNN<GRUCell, Out> {
  static override readonly className: string = 'GRU';

  static override get knownOptions(): readonly string[] {
    return [...GRUCell.knownOptions, ...Object.keys(recurrentOptionNames)];
  }

  constructor(options: GRUOptions) {
    super(new GRUCell(cellOptions(new.target, options, GRUCell, 'gru_cell')), options);
  }
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
