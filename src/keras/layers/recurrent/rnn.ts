/** @file RNN: a cell over a sequence. */
import { byState } from './byState.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, formatShape, type OpenShape, sameShape, type Shape } from '../../../core/shape.ts';
import { rejectExtraArguments } from '../../../core/options.ts';
import { formatSpec } from '../../../core/spec.ts';
import { zerosLike } from '../../../ops/creation/like.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import type { Fields } from '../../options/fields.ts';
import { deserializeLayer, serializeLayer } from '../../serialization/index.ts';
import { requireStateShapes, RNNCell } from './cell.ts';
import { runSteps } from './runSteps.ts';
import { StackedRNNCells } from './stackedRNNCells.ts';
import type { DescribedSequenceOptions } from '../base/describedInput.ts';
import {
  type CallOptions,
  flag,
  type InputSpec,
  Layer,
  layer,
  type LayerOptions,
  type LayerStatics,
  type Shapes,
} from '../base/declare.ts';

/** Options of all recurrent layers. */
export interface RecurrentOptions extends LayerOptions, DescribedSequenceOptions {
  /** Whether to return the outputs of all steps, rather than the last one. Default false. */
  returnSequences?: boolean;
  /** Whether to return the last states as well: [output, ...states]. Default false. */
  returnState?: boolean;
  /** Whether the sequence is read from its end; outputs are in the order of the steps. Default false. */
  goBackwards?: boolean;
  /** Whether the last states of a call are the initial states of the next. The batch size is then fixed. Default false. */
  stateful?: boolean;
  /** Accepted for Keras's sake: every run over a sequence of known length is a plain loop. Default false. */
  unroll?: boolean;
  /** Whether outputs of masked steps are zeros, rather than those of the step before. Default false. */
  zeroOutputForMask?: boolean;
}

/** The table of these options. */
export const recurrentTable = () => ({
  returnSequences: flag(false),
  returnState: flag(false),
  goBackwards: flag(false),
  stateful: flag(false),
  unroll: flag(false),
  zeroOutputForMask: flag(false),
});

export interface RNNOptions extends RecurrentOptions {
  /** The cell, or several to be stacked. */
  cell: RNNCell | readonly (RNNCell | ClassConfig)[] | ClassConfig;
}

/** Options of a call of a recurrent layer. */
export interface RecurrentCallOptions extends CallOptions {
  /** States before the first step: one for each state of the cell. Default: zeros, or the last states of the previous call. */
  initialState?: Tensor | readonly Tensor[] | null;
}

/** What a recurrent layer returns: a tensor, or `[output, ...states]` where `returnState` is set. */
export type RecurrentOutput = Tensor | readonly Tensor[];

/** A class whose objects have the type `Out` of their outputs as a parameter. */
export type ByOutput<O extends object, Own = unknown> = LayerStatics &
  (abstract new <Out extends RecurrentOutput>(
    options: O,
  ) => Layer<Tensor, Out> & Own);

