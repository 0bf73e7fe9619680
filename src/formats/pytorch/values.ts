/** @file The values of a PyTorch pickle that has been read: plain data, and descriptions of tensors. */
import type { Shape } from '../../core/shape.ts';
import type { NumberType } from '../numbers.ts';

export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Global
  | Storage
  | TensorView
  | readonly PickleValue[]
  | PickleMap;

/** A dictionary, ordered or not. */
export type PickleMap = Map<PickleValue, PickleValue>;

/** A Python name on the allow-list. Nothing is imported or called. */
export class Global {
  constructor(
    readonly name: string,
    readonly meaning: Meaning,
  ) {}
}

/** The meaning of a name. */
export type Meaning =
  /** Elements of a storage; null for bytes without a type. */
  | { readonly kind: 'storage'; readonly type: NumberType | null }
  | { readonly kind: 'dtype'; readonly type: NumberType }
  /** A class that is only referred to. */
  | { readonly kind: 'class' }
  /** Builds a description from arguments; null if they aren't arguments that PyTorch writes. */
  | { readonly kind: 'call'; readonly call: (args: readonly PickleValue[]) => PickleValue | undefined };

/** The memory of one or more tensors. */
export class Storage {
  constructor(
    readonly key: string,
    /** Type of the elements; null for bytes without a type. */
    readonly type: NumberType | null,
    /** Number of elements; of bytes if there is no type. */
    readonly count: number,
  ) {}
}

/** A tensor: some elements of a storage. */
export class TensorView {
  constructor(
    readonly storage: Storage,
    readonly type: NumberType,
    /** In elements, like strides. */
    readonly offset: number,
    readonly shape: Shape,
    readonly strides: readonly number[],
  ) {}
}
