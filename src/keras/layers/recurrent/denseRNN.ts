/** @file DenseRNN: a recurrent layer over sequences of features, which creates its own cell. */
import type { DenseCell } from './denseCell.ts';
import { OwnCellRNN } from './ownCellRNN.ts';
import type { RecurrentOptions, RecurrentOutput } from './rnn.ts';

export abstract class DenseRNN<C extends DenseCell, Out extends RecurrentOutput> extends OwnCellRNN<C, Out> {
  constructor(cell: C, options: RecurrentOptions) {
    super(cell, options, 3);
  }

  /** Size of the state and of the output. */
  get units(): number {
    return this.cell.units;
  }
}
