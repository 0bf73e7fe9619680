/**
 * @file einsum: sums of products by Einstein's notation. Operands are contracted from left to right, each pair by one batched
 * matrix product.
 */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { diagonalOf } from '../arrangement/diagonal.ts';
import { matMul } from './matMul.ts';
import type { TensorLike } from '../define/operands.ts';
import type { SymbolicTensor } from '../define/recorders.ts';
import { reshape } from '../arrangement/reshape.ts';
import { broadcastTo, sum } from '../reductions/sum.ts';
import { transpose } from '../arrangement/transpose.ts';

export interface EinsumOptions {
  /** The labels of each operand's axes and of the result's, such as 'bij,bjk->bik'. */
  equation: string;
}

type EinsumOp = CompositeOp<[tensors: Tensor[]], EinsumOptions, Tensor, ['equation']>;

/** The equation may come first, as in NumPy, TF.js and Keras. */
export interface Einsum extends EinsumOp {
  (equation: string, ...tensors: readonly TensorLike[]): Tensor;
  (equation: string, ...tensors: readonly (TensorLike | SymbolicTensor)[]): SymbolicTensor;
}

/** A tensor whose axes have labels, all different. */
interface Labelled {
  readonly labels: readonly string[];
  readonly tensor: Tensor;
}

/**
 * Sums of products by Einstein's notation, as in NumPy: each axis has a letter; letters missing in the result are summed
 * over; a letter repeated in one operand takes the diagonal; `...` stands for axes that broadcast. Without `->` the result
 * has the letters that occur once, in alphabetical order. Dtypes as for `matMul`, whose kernels it uses.
 *
 *     einsum('bij,bjk->bik', a, b);
 *     einsum([a, b], { equation: 'bij,bjk->bik' });
 *
 * Errors: ValueError for a malformed equation, ShapeError if it doesn't fit the tensors.
 */
export const einsum: Einsum = /* @__PURE__ */ withEquationFirst(
  /* @__PURE__ */ defineComposite({
    name: 'einsum',
    inputs: ['...tensors'],
    options: { equation: true },
    compose: (tensors, { equation }) => {
      const { operands, result } = parse(equation, tensors);
      const sizes = sizesOf(equation, tensors, operands);
      const labelled = tensors.map((tensor, i) => withoutRepeats(tensor, operands[i] as string[], sizes));
      const [first, ...others] = labelled as [Labelled, ...Labelled[]];
      const total = others.reduce((left, right, i) => {
        const later = others.slice(i + 1).flatMap(({ labels }) => labels);
        return contract(left, right, new Set([...result, ...later]), sizes);
      }, first);
      return arranged(summedTo(total, new Set(result)), result, sizes);
    },
  }),
);

/* @__NO_SIDE_EFFECTS__ */
function withEquationFirst(op: EinsumOp): Einsum {
  const einsum = (...args: unknown[]) => {
    const [equation, ...tensors] = args;
    return typeof equation === 'string'
      ? op(tensors as readonly Tensor[], { equation })
      : op(...(args as [readonly Tensor[], EinsumOptions]));
  };
  // Both forms are distinguished at run time; symbolic tensors give symbolic ones, as for any op.
  return Object.assign(einsum, { definition: op.definition }) as unknown as Einsum;
}

/** Returns the labels of each operand and of the result. Axes of an ellipsis get labels counted from the last, '.0'. */
function parse(equation: unknown, tensors: readonly Tensor[]): { operands: string[][]; result: string[] } {
  const text = typeof equation === 'string' ? equation.replace(/\s/g, '') : '';
  const match = /^((?:[A-Za-z,]|\.\.\.)*)(?:->((?:[A-Za-z]|\.\.\.)*))?$/.exec(text);
  const terms = match?.[1]?.split(',') ?? [];
  if (
    typeof equation !== 'string' ||
    !match ||
    terms.length !== tensors.length ||
    [...terms, match[2] ?? ''].some(hasTwoEllipses)
  ) {
    throw new ValueError({
      op: 'einsum',
      rule: '`equation` must name the axes of each tensor by letters, and may name those of the result after ->.',
      received: `equation: ${describe(equation)} for ${tensors.length} tensors`,
      hint: "a batched matrix product is 'bij,bjk->bik'.",
    });
  }
  const operands = tensors.map(({ shape }, i) => labelsOf(terms[i] ?? '', shape.length, text));
  const covered = new Set(operands.flat().filter((label) => label.startsWith('.')));
  const ellipsis = [...covered].sort((a, b) => Number(b.slice(1)) - Number(a.slice(1)));
  const result = match[2] === undefined ? implied(operands, ellipsis) : resultOf(match[2], ellipsis);
  const unknown = result.find((label, i) => !operands.flat().includes(label) || result.indexOf(label) !== i);
  if (unknown !== undefined) {
    throw new ValueError({
      op: 'einsum',
      rule: 'each label of the result must occur once, and in an operand.',
      received: `'${unknown}' in the result of '${text}'`,
      hint: 'drop it, or use it for an axis of an operand.',
    });
  }
  return { operands, result };
}

const hasTwoEllipses = (term: string) => term.split('...').length > 2;

function labelsOf(term: string, rank: number, equation: string): string[] {
  const [before = '', after] = term.split('...');
  const named = before.length + (after?.length ?? 0);
  const covered = rank - named;
  if (after === undefined ? covered !== 0 : covered < 0) {
    throw new ShapeError({
      op: 'einsum',
      rule: 'each tensor must have as many axes as its labels.',
      received: `'${term}' of '${equation}' for a tensor of rank ${rank}`,
      hint: 'name each axis, or write ... for the others.',
    });
  }
  const ellipsis = Array.from({ length: covered }, (_, i) => `.${covered - 1 - i}`);
  return [...before, ...ellipsis, ...(after ?? '')];
}

