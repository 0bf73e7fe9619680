/** @file What the tests of random models share: the values of a case, and how far others are from them. */
import { type Tensor, tensor } from '../../../src/index.ts';

export interface Values {
  readonly shape: readonly number[];
  readonly dtype?: string;
  readonly data: readonly number[];
}

export interface RandomCase {
  readonly seed: number;
  readonly layers: readonly string[];
  readonly optimizer: { readonly name: string };
  readonly inputs: readonly Values[];
  readonly targets: readonly Values[];
  readonly sampleWeight: readonly number[] | null;
  readonly outputs: readonly Values[];
  readonly logs: readonly Readonly<Record<string, number>>[];
  readonly weights: readonly (readonly number[])[];
}

/** The dtypes of a file that are another here. */
const held: Readonly<Record<string, string>> = { int64: 'int32', uint8: 'int32' };

export const tensorOf = ({ shape, dtype = 'float32', data }: Values): Tensor =>
  tensor([...data], { shape, dtype: held[dtype] ?? dtype } as never);

export const only = <T>(list: readonly T[]) => (list.length === 1 ? list[0] : list) as never;

/** Values may differ by a share of the largest one, and by rounding. */
export function difference(found: ArrayLike<number>, wanted: readonly number[]): number {
  if (found.length !== wanted.length) return Number.POSITIVE_INFINITY;
  const scale = Math.max(1, ...wanted.map(Math.abs));
  return Math.max(0, ...wanted.map((value, i) => Math.abs((found[i] as number) - value))) / scale;
}
