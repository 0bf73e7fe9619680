/** @file SimpleRNN: a layer whose output is fed back to it. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
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

  static override get optionNames(): OptionNames<SimpleRNNOptions> {
    return { ...SimpleRNNCell.optionNames, ...recurrentOptionNames };
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
export function simpleRNN(options: SimpleRNNOptions & { returnState: true }): SimpleRNN<readonly Tensor[]>;
export function simpleRNN(options: SimpleRNNOptions & { returnState?: false }): SimpleRNN<Tensor>;
export function simpleRNN(options: SimpleRNNOptions): SimpleRNN;
export function simpleRNN(
  ...settings: Positions<SimpleRNNOptions & { returnState?: false }, ['units', 'activation']>
): SimpleRNN<Tensor>;
export function simpleRNN(
  ...settings: Positions<SimpleRNNOptions & { returnState: true }, ['units', 'activation']>
): SimpleRNN<readonly Tensor[]>;
export function simpleRNN(...settings: Positions<SimpleRNNOptions, ['units', 'activation']>): SimpleRNN;
export function simpleRNN(...args: unknown[]): unknown {
  return make(SimpleRNN, args);
}
