/**
 * @file einsum of two tensors, by matMul, with axes as letters, as in `abc,cd->abd`. Sums over letters that the result lacks.
 */
import { ValueError } from '../core/errors.ts';
import { matMul } from '../ops/products/matMul.ts';
import { reshape } from '../ops/arrangement/reshape.ts';
import { sum } from '../ops/reductions/sum.ts';
import { transpose } from '../ops/arrangement/transpose.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** The axes of both operands and of the result, by letters. */
export interface Einsum {
  readonly a: string;
  readonly b: string;
  readonly result: string;
}

/**
 * Returns the product of `a` and `b`. Every letter of the result is in an operand; each occurs once in an operand or the result.
 * Errors: ValueError for other letters; ShapeError where sizes don't match.
 */
export function einsum(axes: Einsum, a: Tensor, b: Tensor): Tensor {
  requireLetters(axes);
  const { a: inA, b: inB, result } = axes;
  const [left, right] = [needed(inA, inB + result), needed(inB, inA + result)];
  return product({ a: left, b: right, result }, summed(a, inA, left), summed(b, inB, right));
}

/** The letters of an operand that the other one or the result have, too. */
const needed = (axes: string, others: string) => letters(axes, (letter) => others.includes(letter));

/** Sums an operand over the letters that only it has. */
function summed(x: Tensor, from: string, to: string): Tensor {
  if (from === to) return x;
  const axis = [...from].flatMap((letter, i) => (to.includes(letter) ? [] : [i]));
  return sum(x, { axis });
}

function product(axes: Einsum, a: Tensor, b: Tensor): Tensor {
  const sizes = new Map([...axes.a].map((letter, i) => [letter, a.shape[i] as number]));
  [...axes.b].forEach((letter, i) => {
    if (!sizes.has(letter)) sizes.set(letter, b.shape[i] as number);
  });
  const inB = (letter: string) => axes.b.includes(letter);
  const inResult = (letter: string) => axes.result.includes(letter);
  const batch = letters(axes.a, (letter) => inB(letter) && inResult(letter));
  const rows = letters(axes.a, (letter) => !inB(letter));
  const inner = letters(axes.a, (letter) => inB(letter) && !inResult(letter));
  const columns = letters(axes.b, (letter) => !axes.a.includes(letter));
  const shapeOf = (group: string) => [...group].map((letter) => sizes.get(letter) as number);
  const sizeOf = (group: string) => shapeOf(group).reduce((product, n) => product * n, 1);
  // As matrices; transposed by matMul instead of a copy if the order of axes allows it.
  const matrices = (x: Tensor, from: string, first: string, second: string) => {
    const swapped = from === batch + second + first;
    const [before, after] = swapped ? [second, first] : [first, second];
    const moved = arranged(x, from, batch + before + after);
    return {
      swapped,
      x: reshape(moved, { shape: [...shapeOf(batch), sizeOf(before), sizeOf(after)] }),
    };
  };
  const left = matrices(a, axes.a, rows, inner);
  const right = matrices(b, axes.b, inner, columns);
  const found = matMul(left.x, right.x, { transposeA: left.swapped, transposeB: right.swapped });
  const given = batch + rows + columns;
  return arranged(reshape(found, { shape: shapeOf(given) }), given, axes.result);
}

function letters(of: string, wanted: (letter: string) => boolean): string {
  return [...of].filter(wanted).join('');
}

function arranged(x: Tensor, from: string, to: string): Tensor {
  return from === to ? x : transpose(x, { perm: [...to].map((letter) => from.indexOf(letter)) });
}

function requireLetters({ a, b, result }: Einsum): void {
  const once = [a, b, result].every((axes) => new Set(axes).size === axes.length);
  const known = [...result].every((letter) => a.includes(letter) || b.includes(letter));
  if (once && known) return;
  throw new ValueError({
    op: 'einsum',
    rule: 'each axis has its own letter, and those of the result occur in an operand.',
    received: `${a},${b}->${result}`,
    hint: 'take the diagonal of repeated axes first: ops.einsum does.',
  });
}
