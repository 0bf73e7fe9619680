/**
 * @file Options: their names, and how they are passed. An option that nothing reads is an error, since a misspelt name must
 * not be ignored. Some options may also be passed by position, as in TF.js or Keras: `sum(x, 1)`.
 */
import { describe } from './describe.ts';
import { ValueError } from './errors.ts';
import { suggestionFor } from './suggest.ts';

/**
 * The names of all options of `O`. True marks those that may also be passed by position: they come first, in the order of
 * their positions.
 */
export type OptionNames<O extends object, P extends string = string> = {
  readonly [K in keyof O]-?: string extends P ? boolean : K extends P ? true : false;
};

/** An option passed by position. Null omits an optional one, like None in Python. */
type Given<O extends object, N extends keyof O> = object extends Pick<O, N> ? O[N] | null : O[N];

/**
 * The arguments of a call that passes options by position: those of `P`, in order, then the others in one object. An
 * option passed by position isn't passed again.
 */
export type Positions<O extends object, P extends readonly string[]> = P extends readonly [
  infer N extends keyof O,
  ...infer Rest extends readonly string[],
]
  ? [option: Given<O, N>, ...Settings<Omit<O, N>, Rest>]
  : [never];

/**
 * Options in one object, or by position. A single signature rather than overloads, so that TypeScript can call a union of
 * such functions.
 */
export type Settings<O extends object, P extends readonly string[]> =
  | LastOptions<O>
  | (P extends readonly [] ? never : Positions<O, P>);

/** Options in one object, which may be omitted if none is required. */
export type LastOptions<O extends object> = object extends O ? [options?: O] : [options: O];

/** Names of options of any kind. */
export type Names = Readonly<Record<string, boolean>>;

/** Returns whether `value` is an object literal, or one made like it. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // Also for objects of other realms: a prototype without a prototype is an Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The maximum number of entries of a list passed as an option: checking each entry of a longer one would take seconds. */
const longestList = 2 ** 24;

/** Throws a ValueError unless `options` is an object whose keys are all in `known`, without excessively long lists. */
export function checkOptions(
  op: string,
  options: unknown,
  known: Names | readonly string[],
  hint?: string,
): void {
  if (!isPlainObject(options)) throw notOptions(op, options, namesIn(known));
  for (const key in options) {
    if (!isKnown(key, known)) throw unknownOption(op, options, namesIn(known), hint);
    const value = options[key];
    if (lengthOf(value) > longestList) throw tooLong(op, key, value as readonly unknown[]);
  }
}

function isKnown(name: string, known: Names | readonly string[]): boolean {
  return isList(known) ? known.includes(name) : Object.hasOwn(known, name);
}

function namesIn(known: Names | readonly string[]): readonly string[] {
  return isList(known) ? known : Object.keys(known);
}

function isList(known: Names | readonly string[]): known is readonly string[] {
  return Array.isArray(known);
}

/**
 * Returns the options of a call that passes them in one object, by position, or both: `(2)`, `(2, { padding: 'same' })`. `before`
 * names the arguments that come first.
 * Errors: ValueError for unknown options and for unexpected arguments.
 */
export function optionsOf(
  op: string,
  args: readonly unknown[],
  names: Names,
  before: readonly string[] = [],
): object {
  const known = Object.keys(names);
  const positions = known.filter((name) => names[name]);
  const options = byPosition(op, args, positions, { known, before });
  checkOptions(op, options, names);
  return options;
}

/** Returns whether `value` is an object of options, not the value of one, such as a schedule or an initializer. */
export function isOptions(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && typeof value.getConfig !== 'function';
}

/**
 * Like `optionsOf`, for callers that check the names themselves. Null and undefined omit a position, like None in Python.
 * Errors: ValueError for unexpected arguments.
 */
