/** @file Whole floats among the operands of an op, as they were in the document. */
import { isObject, type Json } from './document.ts';
import { mark } from './markedFloats.ts';

/** A float without a fraction, as one operand of an op. */
export class PythonFloat extends Number {}

/** Returns the float that `withMarkedFloats` has marked, or that a description of a model has; null for anything else. */
export function pythonFloat(value: Json): PythonFloat | null {
  if ((value as unknown) instanceof PythonFloat) return value as unknown as PythonFloat;
  if (!isObject(value) || !(mark in value)) return null;
  return new PythonFloat(value[mark]);
}

/** Returns operands as ops take them. */
export function plainOperand(operand: unknown): unknown {
  if (operand instanceof PythonFloat) return Number(operand);
  return Array.isArray(operand) ? operand.map(plainOperand) : operand;
}

/** Returns JSON in which the floats are Python's. */
export function textWithFloats(value: Json, indent?: number): string {
  const marked = (_: string, item: unknown) => (item instanceof PythonFloat ? `\0${item.toFixed(1)}` : item);
  return JSON.stringify(value, marked, indent).replaceAll(/"\\u0000(-?[\d.]+)"/g, '$1');
}
