/**
 * @file Short descriptions of values for error messages. A rejected value may be anything: cyclic, a million elements
 * long, a proxy that throws. Describing it must neither fail nor take long.
 */

const maxDepth = 4;
/** The maximum number of values described inside lists and objects, in total. */
const maxParts = 50;
const maxText = 200;

/** How many values may still be described. */
interface Budget {
  parts: number;
}

/**
 * Returns a short description of any value: `[1, 'a']`, `a Tensor`, `{"units":3}`. If it is too long or too deep, it ends in
 * `…`.
 */
export function describe(value: unknown): string {
  try {
    return textOf(value, 0, { parts: maxParts });
  } catch {
    // A proxy or a getter threw.
    return 'a value that cannot be inspected';
  }
}

/** Returns the hint for a rejected value: for a Promise, to await it (often forgotten); otherwise `otherwise`. */
export function hintFor(value: unknown, otherwise: string): string {
  return value instanceof Promise ? 'await it first: a Promise has no values yet.' : otherwise;
}

function textOf(value: unknown, depth: number, budget: Budget): string {
  if (typeof value === 'string') return `'${shortened(value)}'`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${shortened(String(value))}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${itemsOf(value, depth, budget, textOf, ', ')}]`;
  const name = classNameOf(value);
  return name === null ? jsonOf(value, depth, budget) : `a ${name}`;
}

/** Returns the name of an object's class; null for plain objects. */
function classNameOf(value: object): string | null {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? shortened(name) : null;
}

/** Returns a plain object as JSON, with descriptions of values that JSON can't represent. */
function jsonOf(value: unknown, depth: number, budget: Budget): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (typeof value !== 'object' || value === null) return textOf(value, depth, budget);
  if (Array.isArray(value)) return `[${itemsOf(value, depth, budget, jsonOf, ',')}]`;
  if (classNameOf(value) !== null) return textOf(value, depth, budget);
  if (depth >= maxDepth) return '{…}';
  const entries: string[] = [];
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (budget.parts-- <= 0) {
      entries.push('…');
      break;
    }
    const item = (value as Record<string, unknown>)[key];
    entries.push(`${JSON.stringify(shortened(key))}:${jsonOf(item, depth + 1, budget)}`);
  }
  return `{${entries.join(',')}}`;
}

function itemsOf(
  list: readonly unknown[],
  depth: number,
  budget: Budget,
  text: typeof textOf,
  separator: string,
): string {
  if (depth >= maxDepth && list.length > 0) return '…';
  const items: string[] = [];
  for (let i = 0; i < list.length; i++) {
    if (budget.parts-- <= 0) {
      items.push('…');
      break;
    }
    items.push(text(list[i], depth + 1, budget));
  }
  return items.join(separator);
}

function shortened(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}
