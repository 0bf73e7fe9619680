/** @file float16 operands of ops whose kernels read float32: an error, unless the program has called `enableFloat16`. */
import { DTypeError } from '../../core/errors.ts';
import type { OpDefinition } from './definition.ts';

/** How ops take float16 operands. */
export interface Float16Forms {
  /** Whether ops that read float16 and sum in float32, such as matmul, round their results: within layers of mixedFloat16. */
  readonly roundsSums: boolean;
  /** The form of `op` that takes these operands. */
  formOf(op: OpDefinition, operands: readonly unknown[]): OpDefinition;
  /** Runs a formula of ops, which asks for float32, on these operands. */
  run<R>(operands: readonly unknown[], formula: (wide: readonly unknown[]) => R): R;
}

let forms: Float16Forms | null = null;

/** Null: float16 operands are errors again. */
export function provideFloat16(provided: Float16Forms | null): void {
  forms = provided;
}

export function isFloat16(operand: unknown): boolean {
  return (operand as { dtype?: unknown } | null | undefined)?.dtype === 'float16';
}

/** Returns `op`, or its form for float16 operands. Errors: DTypeError where there are none. */
export function forFloat16(op: OpDefinition, operands: readonly unknown[]): OpDefinition {
  const reads = op.acceptsFloat16 || [];
  if (reads === true || !operands.some((x, i) => isFloat16(x) && (forms?.roundsSums || !reads.includes(i))))
    return op;
  return requireForms(op.name).formOf(op, operands);
}

/** Runs a formula that asks for float32. Errors: as above. */
export function inFloat32<R>(
  op: string,
  operands: readonly unknown[],
  formula: (wide: readonly unknown[]) => R,
): R {
  return operands.some(isFloat16) ? requireForms(op).run(operands, formula) : formula(operands);
}

function requireForms(op: string): Float16Forms {
  if (forms) return forms;
  throw new DTypeError({
    op,
    rule: 'matmul, convolutions and gathers accept float16, other ops compute in float32.',
    received: 'float16',
    hint: "widen it first, cast(x, 'float32'), or call enableFloat16().",
  });
}
