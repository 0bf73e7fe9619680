/** @file DenseRNN: a recurrent layer that creates its own cell and takes the options of both. */
import { checkedOptions, type OptionClass } from '../base/layerOptions.ts';
import type { DenseCell, DenseCellOptions } from './denseCell.ts';
import { RNN, type RecurrentOptions, type RecurrentOutput } from './rnn.ts';

export abstract class DenseRNN<C extends DenseCell, Out extends RecurrentOutput> extends RNN<Out> {
  declare readonly cell: C;

  constructor(cell: C, options: RecurrentOptions) {
    super(options, cell);
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

/** Those of a layer's options that its cell takes; `name` becomes the cell's. Errors: ValueError for unknown options. */
export function cellOptions<O extends DenseCellOptions>(
  layer: OptionClass,
  options: O,
  cell: OptionClass,
  name: string,
): O {
  checkedOptions(layer, options);
  const own = Object.entries(options).filter(([key]) => Object.hasOwn(cell.optionNames, key));
  return { ...(Object.fromEntries(own) as unknown as O), name, activityRegularizer: null };
}
