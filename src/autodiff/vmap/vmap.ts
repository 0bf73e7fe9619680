/** @file vmap: a function of one example as a function of a batch. */
import { ShapeError, TapeError, ValueError } from '../../core/errors.ts';
import { isBranch, keysOf, leavesOf, mapNest, type Nest } from '../../core/nest.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { describe, normalizeAxis } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { recordUse } from '../../ops/define/recorders.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { requireFunction } from '../functional.ts';
import { BatchLevel } from './level.ts';

/** An axis, null for a tensor that isn't mapped, or a tree of these: a prefix of the tree of tensors. */
export type Axes = number | null | readonly Axes[] | { readonly [key: string]: Axes };

export interface VmapOptions {
  /**
   * The batch axis of the arguments: one for all, or a list with an entry for each. An entry is a number, null for an argument
   * that all examples share, or a tree of these that matches the argument's. Negative axes count from the last. Default 0.
   */
  inAxes?: Axes;
  /** The batch axis of the results, or a tree of axes that matches the result; null if all examples share it. Default 0. */
  outAxes?: Axes;
}

const optionNames: OptionNames<VmapOptions> = { inAxes: false, outAxes: false };

/**
 * Returns a function of one example as a function of a batch: inside, tensors have the shape of one example, and each op computes
 * all examples together. Arguments and results are tensors or trees of tensors.
 *
 *     const perExample = vmap(grad(loss, { argnums: 0 }), { inAxes: [null, 0, 0] });
 *     const gradients = perExample(params, x, y);            // a tree like params, each tensor [batch, ...shape]
 *
 * Maps and gradients nest in any order. Random ops draw once for all examples. Values cannot be read inside, nor variables
 * assigned. Ops on mapped tensors need a batching rule.
 * Errors: TapeError for ops without a rule, and for leaves that aren't tensors; ShapeError for batches of different sizes
 * and axes that a tensor lacks; ValueError for axes in another tree, and if nothing is mapped.
 */
export function vmap<A extends readonly unknown[], R>(
  f: (...args: A) => R,
  options: VmapOptions = {},
): (...args: A) => R {
  requireFunction('vmap', f);
  checkOptions('vmap', options, optionNames);
  const { inAxes = 0, outAxes = 0 } = options;
  // Rejects axes that contain themselves.
  for (const [name, axes] of Object.entries({ inAxes, outAxes })) leavesOf(axes as Nest<unknown>, name);
  return (...args) =>
    tidy(() => {
      const list = Array.isArray(inAxes) ? inAxes : args.map(() => inAxes);
      requireListed(list, args);
      const mapped = mappedLeaves(args, list);
      const level = new BatchLevel(batchSize(mapped));
      try {
        let next = 0;
        const inside = mapNest(args as Nest<unknown>, (leaf) => {
          const own = mapped[next++];
          if (!own) return leaf;
          const { axis, tensor } = own;
          recordUse(tensor);
          const front = axis === 0 ? tensor : moveAxis(tensor, { source: axis, destination: 0 });
          return level.example(front);
        });
        const result: unknown = f(...(inside as unknown as A));
        return outside(level, result, outAxes) as R;
      } finally {
        level.close();
      }
    });
}

/** A leaf of the arguments that is mapped. */
interface MappedLeaf {
  readonly path: string;
  readonly axis: number;
  readonly tensor: Tensor;
}

function requireListed(list: readonly Axes[], args: readonly unknown[]): void {
  if (list.length === args.length) return;
  throw new ValueError({
    op: 'vmap',
    rule: '`inAxes` is one axis for all arguments, or a list with an entry for each.',
    received: `inAxes: ${describe(list)} for ${args.length} arguments`,
    hint: 'pass null for arguments that all examples share.',
  });
}

/** Returns the leaves of the arguments, in order, with their axes; null for those that aren't mapped. */
function mappedLeaves(args: readonly unknown[], axes: readonly Axes[]): (MappedLeaf | null)[] {
  const leaves: (MappedLeaf | null)[] = [];
  args.forEach((arg, i) => {
    eachWithAxis(arg, axes[i] as Axes, `argument ${i}`, (leaf, given, path) => {
      if (given === null) {
        leaves.push(null);
        return;
      }
      if (!(leaf instanceof Tensor)) throw notATensor(leaf, path);
      if (leaf.rank === 0) {
        throw new ShapeError({
          op: 'vmap',
          rule: 'a mapped argument has a batch axis.',
          received: `${path}: ${formatSpec(leaf)}`,
          hint: 'give it a batch axis, or map it over null: inAxes: [0, null].',
        });
      }
      leaves.push({ path, axis: normalizeAxis('vmap', given, leaf.rank), tensor: leaf });
    });
  });
  return leaves;
}

