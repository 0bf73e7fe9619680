/** @file GRU: a GRU over a sequence. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
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

  static override get optionNames(): OptionNames<GRUOptions> {
    return { ...GRUCell.optionNames, ...recurrentOptionNames };
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
export function gru(options: GRUOptions & { returnState: true }): GRU<readonly Tensor[]>;
export function gru(options: GRUOptions & { returnState?: false }): GRU<Tensor>;
export function gru(options: GRUOptions): GRU;
export function gru(
  ...settings: Positions<GRUOptions & { returnState?: false }, ['units', 'activation']>
): GRU<Tensor>;
export function gru(
  ...settings: Positions<GRUOptions & { returnState: true }, ['units', 'activation']>
): GRU<readonly Tensor[]>;
export function gru(...settings: Positions<GRUOptions, ['units', 'activation']>): GRU;
export function gru(...args: unknown[]): unknown {
  return make(GRU, args);
}
