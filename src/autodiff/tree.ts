/**
 * @file Trees of tensors: a tensor, or arrays and plain objects of tensors at any depth. Functional transforms take and
 * return them, like JAX's pytrees.
 */
import { isFloating } from '../core/dtype.ts';
import { ShapeError, TapeError } from '../core/errors.ts';
import { isBranch, keysOf, mapNest, type Nest, packNest } from '../core/nest.ts';
import { describe, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { Tensor } from '../tensor/tensor.ts';

/** A tensor, or arrays and plain objects of tensors at any depth. */
export type TensorTree = Tensor | readonly TensorTree[] | { readonly [key: string]: TensorTree };

/** A tree like `T` with a float32 tensor instead of each tensor: its gradients. */
export type GradientsOf<T> = T extends Tensor
  ? Tensor<'float32'>
  : { -readonly [K in keyof T]: GradientsOf<T[K]> };

/** Returns the leaves of `tree`. Errors: TapeError if one isn't a tensor, or if there are none. */
export function tensorsIn(op: string, tree: unknown, path: string): Tensor[] {
  const leaves: Tensor[] = [];
  mapNest(
    tree as Nest<unknown>,
    (leaf, at) => {
      if (!(leaf instanceof Tensor)) throw notATensor(op, leaf, at);
      leaves.push(leaf);
    },
    path,
  );
  if (leaves.length > 0) return leaves;
  throw new TapeError({
    op,
    rule: `${path} must have at least one tensor.`,
    received: describe(tree),
    hint: 'pass a tensor, or arrays and plain objects of tensors.',
  });
}

/**
 * Returns the leaves of `tree` to differentiate with respect to; their places, such as `input 0.layers[1].kernel`, are appended
 * to `paths`. Errors: TapeError if one isn't a tensor of floats, or if there are none.
 */
export function floatsIn(op: string, tree: unknown, path: string, paths?: string[]): Tensor[] {
  const leaves: Tensor[] = [];
  mapNest(
    tree as Nest<unknown>,
    (leaf, at) => {
      if (!(leaf instanceof Tensor && isFloating(leaf.dtype))) throw notFloats(op, leaf, at);
      leaves.push(leaf);
      paths?.push(at);
    },
    path,
  );
  if (leaves.length === 0) throw notFloats(op, tree, path);
  return leaves;
}

function notFloats(op: string, received: unknown, path: string): TapeError {
  return new TapeError({
    op,
    rule: 'derivatives are taken with respect to floating-point tensors: one, or arrays and plain objects of them.',
    received: `${path}: ${received instanceof Tensor ? formatSpec(received) : describe(received)}`,
    hint: "make numbers tensors, and cast integers to 'float32'; argnums names the arguments that are differentiated.",
  });
}

/** Returns `tree` with its leaves replaced by `leaves`, in order. */
export function packTree<T>(tree: unknown, leaves: readonly T[]): unknown {
  return packNest(tree as Nest<unknown>, leaves);
}

/** Returns the structure of `tree` as text, for messages: `{bias: *, kernel: *}`. */
export function structureOf(tree: unknown): string {
  if (!isBranch(tree)) return '*';
  if (Array.isArray(tree)) return `[${tree.map(structureOf).join(', ')}]`;
  const entries = Object.entries(tree).map(([key, item]) => `${key}: ${structureOf(item)}`);
  return `{${entries.join(', ')}}`;
}

/** Returns the leaves of `tree` in the order of those of `like`; null if the structures differ. Keys may be in any order. */
export function alignedLeaves(tree: unknown, like: unknown): unknown[] | null {
  if (!isBranch(like)) return isBranch(tree) ? null : [tree];
  if (!isBranch(tree) || Array.isArray(tree) !== Array.isArray(like)) return null;
  const keys = keysOf(like);
  if (keysOf(tree).length !== keys.length) return null;
  const leaves: unknown[] = [];
  for (const key of keys) {
    if (!Object.hasOwn(tree, key)) return null;
    const below = alignedLeaves(tree[key as never], like[key as never]);
    if (!below) return null;
    leaves.push(...below);
  }
  return leaves;
}

/**
 * Returns the leaves of `tree`, which must have the structure of `like`, and a tensor of the same shape at each place.
 * Errors: TapeError for another structure, ShapeError for another shape.
 */
export function matchingLeaves(
  op: string,
  tree: unknown,
  what: string,
  like: unknown,
  whose: string,
): Tensor[] {
  tensorsIn(op, tree, what);
  const likes = tensorsIn(op, like, whose);
  const leaves = alignedLeaves(tree, like) as Tensor[] | null;
  if (!leaves) {
    throw new TapeError({
      op,
      rule: `${what} and ${whose} have the same structure: arrays of the same lengths, objects with the same keys.`,
      received: `${structureOf(tree)} for ${structureOf(like)}`,
      hint: 'pass one tensor for each, in the same nest of arrays and objects.',
    });
  }
  if (leaves.every((leaf, i) => sameShape(leaf.shape, (likes[i] as Tensor).shape))) return leaves;
  throw new ShapeError({
    op,
    rule: `${what} have the shapes of ${whose}, one for each.`,
    received: `${leaves.map(formatSpec).join(', ')} for ${likes.map(formatSpec).join(', ')}`,
    hint: 'pass one tensor for each, in its shape.',
  });
}

function notATensor(op: string, leaf: unknown, path: string): TapeError {
  return new TapeError({
    op,
    rule: 'its inputs and results are tensors, or arrays and plain objects of tensors.',
    received: `${path}: ${describe(leaf)}`,
    hint: 'make numbers and lists of numbers tensors first: tensor(values).',
  });
}
