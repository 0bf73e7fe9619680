/**
 * @file TypeScript's dtypes are those that ops return. Each call states the dtype that its result has, which the
 * compiler checks exactly, and which is compared with the dtype at run time.
 */
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import * as rg from '../../src/index.ts';
import { type DType, type Tensor, tensor, Variable, variable } from '../../src/index.ts';

type IsAny<T> = 0 extends 1 & T ? true : false;
type Exactly<A, B> = IsAny<A> extends true ? false : [A, B] extends [B, A] ? B : false;

/** Compares the dtype of a result; a wrong `dtype` doesn't compile. */
function has<D extends DType, E extends DType>(result: Tensor<D>, dtype: Exactly<D, E> & E): void {
  expect(result.dtype).toBe(dtype);
}

let floats: Tensor<'float32'>;
let ints: Tensor<'int32'>;
let words: Tensor<'uint32'>;
let bools: Tensor<'bool'>;
let float16s: Tensor<'float16'>;

beforeAll(async () => {
  await rg.init();
  floats = tensor([
    [0.5, 0.25],
    [0.75, 0.5],
  ]);
  ints = tensor(
    [
      [0, 1],
      [1, 0],
    ],
    { dtype: 'int32' },
  );
  words = tensor(
    [
      [0, 1],
      [1, 0],
    ],
    { dtype: 'uint32' },
  );
  bools = rg.greater(floats, 0.4);
  float16s = rg.cast(floats, 'float16');
});

describe('dtypes flow through ops', () => {
  test('of tensors that are made', () => {
    has(tensor([1, 2]), 'float32');
    has(rg.zeros([2]), 'float32');
    has(rg.ones([2], { dtype: 'bool' }), 'bool');
    has(rg.range(0, 3, 1, { dtype: 'int32' }), 'int32');
    has(rg.randomNormal([2]), 'float32');
    has(rg.cast(ints, 'uint32'), 'uint32');
    has(rg.cast(ints, { dtype: 'bool' }), 'bool');
    has(variable(ints, { trainable: false }), 'int32');
    has(rg.oneHot(ints, { depth: 2 }), 'float32');
    has(rg.oneHot(ints, { depth: 2, dtype: 'bool' }), 'bool');
  });

  test('of floats', () => {
    for (const op of [rg.exp, rg.tanh, rg.sigmoid, rg.sqrt, rg.floor]) has(op(floats), 'float32');
    has(rg.gelu(floats), 'float32');
    has(rg.elu(floats, { alpha: 2 }), 'float32');
    has(rg.softmax(floats), 'float32');
    has(rg.logSumExp(floats), 'float32');
    has(rg.conv2d(rg.ones([1, 2, 2, 1]), rg.ones([1, 1, 1, 1])), 'float32');
    has(rg.avgPool(rg.ones([1, 2, 2, 1]), { poolSize: 2 }), 'float32');
    has(rg.layerNorm(floats, null, null), 'float32');
    has(rg.rmsNorm(floats, null), 'float32');
    const [mean, variance] = rg.moments(floats);
    has(mean, 'float32');
    has(variance, 'float32');
    has(rg.dropout(floats, { rate: 0 }), 'float32');
  });

  test('that an op keeps', () => {
    has(rg.reshape(ints, { shape: [4] }), 'int32');
    has(rg.transpose(words), 'uint32');
    has(rg.expandDims(bools), 'bool');
    has(rg.slice(ints, { begin: [0, 0], size: [1, 1] }), 'int32');
    has(rg.gather(bools, [1]), 'bool');
    has(rg.gather(float16s, [1]), 'float16');
    has(rg.embedding(float16s, [1]), 'float16');
    has(rg.scatterAdd([0, 1], ints, { shape: [2, 2] }), 'int32');
    has(rg.takeAlongAxis(ints, ints, { axis: 1 }), 'int32');
    has(rg.neg(ints), 'int32');
    has(rg.abs(ints), 'int32');
    has(rg.square(words), 'uint32');
    has(rg.relu(ints), 'int32');
    has(rg.clip(ints, { min: 0 }), 'int32');
    has(rg.sum(ints), 'int32');
    has(rg.max(words, { axis: 0 }), 'uint32');
    has(rg.cumsum(ints), 'int32');
    has(rg.zerosLike(bools), 'bool');
    has(rg.identity(float16s), 'float16');
    has(rg.stopGradient(ints), 'int32');
    has(rg.concat([ints, ints]), 'int32');
    has(rg.stack([bools, bools]), 'bool');
    has(rg.addN([ints, ints]), 'int32');
    for (const part of rg.split(ints, { numOrSizeSplits: 2 })) has(part, 'int32');
    for (const part of rg.unstack(words)) has(part, 'uint32');
    const [values, indices] = rg.topK(floats);
    has(values, 'float32');
    has(indices, 'int32');
  });

  test('that an op gives', () => {
    has(rg.argMax(floats), 'int32');
    has(rg.equal(ints, 1), 'bool');
    has(rg.less(floats, floats), 'bool');
    has(rg.logicalNot(bools), 'bool');
    has(rg.logicalAnd(bools, bools), 'bool');
    has(rg.isNaN(floats), 'bool');
    has(rg.any(bools), 'bool');
    has(rg.mean(ints), 'float32');
    has(rg.div(ints, ints), 'float32');
  });

  test('that meet', () => {
    has(rg.add(floats, ints), 'float32');
    has(rg.add(ints, bools), 'int32');
    has(rg.mul(bools, words), 'uint32');
    has(rg.where(bools, ints, floats), 'float32');
    has(rg.where(bools, ints, 0), 'int32');
    has(rg.matMul(ints, bools), 'int32');
    has(rg.matMul(bools, bools), 'int32');
    has(rg.matMul(float16s, float16s), 'float32');
    has(rg.matMul(floats, ints), 'float32');
  });

  test('of numbers among tensors', () => {
    has(rg.add(ints, 1), 'int32');
    has(rg.sub(1, words), 'uint32');
    has(rg.mul(ints, 0.5), 'float32');
    has(rg.maximum(bools, 1), 'int32');
    has(rg.add(floats, 1), 'float32');
    has(rg.add(1, 2), 'float32');
    const count: number = ints.size;
    has<'int32' | 'float32', 'int32' | 'float32'>(rg.mul(ints, count), 'int32');
  });

  test('of host values', () => {
    has(rg.neg([1, 2]), 'float32');
    has(rg.reshape([true, false], { shape: [2, 1] }), 'bool');
    has(rg.abs(Int32Array.of(1)), 'int32');
    has(rg.sum(Uint32Array.of(1)), 'uint32');
    has(rg.add(ints, [1, 2]), 'float32');
  });
});

