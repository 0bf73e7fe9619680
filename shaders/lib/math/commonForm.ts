/**
 * @file Expressions for arguments as most are. A software adapter computes both sides of every condition: an invocation
 * that computes several elements does so by the common form first, and the few others again in a loop.
 */
import type { MathFunction } from './define.ts';
import { isFarAngle, nearCos, nearSin, nearTan } from './trigonometric.ts';

export interface CommonForm {
  readonly expression: string;
  /** WGSL: whether the elements need the complete expression. */
  readonly isRare: string;
  /** What both call. */
  readonly functions: readonly MathFunction[];
}

const near: Readonly<Record<string, MathFunction>> = { sin: nearSin, cos: nearCos, tan: nearTan };
const circular = /\bprecise_(sin|cos|tan)\(([a-f])\)/g;

/** The common form of an expression of operands; null where it has none. */
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
