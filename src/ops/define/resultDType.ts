/**
 * @file The dtype of an op's result, as TypeScript infers it from the arguments of a call. At run time, `infer` decides;
 * test/types/dtypes.test.ts compares the two, op by op.
 *
 * A tensor whose dtype isn't known is `Tensor<AnyDType>`, written `Tensor`. It is accepted where a tensor of a certain dtype
 * is expected, so that apps never have to write a dtype: that is why `AnyDType` is handled separately here.
 */
import type { AnyDType, DType } from '../../core/dtype.ts';
import type { NestedArray, Tensor } from '../../tensor/tensor.ts';
import type { Results } from './definition.ts';

type IsAny<T> = 0 extends 1 & T ? true : false;
/** The dtype of a tensor; unknown if it may be any. */
type Known<D> = DType extends D ? AnyDType : D;

/** The dtype of an argument: that of a tensor, or the one that `tensor()` gives to host values. */
export type DTypeOf<X> =
  IsAny<X> extends true
    ? AnyDType
    : X extends Tensor
      ? Known<X['dtype']>
      : X extends NestedArray | Float32Array | Float64Array
        ? 'float32'
        : X extends boolean | readonly boolean[] | readonly (readonly boolean[])[]
          ? 'bool'
          : X extends Uint32Array
            ? 'uint32'
            : 'int32';

/** The higher of two dtypes, as `promote` orders them. */
type Higher<A, B> = A extends 'float32'
  ? A
  : B extends 'float32'
    ? B
    : A extends 'float16'
      ? A
      : B extends 'float16'
        ? B
        : A extends 'int32'
          ? A
          : B extends 'int32'
            ? B
            : A extends 'uint32'
              ? A
              : B;

/** The promotion with an unknown dtype: known only if the other one is the highest. */
type WithUnknown<D> = IsAny<D> extends true ? D : [D] extends ['float32'] ? D : AnyDType;

type Promoted<A, B> =
  IsAny<A> extends true ? WithUnknown<B> : IsAny<B> extends true ? WithUnknown<A> : Higher<A, B>;

/** The dtype of a number: that of the other operand unless it has a fraction, which is only known for literals. */
type Weak<N extends number, D> =
  IsAny<D> extends true
    ? D
    : number extends N
      ? Higher<D, 'int32'> | 'float32'
      : `${N}` extends `${bigint}`
        ? D extends 'bool'
          ? 'int32'
          : D
        : 'float32';

/** The common dtype of two arguments. */
type Meeting<X, Y> =
  IsAny<X | Y> extends true
    ? Promoted<DTypeOf<X>, DTypeOf<Y>>
    : X extends number
      ? Y extends number
        ? 'float32'
        : Promoted<Weak<X, DTypeOf<Y>>, DTypeOf<Y>>
      : Y extends number
        ? Promoted<DTypeOf<X>, Weak<Y, DTypeOf<X>>>
        : Promoted<DTypeOf<X>, DTypeOf<Y>>;

/** Matmuls sum bools as int32, and float16 values as float32. */
type Summed<D> = IsAny<D> extends true ? D : D extends 'float16' ? 'float32' : D extends 'bool' ? 'int32' : D;

/** The dtype of a result for the arguments `A` of a call, by rule. */
interface ResultDTypes<A extends readonly unknown[]> {
  /** Not known from the arguments. */
  unknown: AnyDType;
  /** That of the first tensor. */
  first: DTypeOf<A[0]>;
  /** That of the second tensor. */
  second: DTypeOf<A[1]>;
  /** That of the tensors in a list. */
  listed: A[0] extends readonly (infer X)[] ? DTypeOf<X> : AnyDType;
  /** The common dtype of two operands. */
  promoted: Meeting<A[0], A[1]>;
  /** The common dtype of the second and the third argument. */
  chosen: Meeting<A[1], A[2]>;
  /** That of a matmul. */
  product: Summed<Meeting<A[0], A[1]>>;
}

/** How the dtype of a result follows from the arguments. */
export type DTypeRule = keyof ResultDTypes<[]>;

/** The result `R` of a call with arguments `A`: tensors of unknown dtype get the one that `Rule` gives. */
export type ResultOf<
  R extends Results,
  Rule extends DTypeRule,
  A extends readonly unknown[],
> = R extends Tensor
  ? DType extends R['dtype']
    ? Tensor<ResultDTypes<A>[Rule]>
    : R
  : { [K in keyof R]: R[K] extends Tensor ? ResultOf<R[K], Rule, A> : R[K] };
