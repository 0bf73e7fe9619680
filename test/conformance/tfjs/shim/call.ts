/**
 * @file Calls of the library by the shim: TF.js's arguments become tensors, and rejections by the library get
 * TF.js's messages, since its tests match them. The rejection itself is always the library's, or a rule of TF.js's own
 * signatures (`tensor2d` takes rank 2), never a guess by the shim.
 */
import { ownedByTest } from './testScope.ts';
import * as library from '../../../../src/index.ts';
import { type DType, RetrogradError, Tensor, tensor, tidy } from '../../../../src/index.ts';
import { ComplexPair } from './complexPair.ts';
import { NotOffered, notOffered } from './notOffered.ts';

/** Any argument of a spec: some specs pass values of a wrong type. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would need a cast at each of 170 places, and each cast would claim a type that the spec may not have passed.
export type Loose = any;

/** A rejection by TF.js's own signature, before the library is called. */
export class Rejection extends Error {}

/** A rejection by the library, with TF.js's message. */
class Worded extends Error {}

/** Errors that aren't rejections: defects of the library or the shim. They fail the spec, even if it expects an error. */
export const defects = new Set<unknown>();

const exported = library as Readonly<Record<string, Loose>>;

/** Returns an export of the library. A missing one fails the spec, since the shim contains only names that are offered. */
export function native(name: string): Loose {
  const found = exported[name];
  if (!found) throw new Error(`the library has no '${name}'`);
  return found;
}

/**
 * Defines a TF.js op over the library. `parameters` are TF.js's names of its tensor arguments, with the dtype it requires
 * (`x:float32`; none: any number); '' for others.
 */
export function defineShim(
  name: string,
  parameters: readonly string[],
  body: (...args: Loose[]) => Loose,
): (...args: Loose[]) => Loose {
  return (...args) => {
    parameters.forEach((parameter, i) => {
      if (parameter.endsWith(':string_or_numeric') && [args[i]].flat().some((x) => dtypeOf(x) === 'string'))
        notOffered('string tensors');
    });
    try {
      return ownedByTest(tidy(() => body(...args)));
    } catch (error) {
      throw inTheirWords(error, name, parameters, args);
    }
  };
}

/** Runs `body`, and records all errors except typed rejections. */
export function inTheirWords(
  error: unknown,
  name: string,
  parameters: readonly string[],
  args: readonly Loose[],
): unknown {
  if (error instanceof NotOffered || error instanceof Rejection) return error;
  if (!(error instanceof RetrogradError || error instanceof Worded)) {
    defects.add(error);
    return error;
  }
  const exact = exactWords[name]?.(args);
  if (exact) return new Worded(exact, { cause: error });
  const words = parameters.flatMap((parameter, i) => wordsFor(name, parameter, args[i]));
  return new Worded([...words, ...(extraWords[name]?.(args) ?? []), error.message].join('\n'), {
    cause: error,
  });
}

/** Returns TF.js's message about an argument that it rejects. */
function wordsFor(name: string, parameter: string, value: Loose): string[] {
  if (parameter === '') return [];
  const [argument, wanted = 'numeric'] = parameter.split(':') as [string, string?];
  const prefix = `Argument '${argument}' passed to '${name}' must be`;
  const list = argument.endsWith('[]') ? value : null;
  if (Array.isArray(list))
    return list.flatMap((item, i) => wordsFor(name, `${argument.slice(0, -2)}[${i}]:${wanted}`, item));
  const dtype = dtypeOf(value);
  if (dtype === null)
    return [`${prefix} a Tensor or TensorLike, but got '${value?.constructor?.name ?? value}'`];
  if (wanted === dtype || wanted === 'string_or_numeric' || (wanted === 'numeric' && dtype !== 'string'))
    return [];
  return [`${prefix} ${wanted} tensor, but got ${dtype} tensor`];
}

/** Returns the dtype that TF.js infers; null for anything but a TensorLike. */
export function dtypeOf(value: Loose): string | null {
  if (value instanceof Tensor) return value.dtype;
  if (value instanceof Float32Array) return 'float32';
  if (ArrayBuffer.isView(value)) return 'int32';
  if (typeof value === 'number') return 'float32';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (!Array.isArray(value)) return null;
  let first: Loose = value;
  while (Array.isArray(first)) first = first[0];
  return first === undefined ? 'float32' : dtypeOf(first);
}

/**
 * Returns a TensorLike as a tensor, in the dtype that TF.js infers, or in `dtype`. Anything else is returned unchanged: the
 * library must reject it.
 */
export function toTensor(value: Loose, dtype?: DType): Loose {
  if (value instanceof Tensor) return value;
  if (value instanceof ComplexPair) notOffered('complex64 tensors');
  const inferred = dtypeOf(value);
  if (inferred === null || inferred === 'string') return value;
  return tensor(value, { dtype: dtype ?? (inferred as DType) });
}

export function toTensors(values: Loose, dtype?: DType): Loose {
  return Array.isArray(values) ? values.map((value) => toTensor(value, dtype)) : values;
}

/** Integers and bools as floats, where TF.js computes in floats. */
export function toFloat(value: Loose): Loose {
  const x = toTensor(value);
  return x instanceof Tensor && x.dtype !== 'float32' ? native('cast')(x, 'float32') : x;
}

/** Bools as integers, where TF.js computes in integers. */
export function toNumber(value: Loose): Loose {
  const x = toTensor(value);
  return x instanceof Tensor && x.dtype === 'bool' ? native('cast')(x, 'int32') : x;
}

/** TF.js's own dtype check, for ops where the library accepts more than TF.js. */
export function requireFloat(name: string, argument: string, x: Loose): void {
  if (x instanceof Tensor && x.dtype !== 'float32') {
    throw new Rejection(
      `Argument '${argument}' passed to '${name}' must be float32 tensor, but got ${x.dtype} tensor`,
    );
  }
}

export function rejectUnless(condition: boolean, message: string): void {
  if (!condition) throw new Rejection(message);
}

/** TF.js's own rank check. Anything but a tensor passes, since the library must reject it. */
export function requireRank(x: Loose, ranks: readonly number[], message: string): void {
  rejectUnless(!(x instanceof Tensor) || ranks.includes(x.rank), message);
}

/** Layouts other than the last-channel ones aren't offered; unknown names are rejected. */
export function requireLayout(format: string, offered: string, others: readonly string[]): void {
  if (format === offered) return;
  if (others.includes(format)) notOffered(`the layout ${format}`);
  throw new Rejection(`Unknown dataFormat ${format}`);
}

/** Further messages of TF.js about arguments that the library has rejected, by op. */
const extraWords: Record<string, (args: readonly Loose[]) => string[]> = {};

export function sayAlso(name: string, words: (args: readonly Loose[]) => string[]): void {
  extraWords[name] = words;
}

const exactWords: Record<string, (args: readonly Loose[]) => string | null> = {};

/** Sets the complete message, for ops whose tests compare it exactly. */
export function sayOnly(name: string, words: (args: readonly Loose[]) => string | null): void {
  exactWords[name] = words;
}
