/**
 * @file The value of an expression as text, tensors with their values: for `show` of the playground and the examples of the
 * reference.
 */
import { formatValue } from './formatValue.ts';

/** Larger tensors are shown by dtype and shape. */
const ELEMENTS = 36;
const DIGITS = 4;

interface Readable {
  dtype: string;
  shape: readonly number[];
  size: number;
  array(): Promise<unknown>;
}

export const isReadable = (value: unknown): value is Readable =>
  typeof value === 'object' && value !== null && 'array' in value && 'dtype' in value && 'size' in value;

export async function formatResult(value: unknown): Promise<string> {
  const awaited = await value;
  if (Array.isArray(awaited) && awaited.some(isReadable))
    return (await Promise.all(awaited.map(formatResult))).join('\n');
  if (isReadable(awaited))
    return awaited.size > ELEMENTS ? formatValue(awaited) : nested(await awaited.array());
  if (typeof awaited === 'number' || Array.isArray(awaited)) return nested(awaited);
  return formatValue(awaited);
}

/** Of a large tensor so many values are shown; a very large one isn't read. */
const SHOWN = 12;
const LARGE = 2 ** 20;

/** dtype, shape and values, as a log shows them. */
export async function formatTensor(tensor: Readable): Promise<string> {
  const kind = `${tensor.dtype}[${tensor.shape.join(', ')}]`;
  if (tensor.size > LARGE) return kind;
  const values = await tensor.array();
  if (tensor.size <= ELEMENTS) return `${kind} ${nested(values)}`;
  const flat = (Array.isArray(values) ? values : [values]).flat(Number.POSITIVE_INFINITY);
  return `${kind} ${nested(flat.slice(0, SHOWN)).slice(0, -1)}, … ${tensor.size - SHOWN} more]`;
}

function nested(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(nested).join(', ')}]`;
  return typeof value === 'number' ? rounded(value) : String(value);
}

/** As few digits as are meaningful in text; rounding residues near 0 become 0. */
function rounded(value: number): string {
  if (Math.abs(value) < 1e-6) return '0';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(DIGITS)));
}
