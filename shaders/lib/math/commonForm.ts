/**
 * @file Cheaper expressions for common arguments. A software adapter computes both sides of every condition, so an invocation
 * first computes all its elements by the common form, and then the few rare ones again in a loop.
 */
import type { MathFunction } from './define.ts';
import { isFarAngle, nearCos, nearSin, nearTan } from './trigonometric.ts';

export interface CommonForm {
  readonly expression: string;
  /** WGSL condition that the elements need the complete expression. */
  readonly isRare: string;
  /** Functions that both call. */
  readonly functions: readonly MathFunction[];
}

const near: Readonly<Record<string, MathFunction>> = { sin: nearSin, cos: nearCos, tan: nearTan };
const circular = /\bprecise_(sin|cos|tan)\(([a-f])\)/g;

/** The common form of an expression of operands; null if it has none. */
export function commonForm(expression: string): CommonForm | null {
  const calls = [...expression.matchAll(circular)];
  if (calls.length === 0) return null;
  const functions = calls.map(([, name]) => near[name as string] as MathFunction);
  const operands = new Set(calls.map(([, , operand]) => operand as string));
  return {
    expression: expression.replaceAll(circular, 'near_$1($2)'),
    isRare: [...operands].map((operand) => isFarAngle(operand)).join(' || '),
    functions: [...functions, isFarAngle],
  };
}
