/**
 * @file Weight deltas: what training has changed in the weights of a model, averaged over several clients and applied to another copy.
 * Source: McMahan et al., Communication-efficient learning of deep networks from decentralized data, 2017 (federated averaging).
 */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { describe, formatShape, requireFinite, sameShape } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { assignAll, type Assignment } from '../../tensor/assignAll.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';

/** Values or changes of weights, by the paths of the weights. `saveTensors` and `loadTensors` write and read them. */
export type WeightValues = ReadonlyMap<string, Tensor>;

/** A model, as far as needed for its deltas. */
export interface DeltaModel {
  readonly name: string;
  readonly trainableWeights: readonly Variable[];
}

/**
 * Returns copies of the trainable weights of a model, by their paths: what a round of training starts from. Frozen weights aren't
 * among them, so with adapters a delta is small. They are the caller's to dispose of.
 */
export function trainedWeights(model: DeltaModel): Map<string, Tensor> {
  const weights = weightsOf('trainedWeights', model);
  return withoutTemporaries(() => entriesOf([...weights].map(([path, weight]) => [path, identity(weight)])));
}

/**
 * Returns what has changed in the trainable weights of a model since `start`, the result of `trainedWeights`. Errors: ValueError for
 * weights that are missing there; ShapeError for other shapes.
 */
export function weightDelta(model: DeltaModel, start: WeightValues): Map<string, Tensor> {
  const op = 'weightDelta';
  const weights = weightsOf(op, model);
  requireFitting(op, weights, start);
  return withoutTemporaries(() =>
    entriesOf([...weights].map(([path, weight]) => [path, sub(weight, start.get(path) as Tensor)])),
  );
}

/**
 * Returns the average of deltas, by default with equal shares; `shares` are relative, such as the numbers of samples that clients have
 * trained on. Errors: ValueError without deltas, for other weights in one of them, and for shares that aren't positive in sum.
 */
export function averageDeltas(
  deltas: readonly WeightValues[],
  options: { readonly shares?: readonly number[] } = {},
): Map<string, Tensor> {
  const op = 'averageDeltas';
  checkOptions(op, options, ['shares']);
  if (!Array.isArray(deltas) || deltas.length === 0 || !deltas.every((delta) => delta instanceof Map)) {
    throw new ValueError({
      op,
      rule: 'it takes a list of deltas, each a Map.',
      received: describe(deltas),
      hint: 'pass results of weightDelta, or of loadTensors.',
    });
  }
  const { shares = deltas.map(() => 1) } = options;
  const total = requireShares(op, shares, deltas.length);
  const [first, ...others] = deltas as unknown as [WeightValues, ...WeightValues[]];
  for (const delta of others) requireFitting(op, first, delta);
  const shared = (delta: WeightValues, path: string, i: number) =>
    mul(delta.get(path) as Tensor, (shares[i] as number) / total);
  return withoutTemporaries(() =>
    entriesOf(
      [...first.keys()].map((path) => [
        path,
        deltas.map((delta, i) => shared(delta, path, i)).reduce((sum, each) => add(sum, each)),
      ]),
    ),
  );
}

/**
 * Adds a delta, times `scale`, to the weights of a model. All weights are checked before any changes. Errors: ValueError for weights
 * that the model doesn't train; ShapeError for other shapes.
 */
export function applyDelta(
  model: DeltaModel,
  delta: WeightValues,
  options: { readonly scale?: number } = {},
): void {
  const op = 'applyDelta';
  checkOptions(op, options, ['scale']);
  const { scale = 1 } = options;
  requireFinite(op, 'scale', scale);
  const weights = weightsOf(op, model);
  requireFitting(op, weights, delta);
  unrecorded(() =>
    tidy(() => {
      const moved = (path: string, weight: Variable) => add(weight, mul(delta.get(path) as Tensor, scale));
      assignAll([...weights].map(([path, weight]): Assignment => [weight, moved(path, weight)]));
    }),
  );
}

/** Returns what `make` returns, and frees all other tensors that it made. */
function withoutTemporaries(make: () => Map<string, Tensor>): Map<string, Tensor> {
  let made = new Map<string, Tensor>();
  unrecorded(() =>
    tidy(() => {
      made = make();
      return [...made.values()];
    }),
  );
  return made;
}

function entriesOf(entries: readonly [string, Tensor][]): Map<string, Tensor> {
  return new Map(entries);
}

function weightsOf(op: string, model: unknown): Map<string, Variable> {
  const { trainableWeights } = (model ?? {}) as Partial<DeltaModel>;
  if (Array.isArray(trainableWeights))
    return new Map((trainableWeights as readonly Variable[]).map((weight) => [weight.path, weight]));
  throw new ValueError({
    op,
    rule: 'it takes a model.',
    received: describe(model),
    hint: 'pass the model first.',
  });
}

function requireFitting(op: string, wanted: ReadonlyMap<string, Tensor>, given: unknown): void {
  if (!(given instanceof Map)) {
    throw new ValueError({
      op,
      rule: 'values of weights come by their paths, in a Map.',
      received: describe(given),
      hint: 'pass the result of trainedWeights, weightDelta, averageDeltas or loadTensors.',
    });
  }
  const names = [...wanted.keys()];
  for (const path of given.keys()) if (!wanted.has(path)) throw notAWeight(op, `'${path}'`, path, names);
  for (const [path, weight] of wanted) {
    const value: unknown = given.get(path);
    if (!(value instanceof Tensor)) throw notAWeight(op, `nothing for '${path}'`, path, names);
    if (sameShape(value.shape, weight.shape)) continue;
    throw new ShapeError({
      op,
      rule: `'${path}' has the shape ${formatShape(weight.shape)}.`,
      received: formatShape(value.shape),
      hint: 'use deltas of the same model, with the same adapters.',
    });
  }
}

function requireShares(op: string, shares: unknown, count: number): number {
  const list = Array.isArray(shares) ? (shares as unknown[]) : [];
  const isShare = (n: unknown) => Number.isFinite(n) && (n as number) >= 0;
  const total = list.reduce<number>((sum, n) => sum + (n as number), 0);
  if (list.length === count && list.every(isShare) && total > 0 && Number.isFinite(total)) return total;
  throw new ValueError({
    op,
    rule: '`shares` has a number for each delta, none below 0 and one above.',
    received: `shares: ${describe(shares)}, for ${count}`,
    hint: 'pass the numbers of samples, or leave it out.',
  });
}

function notAWeight(op: string, received: string, path: string, names: readonly string[]): ValueError {
  return new ValueError({
    op,
    rule: 'it has the trainable weights of the model, and no others.',
    received,
    hint: suggestionFor(path, names, 'train the same weights everywhere: freeze the others first.'),
  });
}