type Branch = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Calls `visit` for each leaf of `tree` with its axis. Errors: ValueError if `axes` doesn't match the tree. */
function eachWithAxis(
  tree: unknown,
  axes: Axes,
  path: string,
  visit: (leaf: unknown, axis: number | null, path: string) => void,
): void {
  if (axes === null || typeof axes === 'number') {
    mapNest(tree as Nest<unknown>, (leaf, at) => visit(leaf, axes, at), path);
    return;
  }
  if (!matches(tree, axes)) {
    throw new ValueError({
      op: 'vmap',
      rule: 'axes are numbers or null, or have the arrays and keys of the tree that they belong to.',
      received: `axes ${describe(axes)} for ${path}: ${describe(tree)}`,
      hint: 'give each entry of the tree an axis, or all of it one.',
    });
  }
  const entries = axes as Record<string, Axes>;
  for (const key of keysOf(tree)) {
    const at = Array.isArray(tree) ? `${path}[${key}]` : `${path}.${String(key)}`;
    eachWithAxis((tree as Record<string, unknown>)[key], entries[key] as Axes, at, visit);
  }
}

/** Returns whether `tree` and `axes` are arrays, or objects, with equally many entries. */
function matches(tree: unknown, axes: unknown): tree is Branch {
  return (
    isBranch(tree) &&
    isBranch(axes) &&
    Array.isArray(tree) === Array.isArray(axes) &&
    keysOf(tree).length === keysOf(axes).length
  );
}

/** Returns the common size of all batch axes. */
function batchSize(leaves: readonly (MappedLeaf | null)[]): number {
  let first: (MappedLeaf & { size: number }) | null = null;
  for (const leaf of leaves) {
    if (!leaf) continue;
    const size = leaf.tensor.shape[leaf.axis] as number;
    first ??= { ...leaf, size };
    if (first.size === size) continue;
    throw new ShapeError({
      op: 'vmap',
      rule: 'all batches have the same size.',
      received: `${first.size} in ${first.path}, axis ${first.axis}, and ${size} in ${leaf.path}, axis ${leaf.axis}`,
      hint: 'check inAxes: null leaves an argument out of the map.',
    });
  }
  if (first) return first.size;
  throw new ValueError({
    op: 'vmap',
    rule: 'at least one tensor is mapped.',
    received: `inAxes that map none of ${leaves.length} arguments`,
    hint: 'call the function itself, or give an argument an axis.',
  });
}

/** Returns the results of all examples. */
function outside(level: BatchLevel, result: unknown, axes: Axes): unknown {
  const leaves: Tensor[] = [];
  eachWithAxis(result, axes, 'the result', (leaf, axis, path) => {
    if (!(leaf instanceof Tensor)) throw notATensor(leaf, path);
    leaves.push(withBatch(level, leaf, axis, path));
  });
  let next = 0;
  return mapNest(result as Nest<unknown>, () => leaves[next++]);
}

function withBatch(level: BatchLevel, leaf: Tensor, axis: number | null, path: string): Tensor {
  if (axis === null) {
    if (!level.isMapped(leaf)) return leaf;
    throw new ValueError({
      op: 'vmap',
      rule: 'a result whose outAxes is null is the same for all examples.',
      received: `${path}: a mapped ${formatSpec(leaf)}`,
      hint: 'give it an axis, or reduce it outside of vmap.',
    });
  }
  const whole = level.spread(leaf);
  const destination = normalizeAxis('vmap', axis, whole.rank);
  return destination === 0 ? identity(whole) : moveAxis(whole, { source: 0, destination });
}

function notATensor(leaf: unknown, path: string): TapeError {
  return new TapeError({
    op: 'vmap',
    rule: 'what is mapped, and what the function returns, are tensors, or arrays and plain objects of tensors.',
    received: `${path}: ${describe(leaf)}`,
    hint: 'pass numbers and other values with the axis null; make results tensors: tensor(value).',
  });
}
