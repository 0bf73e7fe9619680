/** @file OwnCellRNN: a recurrent layer that creates its own cell and takes the options of both. */
import { checkedOptions, type OptionClass } from '../base/layerOptions.ts';
import type { RecurrentCell, RecurrentCellOptions } from './recurrentCell.ts';
import { RNN, type RecurrentOptions, type RecurrentOutput } from './rnn.ts';

export abstract class OwnCellRNN<C extends RecurrentCell, Out extends RecurrentOutput> extends RNN<Out> {
  declare readonly cell: C;

  /** Inputs have `rank` axes. */
  constructor(cell: C, options: RecurrentOptions, rank: number) {
    super(options, cell);
    this.inputSpec = [{ rank }];
  }

  protected override cellConfig(): Record<string, unknown> {
    const { name, trainable, dtype, ...options } = this.cell.getConfig();
    return options;
  }
}

/** The layer's options that its cell takes; `name` becomes the cell's. Errors: ValueError for unknown options. */
export function cellOptions<O extends RecurrentCellOptions>(
  layer: OptionClass,
  options: O,
  cell: Required<OptionClass>,
  name: string,
): O {
  checkedOptions(layer, options);
  const own = Object.entries(options).filter(([key]) => cell.knownOptions.includes(key));
  return { ...(Object.fromEntries(own) as unknown as O), name, activityRegularizer: null };
}
