/** @file DenseRNN: a recurrent layer that creates its own cell and takes the options of both. */
import type { DenseCell } from './denseCell.ts';
import { RNN, type RecurrentOptions, type RecurrentOutput } from './rnn.ts';

export abstract class DenseRNN<C extends DenseCell, Out extends RecurrentOutput> extends RNN<Out> {
  declare readonly cell: C;

  constructor(cell: C, options: RecurrentOptions) {
    super({ ...options, cell });
    this.inputSpec = [{ rank: 3 }];
  }

  /** Size of the state and of the output. */
  get units(): number {
    return this.cell.units;
  }

  protected override cellConfig(): Record<string, unknown> {
    const { name, trainable, dtype, ...options } = this.cell.getConfig();
    return options;
  }
}

/** The options of a layer as its cell takes them; `cell` becomes its name. */
export function cellOptions<O extends object>(options: O, cell: string): O & { name: string } {
  return { ...options, name: cell, activityRegularizer: null };
}
