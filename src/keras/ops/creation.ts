/** @file Tensors that keras.ops creates from numbers: window functions, sequences, triangular matrices. */
import { type DType, isFloating } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { requireBoolean, requireFinite, requireInteger, type Shape } from '../../core/shape.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import {
  type CreationOptions,
  fill,
  ones as libraryOnes,
  zeros as libraryZeros,
} from '../../ops/creation/creation.ts';
import { zerosLike } from '../../ops/creation/like.ts';
import { flip } from '../../ops/arrangement/flip.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { pow } from '../../ops/elementwise/pow.ts';
import { range } from '../../ops/creation/range.ts';
import { tril } from '../../ops/arrangement/triangle.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import { requireTensor } from '../../tensor/requireTensor.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeNumbers } from './composites.ts';

/** Limit of the window length; no signal needs longer windows. */
const longestWindow = 2 ** 24;

/** Returns a symmetric window of `count` values of a function of the position in [0, 1]. */
function windowOf(
  name: string,
  count: number,
  args: readonly unknown[],
  value: (place: number) => number,
): Tensor {
  optionsOf(name, args, {}, ['count']);
  requireInteger(name, 'count', count, 0);
  if (count > longestWindow) {
    throw new ValueError({
      op: name,
      rule: `\`count\` must be at most ${longestWindow}.`,
      received: `count: ${count}`,
      hint: 'cut the signal into shorter windows.',
    });
  }
  const places = Array.from({ length: count }, (_, i) => (count === 1 ? 0.5 : i / (count - 1)));
  return tensor(Float32Array.from(places, value));
}

const wave = (place: number, k: number) => Math.cos(2 * Math.PI * k * place);

/** The triangular window of `count` values. float32, shape [count]. Errors: ValueError. */
export function bartlett(count: number): Tensor;
export function bartlett(count: number, ...args: unknown[]): Tensor {
  return windowOf('bartlett', count, args, (place) => 1 - Math.abs(2 * place - 1));
}

/** The Blackman window of `count` values. float32, shape [count]. Errors: ValueError. */
export function blackman(count: number): Tensor;
export function blackman(count: number, ...args: unknown[]): Tensor {
  return windowOf('blackman', count, args, (place) => 0.42 - 0.5 * wave(place, 1) + 0.08 * wave(place, 2));
}

/** The Hamming window of `count` values. float32, shape [count]. Errors: ValueError. */
export function hamming(count: number): Tensor;
export function hamming(count: number, ...args: unknown[]): Tensor {
  return windowOf('hamming', count, args, (place) => 0.54 - 0.46 * wave(place, 1));
}

/** The Hann window of `count` values. float32, shape [count]. Errors: ValueError. */
export function hanning(count: number): Tensor;
export function hanning(count: number, ...args: unknown[]): Tensor {
  return windowOf('hanning', count, args, (place) => 0.5 - 0.5 * wave(place, 1));
}

export interface KaiserOptions {
  /** Shape parameter: larger values give narrower windows. At least 0. */
  beta: number;
}

/** The Kaiser window of `count` values. float32, shape [count]. Source: as of NumPy's kaiser. Errors: ValueError. */
export function kaiser(count: number, options: KaiserOptions): Tensor;
export function kaiser(count: number, ...args: unknown[]): Tensor {
  // A missing beta is rejected as NaN.
  const { beta = Number.NaN }: Partial<KaiserOptions> = optionsOf('kaiser', args, { beta: true }, ['count']);
  requireFinite('kaiser', 'beta', beta, 0);
  const whole = bessel(beta);
  return windowOf('kaiser', count, [], (place) => bessel(beta * Math.sqrt(1 - (2 * place - 1) ** 2)) / whole);
}

/** Computes the modified Bessel function I₀ by its series, whose terms are all positive. */
function bessel(x: number): number {
  let term = 1;
  let total = 1;
  for (let k = 1; term > total * 1e-17; k++) {
    term *= (x / (2 * k)) ** 2;
    total += term;
  }
  return total;
}

export interface TriOptions {
  /** Number of columns of the matrix. Default: as many as rows. */
  columns?: number | null;
  /** The last diagonal of ones. Default 0. */
  k?: number;
  /** Dtype of the matrix. Default float32. */
  dtype?: DType;
}

/** Ones on and below diagonal `k`, zeros above. Any dtype, shape [rows, columns]. Errors: ValueError. */
export function tri(rows: number, ...settings: Settings<TriOptions, ['columns', 'k', 'dtype']>): Tensor;
export function tri(rows: number, ...args: unknown[]): Tensor {
  const names: OptionNames<TriOptions> = { columns: true, k: true, dtype: true };
  const { columns = null, k = 0, dtype = 'float32' }: TriOptions = optionsOf('tri', args, names, ['rows']);
  requireInteger('tri', 'rows', rows, 0);
  if (columns !== null) requireInteger('tri', 'columns', columns, 0);
  return tidy(() => tril(libraryOnes([rows, columns ?? rows], { dtype }), { k }));
}

