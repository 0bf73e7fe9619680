/** @file Values that are invalid where they are passed, and the errors of calls with them. */
import { getDevice, RetrogradError, Tensor } from '../../src/index.ts';

const cyclic: unknown[] = [];
cyclic.push(cyclic);
const bushy: unknown[] = [];
bushy.push(bushy, bushy);
const ring: Record<string, unknown> = {};
ring.self = ring;
let deepList: unknown = 1;
let deepRecord: unknown = 1;
for (let i = 0; i < 10_000; i++) {
  deepList = [deepList];
  deepRecord = { inner: deepRecord };
}
const gone = new Float32Array(4);
structuredClone(gone, { transfer: [gone.buffer] });

/** What the traps, getters and conversions of some values throw. An error of the app's own code may reach the app as it is. */
const ofTheApp = new Error('a trap of the test');
const refuse = () => {
  throw ofTheApp;
};
const throwing = new Proxy(
  {},
  { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
);

/** Values with their descriptions. */
export const invalidValues: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-1', -1],
  ['1.5', 1.5],
  ['2^60', 2 ** 60],
  ['an empty string', ''],
  ['a string', 'float32'],
  ['strings in a list', ['1', '2']],
  ['true', true],
  ['{}', {}],
  ['an object', { axis: 'x', shape: -1, dtype: 'y', reps: null }],
  ['no prototype', Object.create(null)],
  ['[]', []],
  ['[[]]', [[]]],
  ['a ragged list', [[1], [1, 2]]],
  ['a list with null', [null]],
  ['a cyclic list', cyclic],
  ['a bushy cyclic list', bushy],
  ['a cyclic record', ring],
  ['a deep list', deepList],
  ['a deep record', deepRecord],
  ['holes', new Array(4)],
  ['very many holes', new Array(2 ** 32 - 1)],
  ['something like an array', { length: 2 ** 40, 0: 1 }],
  ['a BigInt', 10n],
  ['BigInts', [1n]],
  ['a BigInt64Array', BigInt64Array.of(1n)],
  ['a symbol', Symbol('invalid')],
  ['symbols', [Symbol('invalid')]],
  ['a function', () => 1],
  ['a date', new Date(0)],
  ['a map', new Map([[1, 2]])],
  ['a set', new Set([1])],
  ['a promise', Promise.resolve(1)],
  ['a regular expression', /x/],
  ['an error', new Error('invalid')],
  ['a detached array', gone],
  ['an ArrayBuffer', new ArrayBuffer(8)],
  ['a DataView', new DataView(new ArrayBuffer(8))],
  ['shared memory', new Float32Array(new SharedArrayBuffer(8))],
  ['a proxy', new Proxy({}, {})],
  ['a proxy of a list', new Proxy([1, 2], {})],
  ['a boxed number', Object(1)],
  ['a boxed string', Object('x')],
  ['an instance', new (class Invalid {})()],
  ['objects in a list', [{}, { a: 1 }]],
  ['lists of objects in lists', [[{}], [{}]]],
  ['functions in a list', [() => 1]],
  ['a map in a record', { inner: new Map([[{}, {}]]) }],
  ['a weak map', new WeakMap()],
  ['a generator', (function* () {})()],
  ['a throwing proxy', throwing],
  ['throwing proxies in a list', [throwing]],
  ['a throwing getter', Object.defineProperty({}, 'shape', { get: refuse, enumerable: true })],
  ['a throwing conversion', { toString: refuse, valueOf: refuse, [Symbol.toPrimitive]: refuse }],
];

/** What engines write: where an error of the library has it, a value was converted to text, or an error of another kind passed on. */
const raw =
  /\[object |undefined is not|Cannot (read|set|convert)|is not (a function|iterable|a constructor)|call stack size/;

export type Call = (...args: unknown[]) => unknown;

/** Classes are called with `new`. */
export function callOf(value: Call): Call {
  const isClass = Function.prototype.toString.call(value).startsWith('class ');
  return isClass ? (...args) => Reflect.construct(value, args) : value;
}

/** Returns the untyped error that a call throws; null if there is none. */
async function untyped(call: () => unknown): Promise<unknown> {
  try {
    const result = await call();
    const made = Array.isArray(result) && result.length < 100 ? result : [result];
    for (const one of made) if (one instanceof Tensor) one.dispose();
    return null;
  } catch (error) {
    if (error === ofTheApp) return null;
    if (!(error instanceof RetrogradError)) return error ?? 'nothing';
    return raw.test(error.message) ? new Error(`raw text: ${error.message}`) : null;
  }
}

/** Returns the calls among `calls` with untyped errors, or that are slow. */
export async function faultsOf(calls: readonly [how: string, call: () => unknown][]): Promise<string[]> {
  const found: string[] = [];
  for (const [how, call] of calls) {
    const begun = performance.now();
    const error = await untyped(call);
    const took = performance.now() - begun;
    if (error)
      found.push(`${how}: ${(error as Error)?.stack?.split('\n').slice(0, 4).join(' | ') ?? typeof error}`);
    if (took > 20_000) found.push(`${how}: ${took} ms`);
  }
  return found;
}

/** Reads the faults of launches with invalid values, which the next readback would report. */
export async function forgetFaults(): Promise<void> {
  await untyped(() => getDevice().sync());
}
