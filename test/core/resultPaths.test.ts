/** @file Errors about nests say whose nest it is: the arguments, the options or the result. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkpoint, compile, grad, init, ones, scan, sum, type Tensor, vjp, vmap } from '../../src/index.ts';
import { input, Layer, layers, sequential } from '../../src/keras/index.ts';

beforeAll(() => init());

function cyclic(): never {
  const record: Record<string, unknown> = {};
  record.self = record;
  return record as never;
}

const x = () => ones([2, 3]);

class Circular extends Layer {
  override call(_x: Tensor): Tensor {
    return cyclic();
  }
}

class Plain extends Layer {
  override call(given: Tensor): Tensor {
    return given;
  }
}

describe('a result that contains itself', () => {
  test.each<[name: string, run: () => unknown]>([
    ['of a compiled function', () => compile(() => cyclic())()],
    ['of a mapped function', () => vmap((_: Tensor) => cyclic() as Tensor)(x())],
    ['of a checkpointed function', () => checkpoint((_: Tensor) => cyclic() as Tensor)(x())],
    ['of a step of scan', () => scan(() => cyclic(), x(), x())],
    ['of a function with gradients', () => grad(() => cyclic() as Tensor)(x())],
    ['of a vector-Jacobian product', () => vjp((_: Tensor) => cyclic() as Tensor, [x()])],
    ['of a layer', () => new Circular().apply(x())],
    ['of a layer in a graph', () => new Circular().apply(input({ shape: [3] }))],
  ])('%s', (_name, run) => {
    let message = '';
    try {
      run();
    } catch (error) {
      message = String((error as Error).message);
    }
    expect(message).not.toBe('');
    expect(message).not.toMatch(/inputs/);
    expect(message).not.toMatch(/Maximum call stack|\[object Object\]/);
  });

  test('of predictStep', async () => {
    const net = sequential([layers.inputLayer({ shape: [3] }), layers.dense({ units: 1 })]);
    net.predictStep = () => cyclic();
    await expect(net.predict(x())).rejects.toThrow(/at the result of predictStep\.self/);
    net.dispose();
  });
});

test('arguments and options are named, too', () => {
  expect(() => compile((given: Tensor) => sum(given))(cyclic())).toThrow(/contain themselves/);
  expect(() => new Plain().apply(x(), { state: cyclic() })).toThrow(/at options\.state\.self/);
  expect(() => new Plain().apply(input({ shape: [3] }), { state: cyclic() })).toThrow(/at options/);
  expect(() => vmap((given: Tensor) => given, { inAxes: cyclic() })).toThrow(/at inAxes\.self/);
  expect(() => vmap((given: Tensor) => given, { outAxes: cyclic() })).toThrow(/at outAxes\.self/);
});
