/**
 * @file Keras's promotion of dtypes: its operations take booleans and integers where those of this library take only floats, or
 * want all operands to have one dtype. An operation of a file that is rejected as it is, is computed on promoted operands.
 */
import type { DType } from '../../core/dtype.ts';
import { DTypeError } from '../../core/errors.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import type { Formula } from './formulaParts.ts';

/** Operations whose results have the dtype of their operands, also of booleans. */
const ordering = /^(A?[Mm]ax|A?[Mm]in|Maximum|Minimum|Sort)$/;
/** Operations whose results on integers are integers. */
const arithmetic =
  /^(Abs|Absolute|Clip|Cross|Cumprod|Cumsum|Diff|Dot|Einsum|FloorDivide|Inner|Kron|Matmul|Mod|Multiply|Negative|Outer|Power|Prod|Ptp|Repeat|Round|Sign|Square|Sum|Tensordot|Trace|Tril|Triu|Vdot)$/;

/** A way to promote operands. */
interface Promotion {
  /** The dtype of operands. */
  readonly dtype: DType;
  /** Whether booleans stay, such as conditions. */
  readonly keepsFlags: boolean;
}

/** Computes `formula` of operations of class `className` on operands of promoted dtypes, if it rejects theirs. */
export function promoted(className: string, formula: Formula): Formula {
  return (args, options) => {
    try {
      return formula(args, options);
    } catch (error) {
      if (!(error instanceof DTypeError)) throw error;
      return computedAs(className, formula, args, options, error);
    }
  };
}

/** Errors: `rejected` if no promotion is accepted. */
function computedAs(
  className: string,
  formula: Formula,
  args: readonly unknown[],
  options: Parameters<Formula>[1],
  rejected: DTypeError,
): Nest<Tensor> {
  const found = leavesOf(args as Nest<unknown>).filter(isTensor);
  const given = new Set(found.map(({ dtype }) => dtype));
  for (const promotion of promotionsOf(given)) {
    try {
      const results = formula(promote(args, promotion), options);
      const dtype = resultOf(className, given, promotion);
      return dtype === null ? results : (mapNest(results, (x) => cast(x, { dtype })) as Nest<Tensor>);
    } catch (error) {
      if (!(error instanceof DTypeError)) throw error;
    }
  }
  throw rejected;
}

function isTensor(leaf: unknown): leaf is Tensor {
  return leaf instanceof Tensor || isSymbolic(leaf);
}

/** In the order in which they lose least. */
function promotionsOf(given: ReadonlySet<DType>): Promotion[] {
  const common: DType = given.has('float32') || given.has('float16') ? 'float32' : 'int32';
  return [
    { dtype: common, keepsFlags: true },
    { dtype: common, keepsFlags: false },
    { dtype: 'float32', keepsFlags: true },
    { dtype: 'float32', keepsFlags: false },
    { dtype: 'bool', keepsFlags: false },
  ];
}

function promote(args: readonly unknown[], { dtype, keepsFlags }: Promotion): readonly unknown[] {
  return mapNest(args as Nest<unknown>, (leaf) => {
    if (!isTensor(leaf) || leaf.dtype === dtype) return leaf;
    return keepsFlags && leaf.dtype === 'bool' ? leaf : cast(leaf, { dtype });
  }) as unknown as readonly unknown[];
}

/** Returns the dtype of results in Keras where it is not that of the promoted operands. */
function resultOf(className: string, given: ReadonlySet<DType>, { dtype }: Promotion): DType | null {
  const isOfFlags = [...given].every((type) => type === 'bool');
  if (isOfFlags && ordering.test(className)) return 'bool';
  const isOfIntegers = [...given].every((type) => type === 'bool' || type === 'int32');
  return isOfIntegers && dtype === 'float32' && (arithmetic.test(className) || ordering.test(className))
    ? 'int32'
    : null;
}