/** A shape, or the size of a vector. */
export type ShapeOrSize = Shape | number;

const shapeOf = (given: ShapeOrSize): Shape => (typeof given === 'number' ? [given] : given);

/** Creates a tensor; one of float16 is float32 first, which the library computes in. */
function ofDType<D extends DType>(
  op: string,
  settings: readonly unknown[],
  make: (options: CreationOptions<D>) => Tensor<D>,
): Tensor<D> {
  const names: OptionNames<CreationOptions> = { dtype: true, name: false };
  const options = optionsOf(op, settings, names, ['shape']) as CreationOptions<D>;
  if (options.dtype !== 'float16') return make(options);
  return tidy(() => cast(make({ ...options, dtype: 'float32' as D }), 'float16')) as Tensor<D>;
}

/** The library's `zeros`; a number is the size of a vector. Errors: as there. */
export function zeros<D extends DType = 'float32'>(
  shape: ShapeOrSize,
  ...settings: Settings<CreationOptions<D>, ['dtype']>
): Tensor<D> {
  return ofDType('zeros', settings, (options) => libraryZeros<D>(shapeOf(shape), options));
}

/** The library's `ones`; a number is the size of a vector. Errors: as there. */
export function ones<D extends DType = 'float32'>(
  shape: ShapeOrSize,
  ...settings: Settings<CreationOptions<D>, ['dtype']>
): Tensor<D> {
  return ofDType('ones', settings, (options) => libraryOnes<D>(shapeOf(shape), options));
}

/** `value` everywhere, where true is 1. Dtype: float32 unless `dtype` is another, also for true. Errors: as of `fill`. */
export function full(shape: ShapeOrSize, value: number | boolean, options?: CreationOptions): Tensor;
export function full(shape: ShapeOrSize, value: number | boolean, ...args: unknown[]): Tensor {
  const names: OptionNames<CreationOptions> = { dtype: true, name: true };
  const options: CreationOptions = optionsOf('full', args, names, ['shape', 'value']);
  if (options.dtype !== 'float16') return fill(shapeOf(shape), numberOf(value), options);
  return tidy(() => cast(fill(shapeOf(shape), numberOf(value), { ...options, dtype: 'float32' }), 'float16'));
}

/** `value` in the shape of x and its dtype, which rounds it towards 0, or `dtype`. Errors: as of `fill`. */
export function fullLike(x: Tensor, value: number | boolean, options?: CreationOptions): Tensor;
export function fullLike(x: Tensor, given: number | boolean, ...args: unknown[]): Tensor {
  const value = numberOf(given);
  const names: OptionNames<CreationOptions> = { dtype: true, name: false };
  const options: CreationOptions = optionsOf('fullLike', args, names, ['x', 'value']);
  if (!isSymbolic(x)) requireTensor('fullLike', 'x', x);
  const { dtype = x.dtype } = options;
  // Sizes of a graph may be open, so that it gets a formula.
  if (isSymbolic(x)) return cast(add(cast(zerosLike(x), 'float32'), value), { dtype });
  if (dtype === 'float16') return tidy(() => cast(fill(x.shape, value), dtype));
  return fill(x.shape, held(value, dtype), { ...options, dtype });
}

/** Returns 1 for true and 0 for false. */
const numberOf = (value: number | boolean) => (typeof value === 'boolean' ? Number(value) : value);

/** Returns a number as a dtype holds it. */
function held(value: number, dtype: DType): number {
  if (dtype === 'bool') return Number(value !== 0);
  return isFloating(dtype) || typeof value !== 'number' ? value : Math.trunc(value);
}

export interface VanderOptions {
  /** Number of powers. Default: the number of elements of x. */
  N?: number | null;
  /** Whether powers grow from left to right. Default false. */
  increasing?: boolean;
}

/** Powers of a vector as columns. Any dtype. Shapes: x [n] → [n, N]. Errors: ValueError, DTypeError. */
export const vander: CompositeOp<[x: Tensor], VanderOptions, Tensor, ['N', 'increasing']> =
  /* @__PURE__ */ composeNumbers({
    name: 'vander',
    inputs: ['x'],
    options: { N: true, increasing: true },
    acceptsFloat16: false,
    compose: ([x], { N = null, increasing = false }) => {
      const count = N ?? x.shape[0] ?? 0;
      requireInteger('vander', 'N', count, 0);
      requireBoolean('vander', 'increasing', increasing);
      const exponents = range(0, count, { dtype: isFloating(x.dtype) ? 'float32' : 'int32' });
      const powers = pow(expandDims(x, { axis: -1 }), exponents);
      return increasing ? powers : flip(powers, { axis: -1 });
    },
  });