export function byPosition(
  op: string,
  args: readonly unknown[],
  positions: readonly string[],
  { known = positions, before = [] }: { known?: readonly string[]; before?: readonly string[] } = {},
): Record<string, unknown> {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  const last = args[count - 1];
  const named = isOptions(last) ? last : null;
  if (named) count--;
  if (count > positions.length) throw leftOver(op, args, { known, positions, before });
  const options = { ...named };
  for (const [i, value] of args.slice(0, count).entries()) {
    const name = positions[i] as string;
    if (value === undefined || value === null) continue;
    if (options[name] !== undefined) throw passedTwice(op, name, value, options[name]);
    options[name] = value;
  }
  return options;
}

/** Rejects further arguments of a function that takes only `before`. Errors: ValueError. */
export function rejectExtraArguments(op: string, extra: readonly unknown[], before: readonly string[]): void {
  const first = extra.findIndex((value) => value !== undefined);
  if (first < 0) return;
  throw new ValueError({
    op,
    rule: `it takes ${before.map((name) => `\`${name}\``).join(', ') || 'no arguments'}, and nothing more.`,
    received: `${describe(extra[first])} as argument ${before.length + first + 1}`,
    hint: `call ${op}(${before.join(', ')}).`,
  });
}

/** Returns `options` if they are an object. Errors: ValueError. */
export function plainOptions<O extends object>(op: string, options: O): O {
  if (!isPlainObject(options)) throw notOptions(op, options, []);
  return options;
}

/** Returns the error for a value that isn't an object of options. */
function notOptions(op: string, received: unknown, known: readonly string[]): ValueError {
  return new ValueError({
    op,
    rule:
      known.length > 0
        ? `its options are ${known.join(', ')}, in one object.`
        : 'options come in one object.',
    received: describe(received),
    hint: known.length > 0 ? `pass { ${known[0]}: … }, or leave it out.` : 'leave it out.',
  });
}

/** Returns the error for the options in `given` that aren't known. */
function unknownOption(
  op: string,
  given: object,
  known: readonly string[],
  hint = 'check the spelling.',
): ValueError {
  const unknown = Object.entries(given).filter(([key]) => !known.includes(key));
  return new ValueError({
    op,
    rule: known.length > 0 ? `its options are ${known.join(', ')}.` : 'it has no options.',
    received: unknown.map(([key, value]) => `${key}: ${describe(value)}`).join(', '),
    hint: suggestionFor(unknown[0]?.[0], known, hint),
  });
}

/** What may be passed: names of options, those that have positions, and the arguments before them. */
interface Accepted {
  readonly known: readonly string[];
  readonly positions: readonly string[];
  readonly before: readonly string[];
}

function tooLong(op: string, name: string, list: readonly unknown[]): ValueError {
  return new ValueError({
    op,
    rule: `a list that is an option has at most ${longestList} entries.`,
    received: `${name}: ${describe(list)}`,
    hint: 'pass many values as a tensor, or as a typed array.',
  });
}

function leftOver(op: string, given: readonly unknown[], { known, positions, before }: Accepted): ValueError {
  const taken = [...before, ...positions].map((name) => `\`${name}\``).join(', ') || 'nothing';
  const example = known.length > 0 ? [`{ ${known.map((name) => `${name}: …`).join(', ')} }`] : [];
  return new ValueError({
    op,
    rule: `by position it takes ${taken}; ${known.length > 0 ? 'options go into one object at the end.' : 'it has no options.'}`,
    received: `${describe(given[positions.length])} as argument ${before.length + positions.length + 1}`,
    hint: `call ${op}(${[...before, ...example].join(', ')})${known.length > 0 ? ', with the options that you need' : ''}.`,
  });
}

function passedTwice(op: string, name: string, first: unknown, second: unknown): ValueError {
  return new ValueError({
    op,
    rule: 'each option is passed once.',
    received: `${name}: ${describe(first)} by position, and ${describe(second)} by name`,
    hint: `leave out one of them.`,
  });
}

/** The length of a list; 0 for other values, and for a Proxy that throws. */
function lengthOf(value: unknown): number {
  try {
    return Array.isArray(value) ? value.length : 0;
  } catch {
    return 0;
  }
}
