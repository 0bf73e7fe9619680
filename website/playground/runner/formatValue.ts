/** @file A value as a line of text, for people: arrays and objects a few levels deep, tensors by their dtype and shape. */

const ITEMS = 24;
const DEPTH = 3;

export function formatValue(value: unknown, depth = 0): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (isTensor(value)) return `${value.dtype}[${value.shape.join(', ')}]`;
  if (depth > DEPTH) return '…';
  if (ArrayBuffer.isView(value)) return typedArray(value);
  if (Array.isArray(value)) return listOf(value.map((item) => () => formatValue(item, depth + 1)));
  const entries = Object.entries(value).map(
    ([key, item]) =>
      () =>
        `${key}: ${formatValue(item, depth + 1)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${shortened(entries)} }`;
}

function isTensor(value: object): value is { dtype: string; shape: readonly number[] } {
  return 'dtype' in value && 'shape' in value && Array.isArray(value.shape);
}

/** The shortest form with the same float32 value: 0.1 rather than 0.10000000149011612. */
function typedArray(view: ArrayBufferView): string {
  if (view instanceof DataView) return `DataView(${view.byteLength})`;
  const numbers = Array.from(view as Float32Array);
  const short = view instanceof Float32Array ? (n: number) => String(Number(n.toPrecision(7))) : String;
  return `${view.constructor.name} ${listOf(numbers.map((n) => () => short(n)))}`;
}

const listOf = (items: readonly (() => string)[]) => `[${shortened(items)}]`;

function shortened(items: readonly (() => string)[]): string {
  const shown = items.slice(0, ITEMS).map((item) => item());
  if (items.length > ITEMS) shown.push(`… ${items.length - ITEMS} more`);
  return shown.join(', ');
}