export class RNN<Out extends RecurrentOutput = RecurrentOutput> extends /* @__PURE__ */ (layer<
  RNNOptions,
  Layer,
  keyof DescribedSequenceOptions
>('RNN', () => ({
  ...recurrentTable(),
  cell: { read: (given, { op }) => cellOf(op, given), write: serializeLayer },
})) as unknown as ByOutput<
  RNNOptions | RecurrentOptions,
  Fields<RecurrentOptions, LayerOptions & DescribedSequenceOptions>
>)<Out> {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'initialState'];

  override readonly supportsMasking: boolean = true;
  /** @internal */
  override readonly takesMask: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 3 }];
  declare readonly cell: RNNCell;
  declare zeroOutputForMask: boolean;
  /** Not weights, and so private: variables in public properties would be found as weights. */
  #states: Variable[] | null = null;

  /** @internal */
  override needsFloats(): boolean {
    return this.cell.needsFloats?.() ?? false;
  }

  /** The last states of a stateful layer; null otherwise, and before it is built. */
  get states(): readonly Variable[] | null {
    return this.#states;
  }

  /** Takes the shape of the input, and those of initial states if there are any, as in Keras. */
  protected override shapesToBuild([inputShape, states, ...extra]: readonly unknown[]): OpenShape {
    rejectExtraArguments(`${this.name}.build`, extra, ['inputShape', 'initialStateShape']);
    if (states) requireStateShapes(this.name, this.cell.stateSizes, states);
    return inputShape as OpenShape;
  }

  override build([batch, _time, ...rest]: OpenShape): void {
    const { cell } = this;
    const step = [batch as number | null, ...rest];
    cell.ensureBuilt([step, ...cell.computeOutputShape([step]).slice(1)]);
    if (!this.stateful) return;
    if (typeof batch !== 'number') {
      throw new ShapeError({
        op: this.name,
        rule: 'a stateful layer keeps a state for each sample, so that its batch size must be known.',
        received: 'a batch of any size',
        hint: 'give it, as in input({ batchShape: [32, null, 8] }), or leave out stateful.',
      });
    }
    this.#states = cell.getInitialState(batch).map((initial, i) => {
      return new Variable(initial, { name: `${this.name}/rnn_state_${i}`, trainable: false });
    });
  }

  override call(x: Tensor, options: RecurrentCallOptions): Out {
    const { cell, returnSequences, goBackwards, zeroOutputForMask } = this;
    const [batch, , ...rest] = x.shape as [number, number, ...number[]];
    const [outputShape, ...stateShapes] = cell.computeOutputShape([[batch, ...rest]]) as [Shape, ...Shape[]];
    const { output, states } = runSteps(cell.steps(batch, options), x, {
      mask: this.#stepMask(options, x),
      states: this.#statesOf(options.initialState, stateShapes) ?? this.states,
      initialStates: () => cell.getInitialState(batch),
      startsAtZero: cell.startsAtZero,
      goBackwards,
      returnSequences,
      returnState: this.returnState || this.stateful,
      zeroOutputForMask,
      outputShape,
    });
    this.#keep(states);
    return (this.returnState ? [output, ...states] : output) as Out;
  }

  override computeMask(_inputs: unknown, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    const kept = this.returnSequences ? firstOf(mask) : null;
    return this.returnState ? [kept, ...this.cell.stateSizes.map(() => null)] : kept;
  }

  override computeOutputShape([batch, time, ...rest]: OpenShape): Shapes<Out> {
    const { cell, returnSequences, returnState } = this;
    if (this.unroll && typeof time !== 'number') {
      throw new ShapeError({
        op: this.name,
        rule: 'only a sequence of known length can be unrolled.',
        received: `a sequence of ${describe(time)} steps`,
        hint: 'give its length, as in input({ shape: [10, 8] }), or leave out unroll.',
      });
    }
    const shapes = cell.computeOutputShape([[batch ?? null, ...rest]]) as [OpenShape, ...OpenShape[]];
    const [last, ...states] = shapes;
    const output = last.toSpliced(1, 0, ...(returnSequences ? [time ?? null] : []));
    return (returnState ? [output, ...states] : output) as unknown as Shapes<Out>;
  }

  /** Forgets the states: the next call of a stateful layer starts as the first one did. */
  resetState(): void {
    for (const state of this.states ?? []) {
      const initial = zerosLike(state);
      state.assign(initial);
      initial.dispose();
    }
  }

  override dispose(): void {
    super.dispose();
    for (const state of this.states ?? []) state.dispose();
  }

  #statesOf(given: unknown, shapes: readonly Shape[]): readonly Tensor[] | null {
    if (given === undefined || given === null) return null;
    const list = (Array.isArray(given) ? given : [given]) as unknown[];
    const fits = (state: unknown, i: number) =>
      state instanceof Tensor && sameShape(state.shape, shapes[i] as Shape);
    if (list.length === shapes.length && list.every(fits)) return list as Tensor[];
    throw new ShapeError({
      op: this.name,
      rule: `\`initialState\` has a tensor for each state: ${shapes.map(formatShape).join(', ')}.`,
      received:
        list.map((item) => (item instanceof Tensor ? formatSpec(item) : describe(item))).join(', ') || 'none',
      hint: 'pass the result of getInitialState of the cell, or the states that a call returned.',
    });
  }

  #stepMask({ mask }: CallOptions, x: Tensor): Tensor | null {
    const given = firstOf(mask ?? null);
    if (!given) return null;
    if (given.rank === 2 && given.shape[0] === x.shape[0] && given.shape[1] === x.shape[1]) return given;
    throw new ShapeError({
      op: this.name,
      rule: `\`mask\` must have the shape of batch and time: [${x.shape.slice(0, 2).join(', ')}].`,
      received: formatSpec(given),
      hint: 'pass one value for each step of each sample.',
    });
  }

  #keep(states: readonly Tensor[]): void {
    this.states?.forEach((variable, i) => {
      const state = states[i] as Tensor;
      if (state.shape[0] !== variable.shape[0]) {
        throw new ShapeError({
          op: this.name,
          rule: `a stateful layer keeps the batch size that it was built with, ${variable.shape[0]}.`,
          received: `a batch of ${state.shape[0]}`,
          hint: 'pass batches of that size, or leave out stateful.',
        });
      }
      variable.assign(state);
    });
  }
}

/** Returns the mask of the sequence, from a mask or a list in which masks of states follow. */
function firstOf(mask: Nest<Tensor | null>): Tensor | null {
  return leavesOf(mask)[0] ?? null;
}

function cellOf(op: string, given: unknown): RNNCell {
  const cell = Array.isArray(given)
    ? new StackedRNNCells({ cells: given })
    : given instanceof Layer || given === null || typeof given !== 'object'
      ? given
      : deserializeLayer(given as never);
  if (cell instanceof RNNCell) return cell;
  throw new ValueError({
    op,
    rule: '`cell` is an RNNCell, or a list of them.',
    received: `cell: ${given instanceof Layer ? String(given) : describe(given)}`,
    hint: 'pass layers.lstmCell({ units }), or your own subclass of RNNCell.',
  });
}

/**
 * Runs any cell over a sequence, one step after the other along the second axis. Shapes: [batch, time, …] → [batch, size], or
 * [batch, time, size] with `returnSequences`; with `returnState` a list of the output and the last states.
 *
 * Steps where the mask [batch, time] is false carry states and output over; before the first unmasked step, outputs are
 * zeros. Cells in a list are stacked, and their states follow each other in one list.
 * Errors: ValueError for invalid options; ShapeError for states and masks that don't fit.
 */
export const rnn = /* @__PURE__ */ byState<RNNOptions, RNN<Tensor>, RNN<readonly Tensor[]>, RNN, ['cell']>(
  RNN,
  ['cell'],
);