function resultOf(term: string, ellipsis: readonly string[]): string[] {
  const [before = '', after] = term.split('...');
  return after === undefined ? [...before] : [...before, ...ellipsis, ...after];
}

/** Returns the labels of the result if the equation names none, as in NumPy. */
function implied(operands: readonly string[][], ellipsis: readonly string[]): string[] {
  const letters = operands.flat().filter((label) => !label.startsWith('.'));
  const once = letters.filter((label) => letters.indexOf(label) === letters.lastIndexOf(label));
  return [...ellipsis, ...once.sort()];
}

/** Returns the size of each label. Axes of an ellipsis broadcast; others must agree. */
function sizesOf(
  equation: string,
  tensors: readonly Tensor[],
  operands: readonly string[][],
): Map<string, number> {
  const sizes = new Map<string, number>();
  tensors.forEach(({ shape }, i) => {
    operands[i]?.forEach((label, axis) => {
      const size = shape[axis] as number;
      const known = sizes.get(label) ?? size;
      const broadcasts = label.startsWith('.') && (known === 1 || size === 1);
      if (known !== size && !broadcasts) {
        throw new ShapeError({
          op: 'einsum',
          rule: 'axes with the same label must have the same size.',
          received: `sizes ${known} and ${size} of '${label}' in '${equation}', for ${tensors.map(({ shape }) => formatShape(shape)).join(' and ')}`,
          hint: 'use different labels, or reshape the tensors.',
        });
      }
      sizes.set(label, known === 1 ? size : known);
    });
  });
  return sizes;
}

/** Takes diagonals where a label repeats, and drops axes of size 1 that broadcast. */
function withoutRepeats(tensor: Tensor, labels: readonly string[], sizes: Map<string, number>): Labelled {
  const repeated = labels.find((label, i) => labels.indexOf(label) !== i);
  if (repeated !== undefined) {
    const [a, b] = labels.flatMap((label, i) => (label === repeated ? [i] : [])) as [number, number];
    const rest = labels.map((_, i) => i).filter((i) => i !== a && i !== b);
    const moved = transpose(tensor, { perm: [...rest, a, b] });
    return withoutRepeats(diagonalOf(moved, 0), [...rest.map((i) => labels[i] as string), repeated], sizes);
  }
  const keeps = labels.map((label, i) => tensor.shape[i] === sizes.get(label));
  if (keeps.every(Boolean)) return { labels, tensor };
  const kept = <T>(list: readonly T[]) => list.filter((_, i) => keeps[i]);
  return { labels: kept(labels), tensor: reshape(tensor, { shape: kept(tensor.shape) }) };
}

/** Returns the sum over all labels that aren't in `kept`. */
function summedTo({ labels, tensor }: Labelled, kept: ReadonlySet<string>): Labelled {
  const axis = labels.flatMap((label, i) => (kept.has(label) ? [] : [i]));
  if (axis.length === 0) return { labels, tensor };
  return { labels: labels.filter((label) => kept.has(label)), tensor: sum(tensor, { axis }) };
}

/** Returns the product of two operands, summed over the labels that aren't in `kept`. */
function contract(
  left: Labelled,
  right: Labelled,
  kept: ReadonlySet<string>,
  sizes: Map<string, number>,
): Labelled {
  const a = summedTo(left, new Set([...kept, ...right.labels]));
  const b = summedTo(right, new Set([...kept, ...left.labels]));
  const shared = a.labels.filter((label) => b.labels.includes(label));
  const batch = shared.filter((label) => kept.has(label));
  const inner = shared.filter((label) => !kept.has(label));
  const rows = a.labels.filter((label) => !shared.includes(label));
  const columns = b.labels.filter((label) => !shared.includes(label));
  const labels = [...batch, ...rows, ...columns];
  const sizesIn = (list: readonly string[]) => list.map((label) => sizes.get(label) as number);
  if (inner.length === 0) {
    const widened = reshape(permuted(a, [...batch, ...rows]), {
      shape: [...sizesIn([...batch, ...rows]), ...columns.map(() => 1)],
    });
    const narrow = reshape(permuted(b, [...batch, ...columns]), {
      shape: [...sizesIn(batch), ...rows.map(() => 1), ...sizesIn(columns)],
    });
    return { labels, tensor: mul(widened, narrow) };
  }
  const [n, m, k, p] = [batch, rows, inner, columns].map((list) => sizeOf(sizesIn(list))) as [
    number,
    number,
    number,
    number,
  ];
  const first = reshape(permuted(a, [...batch, ...rows, ...inner]), { shape: [n, m, k] });
  const second = reshape(permuted(b, [...batch, ...inner, ...columns]), { shape: [n, k, p] });
  return { labels, tensor: reshape(matMul(first, second), { shape: sizesIn(labels) }) };
}

function permuted({ labels, tensor }: Labelled, order: readonly string[]): Tensor {
  return transpose(tensor, { perm: order.map((label) => labels.indexOf(label)) });
}

/** Transposes to the order of the result, and restores axes that were dropped because every operand had size 1. */
function arranged(total: Labelled, result: readonly string[], sizes: Map<string, number>): Tensor {
  const present = result.filter((label) => total.labels.includes(label));
  const tensor = permuted(total, present);
  if (present.length === result.length) return tensor;
  const spread = result.map((label) => (present.includes(label) ? (sizes.get(label) as number) : 1));
  return broadcastTo(reshape(tensor, { shape: spread }), {
    shape: result.map((label) => sizes.get(label) as number),
  });
}
