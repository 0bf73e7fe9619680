/** @file The text of Keras's JSON. Python distinguishes 1 from 1.0, and some options of Keras must be floats. */
import type { Pieces } from '../../core/pieces.ts';
import { isObject, type Json } from './document.ts';
import { PythonFloat } from './pythonFloats.ts';

/** Options that Keras rejects as integers. */
const floats = new Set(['learning_rate', 'momentum', 'beta', 'threshold']);

/** Writes `value` as JSON in which floats have a fraction, an object with a class at a time. `key` is the key of the value. */
export function* writeText(value: Json, key = ''): Pieces<string> {
  if (typeof value === 'number' && Number.isInteger(value) && floats.has(key)) return value.toFixed(1);
  if ((value as unknown) instanceof PythonFloat) return Number(value).toFixed(1);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts: string[] = [];
  if (!isObject(value)) {
    for (const item of value) parts.push(yield* writeText(item, key));
    return `[${parts.join(',')}]`;
  }
  for (const [name, item] of Object.entries(value))
    parts.push(`${JSON.stringify(name)}:${yield* writeText(item, name)}`);
  if ('class_name' in value) yield;
  return `{${parts.join(',')}}`;
}
