/**
 * @file Jacobians and Hessians of functions of trees: jacobian row by row (reverse mode), jacfwd column by column, hessian.
 */
import { TapeError } from '../core/errors.ts';
import { leavesOf, type Nest } from '../core/nest.ts';
import { rejectExtraArguments } from '../core/options.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { fill } from '../ops/creation/creation.ts';
import { reshape } from '../ops/arrangement/reshape.ts';
import { stack } from '../ops/arrangement/stack.ts';
import { tensor } from '../tensor/create.ts';
import { tidy } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { distinct, requireFunction, requireValue, withTape } from './functional.ts';
import { unitAt } from './jacobian.ts';
import { linearized } from './linearMaps.ts';
import { Tape } from './recordedCalls.ts';
import { floatsIn, type GradientsOf, packTree, tensorsIn, type TensorTree } from './tree.ts';

/** For each tensor of `R` a tree like `T`: the tensor's derivatives with respect to the tensors of `T`. */
export type JacobianOf<R, T> = R extends Tensor
  ? GradientsOf<T>
  : { -readonly [K in keyof R]: JacobianOf<R[K], T> };

/**
 * Returns the Jacobian of a function in reverse mode, one backward pass per element of f(x): best where f(x) is smaller than x.
 * For tensors, its shape is [...f(x).shape, ...x.shape]; for trees, each tensor of f(x) gets a tree like x. JAX's jacrev.
 * Errors: TapeError for an f that doesn't return tensors, and for inputs that aren't tensors of floats.
 */
export function jacobian(f: (x: Tensor) => Tensor): (x: Tensor) => Tensor<'float32'>;
export function jacobian<T extends object, R extends TensorTree>(f: (x: T) => R): (x: T) => JacobianOf<R, T>;
export function jacobian(f: unknown, ...extra: never[]): (x: never) => unknown {
  rejectExtraArguments('jacobian', extra, ['f']);
  return (x) => {
    requireFunction('jacobian', f);
    return rowsOf('jacobian', f, x);
  };
}

/**
 * Returns the Jacobian of a function in forward mode, one pass per element of x: best where x is smaller than f(x). f runs once.
 * Shapes and errors are those of `jacobian`.
 */
export function jacfwd(f: (x: Tensor) => Tensor): (x: Tensor) => Tensor<'float32'>;
export function jacfwd<T extends object, R extends TensorTree>(f: (x: T) => R): (x: T) => JacobianOf<R, T>;
export function jacfwd(f: unknown, ...extra: never[]): (x: never) => unknown {
  rejectExtraArguments('jacfwd', extra, ['f']);
  return (x) => {
    const inputs = floatsIn('jacfwd', x, 'input 0');
    return tidy(() => {
      const { value, pushforward } = linearized('jacfwd', f, [x]);
      const columns = inputs.map((input, k) =>
        units(input.shape, (unit) => {
          const tangents = inputs.map((other, i) => (i === k ? unit : fill(other.shape, 0)));
          return tensorLeaves(pushforward([packTree(x, tangents)]));
        }),
      );
      const blocks = tensorLeaves(value).map((result, r) =>
        packTree(
          x,
          inputs.map((input, k) => {
            const parts = (columns[k] as Tensor[][]).map((column) => column[r] as Tensor);
            return assembled(parts, result.shape, input.shape, -1);
          }),
        ),
      );
      return packTree(value, blocks);
    });
  };
}

/**
 * Returns the Hessian of a function with one scalar result: for a tensor x, in the shape [...x.shape, ...x.shape]; for a tree,
 * each of its tensors gets a tree like x, as in JAX: `hessian(f)({ w, b }).w.b` is ∂²f/∂w∂b. One backward pass per element of x.
 * Errors: TapeError for an f whose result isn't a scalar, and for inputs that aren't tensors of floats.
 */
export function hessian(f: (x: Tensor) => Tensor): (x: Tensor) => Tensor<'float32'>;
export function hessian<T extends object>(f: (x: T) => Tensor): (x: T) => JacobianOf<T, T>;
export function hessian(f: unknown, ...extra: never[]): (x: never) => unknown {
  rejectExtraArguments('hessian', extra, ['f']);
  return (x) => {
    requireFunction('hessian', f);
    const gradient = (input: unknown): unknown => {
      const leaves = tensorLeaves(input);
      return withTape((tape) => {
        tape.watch(leaves);
        const value = f(input);
        requireValue('hessian', value);
        requireScalar(value);
        return packTree(input, tape.gradients([value], leaves, { unconnectedGradients: 'zero' }));
      });
    };
    return rowsOf('hessian', gradient, x);
  };
}

function requireScalar(value: Tensor): void {
  if (value.rank === 0) return;
  throw new TapeError({
    op: 'hessian',
    rule: 'the function returns a scalar, a tensor of shape [].',
    received: formatSpec(value),
    hint: 'reduce it by sum or mean; jacobian(grad(f)) takes any shape, and differentiates the sum.',
  });
}

/** For each leaf of f(x) a tree like x. */
function rowsOf(name: string, f: (x: unknown) => unknown, x: unknown): unknown {
  const inputs = floatsIn(name, x, 'input 0');
  const blocksOf = (tape: Tape) => {
    const own = tape.stopRecording(() => distinct(inputs));
    tape.watch(own);
    const value = f(packTree(x, own));
    const targets = tensorsIn(name, value, 'the value');
    return tape.stopRecording(() => {
      const blocks = targets.map((target) => {
        const rows = units(
          target.shape,
          (outputGradients) =>
            tape.gradients([target], own, { outputGradients, unconnectedGradients: 'zero' }) as Tensor[],
        );
        return packTree(
          x,
          own.map((input, k) =>
            assembled(
              rows.map((row) => row[k] as Tensor),
              target.shape,
              input.shape,
              0,
            ),
          ),
        );
      });
      return packTree(value, blocks);
    });
  };
  return withTape(blocksOf, new Tape(true));
}

/** Returns the leaves of a tree of tensors. */
const tensorLeaves = (tree: unknown): Tensor[] => leavesOf(tree as Nest<Tensor>);

/** Returns `map` of the unit tensors of `shape`, in order. */
function units<T>(shape: Shape, map: (unit: Tensor) => T): T[] {
  return Array.from({ length: sizeOf(shape) }, (_, i) => tidy(() => map(unitAt(i, shape))));
}

/** Returns the block of a Jacobian from its rows (axis 0), or its columns (axis -1). */
function assembled(parts: readonly Tensor[], result: Shape, input: Shape, axis: 0 | -1): Tensor {
  const shape = [...result, ...input];
  if (sizeOf(shape) === 0) return tensor([], { shape });
  return reshape(stack(parts, { axis }), { shape });
}
