/** @file Functional: a model defined by symbolic inputs and outputs. */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ModelClass } from '../json/writtenModel.ts';
import { factoryOf } from '../options/factory.ts';
import { own } from '../options/kinds.ts';
import type { Mapped, Nest } from '../tensorNest.ts';
import { declaredModel, type GraphModelOptions } from './model.ts';

/** Options of `model`. */
export type FunctionalOptions<I, O> = GraphModelOptions<I, O>;

/** A model of symbolic inputs and outputs, created by `model`. Its layers are those called between them. */
export class Functional<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends /* @__PURE__ */ declaredModel('Functional', () => ({ inputs: own, outputs: own }))<In, Out> {
  static override readonly modelClass: ModelClass = 'Functional';

  constructor(options: FunctionalOptions<Mapped<In, SymbolicTensor>, Mapped<Out, SymbolicTensor>>) {
    super(options);
  }
}

/** Tensors instead of symbolic tensors, in the same nest. */
type Tensors<S> = Mapped<S, Tensor> extends infer M extends Nest<Tensor> ? M : never;

/** What a model of `S` takes: of a list of one input, or of an open number, also that input itself. */
type Taken<S> = S extends readonly [infer One]
  ? Tensors<One> | Tensors<S>
  : S extends readonly unknown[]
    ? number extends S['length']
      ? Tensors<S> | Tensors<S[number]>
      : Tensors<S>
    : Tensors<S>;

/**
 * Creates a model of the calls between `inputs` and `outputs`: symbolic tensors, or arrays or records of them. Outputs may be
 * intermediate tensors of another model; the layers, and their weights, are then shared.
 *
 *     const features = model({ inputs: net.input, outputs: net.getLayer('block2_conv2').output });
 *
 * Errors: GraphDisconnectedError, MissingHistoryError, ValueError for tensors that are not symbolic, for cycles and for
 * duplicate names.
 */
export function model<const I extends Nest<SymbolicTensor>, const O extends Nest<SymbolicTensor>>(
  options: FunctionalOptions<I, O>,
): Functional<Taken<I>, Tensors<O>>;
export function model(...args: unknown[]): unknown {
  return made(...(args as [never]));
}

const made = /* @__PURE__ */ factoryOf(Functional, ['inputs', 'outputs']);
