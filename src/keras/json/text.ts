/** @file The text of Keras's JSON. Python distinguishes 1 from 1.0, and some options of Keras must be floats. */
import type { Json } from './document.ts';

/** Options that Keras rejects as integers. */
const floats = new Set(['learning_rate', 'momentum', 'beta', 'threshold']);

/** Returns `value` as JSON, in which floats have a fraction. `key` is the key of the value. */
export function jsonText(value: Json, key = ''): string {
  if (typeof value === 'number' && Number.isInteger(value) && floats.has(key)) return value.toFixed(1);
  if (Array.isArray(value)) return `[${value.map((item: Json) => jsonText(item, key)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}:${jsonText(item, name)}`,
  );
  return `{${entries.join(',')}}`;
}