describe('data() gives the array of the dtype', () => {
  test('of results', async () => {
    expectTypeOf(await floats.data()).toEqualTypeOf<Float32Array>();
    expectTypeOf(await float16s.data()).toEqualTypeOf<Float32Array>();
    expectTypeOf(await rg.argMax(floats).data()).toEqualTypeOf<Int32Array>();
    expectTypeOf(await rg.equal(ints, 1).data()).toEqualTypeOf<Uint8Array>();
    expectTypeOf(await words.data()).toEqualTypeOf<Uint32Array>();
    const total: number = (await rg.sum(floats, { axis: 0 }).data()).reduce((a, b) => a + b);
    expect(total).toBe(2);
  });

  test('of a tensor of unknown dtype: one of them', async () => {
    const unknown: Tensor = ints;
    expectTypeOf(await unknown.data()).toEqualTypeOf<Float32Array | Int32Array | Uint32Array | Uint8Array>();
    expectTypeOf(unknown.dtype).toEqualTypeOf<DType>();
  });
});

describe("apps that don't specify dtypes", () => {
  test('may use a Tensor as any', () => {
    const unknown: Tensor = floats;
    const known: Tensor<'float32'> = unknown;
    let hidden = rg.relu(floats);
    const layer = (x: Tensor): Tensor => rg.mul(x, 2);
    hidden = layer(hidden);
    has(rg.add(unknown, known), 'float32');
    has(rg.add(unknown, 0.5), 'float32');
    expectTypeOf(rg.add(unknown, ints)).toEqualTypeOf<Tensor>();
    expectTypeOf(rg.reshape(unknown, { shape: [4] })).toEqualTypeOf<Tensor>();
    has(rg.softmax(unknown), 'float32');
    expect(hidden.dtype).toBe('float32');
  });

  test('may pass ops as functions', () => {
    const activations: ((x: Tensor) => Tensor)[] = [rg.relu, rg.sigmoid, (x) => rg.softmax(x)];
    for (const activation of activations) expect(activation(floats).shape).toEqual([2, 2]);
    const { grad } = rg.valueAndGrad((x) => rg.sum(rg.square(x)))(floats);
    expect(grad.dtype).toBe('float32');
  });

  test('a tensor of a known dtype is a Tensor, and no tensor of another', () => {
    const all: Tensor[] = [floats, ints, words, bools, float16s, new Variable(floats)];
    expect(all).toHaveLength(6);
    // @ts-expect-error: int32 isn't float32.
    const wrong: Tensor<'float32'> = ints;
    expect(wrong.dtype).toBe('int32');
  });
});
