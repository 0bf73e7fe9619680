/** @file A value as a line of text, for people: arrays and objects a few levels deep, tensors by their dtype and shape. */

const ITEMS = 24;
const DEPTH = 3;
/** Characters of a text. */
const LONGEST = 10_000;

export function formatValue(value: unknown, depth = 0): string {
  if (typeof value === 'string') return `'${shortText(value)}'`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Promise) return 'a promise: await it for its value';
  if (isTensor(value)) return `${value.dtype}[${value.shape.join(', ')}]`;
  if (depth > DEPTH) return '…';
  if (ArrayBuffer.isView(value)) return typedArray(value);
  if (Array.isArray(value)) {
    const first = value.slice(0, ITEMS).map((item) => () => formatValue(item, depth + 1));
    return `[${shortened(first, value.length)}]`;
  }
  const entries = Object.keys(value).map(
    (key) => () => `${key}: ${formatProperty(value as Record<string, unknown>, key, depth)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${shortened(entries)} }`;
}

/** A getter may throw. */
function formatProperty(value: Record<string, unknown>, key: string, depth: number): string {
  try {
    return formatValue(value[key], depth + 1);
  } catch (error) {
    return `[throws ${String(error)}]`;
  }
}

/** The beginning of a text that is too long to be read: the page would take seconds to show it. */
export function shortText(text: string): string {
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST)} … ${text.length - LONGEST} more characters`
    : text;
}

function isTensor(value: object): value is { dtype: string; shape: readonly number[] } {
  return 'dtype' in value && 'shape' in value && Array.isArray(value.shape);
}

/** The shortest form with the same float32 value: 0.1 rather than 0.10000000149011612. */
function typedArray(view: ArrayBufferView): string {
  if (view instanceof DataView) return `DataView(${view.byteLength})`;
  const numbers = view as Float32Array;
  const short = view instanceof Float32Array ? (n: number) => String(Number(n.toPrecision(7))) : String;
  const first = Array.from(numbers.subarray(0, ITEMS), (n) => () => short(n));
  return `${view.constructor.name} [${shortened(first, numbers.length)}]`;
}

/** The first of `count` items. */
function shortened(items: readonly (() => string)[], count = items.length): string {
  const shown = items.slice(0, ITEMS).map((item) => item());
  if (count > ITEMS) shown.push(`… ${count - ITEMS} more`);
  return shown.join(', ');
}
