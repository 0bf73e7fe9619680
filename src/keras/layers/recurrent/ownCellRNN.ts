/** @file Recurrent layers that create their own cell and take the options of both. */
import { layer, type LayerStatics } from '../base/declare.ts';
import { knownOptionsOf } from '../../options/declaration.ts';
import type { Fields, OptionTable } from '../../options/fields.ts';
import type { LayerOptions } from '../base/layerOptions.ts';
import type { RecurrentCell, RecurrentCellOptions } from './recurrentCell.ts';
import { RNN, type RecurrentOptions, type RecurrentOutput, recurrentTable } from './rnn.ts';

/** A recurrent layer with a cell of the class `C`. */
export interface OwnCellRNN<C extends RecurrentCell, Out extends RecurrentOutput> extends RNN<Out> {
  readonly cell: C;
}

/** The class that a recurrent layer with the options `O` and the cell `C` extends. */
type OwnCellClass<O extends object, C extends RecurrentCell> = LayerStatics &
  (abstract new <Out extends RecurrentOutput>(
    options: O,
  ) => OwnCellRNN<C, Out> & Fields<O, RecurrentOptions>);

/** The cell of a layer: its class, its table, and its name. */
interface Cell<O extends object, C> {
  readonly type: new (options: O) => C;
  readonly name: string;
  readonly table: () => OptionTable<O, LayerOptions>;
}

/**
 * The class that a recurrent layer named `className` extends: `base`, with a cell. Its options are those of the cell and of a
 * recurrent layer.
 */
export function ownCellRNN<O extends RecurrentCellOptions, C extends RecurrentCell>(
  className: string,
  { type, name, table }: Cell<O, C>,
  base: abstract new (options: O & RecurrentOptions) => RNN = RNN,
): OwnCellClass<O & RecurrentOptions, C> {
  abstract class WithCell extends base {
    override readonly cell: C;

    constructor(options: O & RecurrentOptions) {
      super(options);
      this.cell = new type(cellOptions(type, options, name));
    }
  }
  const all = () => ({ ...recurrentTable(), ...table() });
  return layer(className, all as never, WithCell as never) as never;
}

/** The layer's options that its cell takes; `name` becomes the cell's. Its inputs have channels last: the layer transposes. */
function cellOptions<O extends object>(cell: object, options: O, name: string): O {
  const known = knownOptionsOf(cell) ?? [];
  const own = Object.entries(options).filter(([key]) => known.includes(key) && key !== 'dataFormat');
  return { ...(Object.fromEntries(own) as O), name, activityRegularizer: null };
}
