/** @file Checks of a loss's options and of the shapes of its inputs. */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, type OpenShape, requireBoolean } from '../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';

export interface Bounds {
  min?: number;
  max?: number;
  /** Exclusive bounds. */
  above?: number;
  below?: number;
}

/** Throws unless `value` is a finite number within `bounds`. */
export function requireNumber(
  op: string,
  what: string,
  value: unknown,
  bounds: Bounds = {},
): asserts value is number {
  const { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = bounds;
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (isNumber && value >= min && value <= max && value > above && value < below) return;
  const words = { min: 'at least', max: 'at most', above: 'above', below: 'below' };
  const said = Object.entries(bounds).map(([key, bound]) => `${words[key as keyof Bounds]} ${bound}`);
  throw new ValueError({
    op,
    rule: `\`${what}\` must be ${['a finite number', ...said].join(', ')}.`,
    received: `${what}: ${describe(value)}`,
    hint: `correct \`${what}\`, or leave it out for the default.`,
  });
}

/** Checks what the crossentropies of one-hot targets have in common. */
export function checkCrossentropy(
  options: { fromLogits: unknown; labelSmoothing: unknown },
  op: string,
): void {
  requireBoolean(op, 'fromLogits', options.fromLogits);
  requireNumber(op, 'labelSmoothing', options.labelSmoothing, { min: 0, max: 1 });
}

/** Throws for the dtype of a loss or metric, unless it is one that they compute in. */
export function requireFloat32(op: string, dtype: unknown, dtypes: readonly string[] = ['float32']): void {
  if (dtype === undefined || dtype === null || dtypes.includes(dtype as string)) return;
  throw new ValueError({
    op,
    rule: `\`dtype\` must be ${dtypes.map((name) => `'${name}'`).join(' or ')}: losses and metrics compute in float32.`,
    received: `dtype: ${describe(dtype)}`,
    hint: 'leave it out. Predictions of a mixed_float16 model become float32.',
  });
}

/** Throws for predictions with fewer axes than `min`. */
export function requireMinRank(op: string, yPred: OpenSpec, min: number): void {
  if (yPred.shape.length >= min) return;
  throw new ShapeError({
    op,
    rule: `\`yPred\` must have rank ${min} or more.`,
    received: `yPred ${formatSpec(yPred)}`,
    hint: 'give it an axis of samples or of features: expandDims(yPred, { axis: 0 }).',
  });
}

/** A tensor and its name in messages. */
export type Named = readonly [name: string, spec: OpenSpec];

/** Throws unless the shapes broadcast, by NumPy's rule. Open sizes match any size. */
export function requireBroadcast(op: string, a: Named, b: Named): void {
  if (broadcast(a[1].shape, b[1].shape)) return;
  throw new ShapeError({
    op,
    rule: `${a[0]} and ${b[0]} must have shapes that broadcast: counted from the last axis, equal sizes or 1.`,
    received: formatPair(a, b),
    hint: `reshape or expandDims ${a[0]} so that the axes line up.`,
  });
}

/** Throws unless the shapes are the same. Open sizes match any size. */
export function requireSame(op: string, a: Named, b: Named): void {
  if (isSameShape(a[1].shape, b[1].shape)) return;
  throw new ShapeError({
    op,
    rule: `${a[0]} and ${b[0]} must have the same shape.`,
    received: formatPair(a, b),
    hint: 'encode the targets as the predictions are; integer labels go to sparseCategoricalCrossentropy.',
  });
}

export function formatPair(a: Named, b: Named): string {
  return `${a[0]} ${formatSpec(a[1])}, ${b[0]} ${formatSpec(b[1])}`;
}

/** Whether two shapes are the same, as far as is known. */
export function isSameShape(a: OpenShape, b: OpenShape): boolean {
  return a.length === b.length && a.every((n, i) => isSameSize(n, b[i]));
}

function broadcast(a: OpenShape, b: OpenShape): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const offset = long.length - short.length;
  return short.every((n, i) => n === 1 || long[i + offset] === 1 || isSameSize(n, long[i + offset]));
}

function isSameSize(n: number | null, m: number | null | undefined): boolean {
  return n === null || m === null || n === m;
}
