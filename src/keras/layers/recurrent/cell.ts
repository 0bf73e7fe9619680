/** @file RNNCell: one time step of a recurrent layer, as a layer. */
import { describe, type OpenShape, type Shape } from '../../../core/shape.ts';
import { zeros } from '../../../ops/creation/creation.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type CallOptions, Layer } from '../base/layer.ts';
import { ShapeError } from '../../../core/errors.ts';
import { areShapes } from '../../graph/callResult.ts';
import { mapShapes, type Nest } from '../../tensorNest.ts';

/** A prepared run over a sequence. Dropout masks are drawn once and used at every time step. */
export interface Steps {
  /**
   * The part of a step that depends only on the inputs, at one time [batch, …] or at all times [batch, time, …]: it is
   * computed for the whole sequence before the first step.
   */
  project(x: Tensor): Tensor;
  /** [output, ...states] from the result of `project` for one time and the states before it. */
  take(projected: Tensor, states: readonly Tensor[]): readonly Tensor[];
  /**
   * All steps as one op, if the cell has such an op: [outputs, ...states], each [batch, time, size]. The outputs are the
   * first state. Null `states` are zeros, a null `mask` is true everywhere; where the mask is false, states are carried over.
   */
  takeAll?(
    projected: Tensor,
    states: readonly Tensor[] | null,
    mask: Tensor | null,
  ): readonly [outputs: Tensor, ...states: Tensor[]];
}

/**
 * Base class of cells: one step of a recurrent layer, from `[x, ...states]` to `[output, ...states]`, with x [batch, …] and
 * states [batch, size]. A cell of your own defines `stateSize`, creates its weights in `build([xShape])` and computes in
 * `call([x, ...states], options)`; `rnn({ cell })` runs it over sequences.
 */
export abstract class RNNCell extends Layer<readonly Tensor[], readonly Tensor[]> {
  static override readonly className: string = 'RNNCell';

  /** Size of the state, or of each of several. */
  abstract readonly stateSize: number | readonly number[];

  /** Size of the output. Default: that of the first state. */
  get outputSize(): number {
    return this.stateSizes[0] as number;
  }

  get stateSizes(): readonly number[] {
    return [this.stateSize].flat() as number[];
  }

  /** Shapes of the states of one sample. */
  protected get stateShapes(): readonly Shape[] {
    return this.stateSizes.map((size) => [size]);
  }

  /** Whether `getInitialState` returns zeros. */
  get startsAtZero(): boolean {
    return this.getInitialState === RNNCell.prototype.getInitialState;
  }

  /** Returns the states before the first step. Default: zeros. */
  getInitialState(batchSize: number): Tensor[] {
    return this.stateShapes.map((shape) => zeros([batchSize, ...shape], { dtype: this.dtype }));
  }

  /** Prepares a run over a sequence. Default: every step is a `call`. */
  steps(_batchSize: number, options: CallOptions): Steps {
    return {
      project: (x) => x,
      take: (x, states) => this.call([x, ...states], options),
    };
  }

  /** Takes the shapes of x and of the states in a list, or that of x alone, as in Keras. */
  protected override shapesToBuild(given: readonly unknown[]): readonly OpenShape[] {
    const shapes = super.shapesToBuild(given) as readonly OpenShape[];
    if (!Array.isArray(shapes) || !shapes.every(Array.isArray)) return [shapes as unknown as OpenShape];
    const [, ...states] = shapes as readonly OpenShape[];
    if (states.length > 0) requireStateShapes(this.name, this.stateSizes, states);
    return shapes;
  }

  override computeOutputShape([x]: readonly OpenShape[]): readonly OpenShape[] {
    const batch = x?.[0] ?? null;
    return [this.outputSize, ...this.stateSizes].map((size) => [batch, size]);
  }
}

/** Throws a ShapeError unless `given` are the shapes of states whose last axes have these sizes. */
export function requireStateShapes(name: string, sizes: readonly number[], given: unknown): void {
  const shapes: OpenShape[] = [];
  if (areShapes(given)) mapShapes(given as Nest<OpenShape>, (shape) => shapes.push(shape));
  const fits = (size: number, i: number) => shapes[i]?.at(-1) === size || shapes[i]?.at(-1) === null;
  if (shapes.length === sizes.length && sizes.every(fits)) return;
  throw new ShapeError({
    op: name,
    rule: `its states have shapes [batch, …, size], with sizes ${sizes.join(', ')}.`,
    received: describe(given),
    hint: 'give the shape of the input alone, or with those of all states.',
  });
}
