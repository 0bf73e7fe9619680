import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  DTypeError,
  GradientTape,
  GraphDisconnectedError,
  init,
  lineage,
  memory,
  MissingHistoryError,
  mul,
  ShapeError,
  square,
  sum,
  type SymbolicTensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import { clearSession, type GraphNode, input, KerasTensor, layers, model } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const ones = { kernelInitializer: 'ones' } as const;

describe('a model', () => {
  test('computes its outputs from its inputs, in the given nests', async () => {
    const a = input({ shape: [2], name: 'a' });
    const b = input({ shape: [2], name: 'b' });
    const net = model({ inputs: { a, b }, outputs: [add(a, b), { product: mul(a, b) }] });
    const [total, { product }] = net.apply({ a: tensor([[1, 2]]), b: tensor([[3, 4]]) });
    expect(await total.array()).toEqual([[4, 6]]);
    expect(await product.array()).toEqual([[3, 8]]);
  });

  test('takes a record by input names where its inputs are a list', async () => {
    const [a, b] = ['left', 'right'].map((name) => input({ shape: [1], name }));
    const net = model({
      inputs: [a, b] as SymbolicTensor[],
      outputs: mul(a as KerasTensor, b as KerasTensor),
    });
    const values = { right: tensor([[3]]), left: tensor([[2]]) };
    expect(await net.apply(values as never).array()).toEqual([[6]]);
  });

  test('gives layers in the order from inputs to outputs, by name and by position', () => {
    clearSession();
    const x = input({ shape: [4] });
    const h = layers.dense({ units: 3 }).apply(x);
    const y = layers.dense({ units: 2 }).apply(square(h));
    const net = model({ inputs: x, outputs: y });
    expect(net.name).toBe('functional');
    expect(net.layers.map(({ name }) => name)).toEqual(['input_layer', 'dense', 'dense_1']);
    expect(net.operations.map(({ name }) => name)).toEqual(['input_layer', 'dense', 'square', 'dense_1']);
    expect(net.getLayer('dense_1')).toBe(net.getLayer(2));
    expect(net.countParams()).toBe(4 * 3 + 3 + 3 * 2 + 2);
    expect(net.weights.map(({ name }) => name)).toEqual([
      'dense/kernel',
      'dense/bias',
      'dense_1/kernel',
      'dense_1/bias',
    ]);
    expect(() => net.getLayer('dense_2')).toThrow(/has 'input_layer', 'dense', 'dense_1'/);
    expect(() => net.getLayer(3)).toThrow(ValueError);
  });

  test('shares a layer that is called twice: two nodes, one set of weights', async () => {
    const shared = layers.dense({ units: 1, ...ones });
    const [a, b] = [input({ shape: [2] }), input({ shape: [2] })];
    const [first, second] = [shared.apply(a), shared.apply(b)];
    expect([first, second].map((t) => t.kerasHistory?.nodeIndex)).toEqual([0, 1]);
    expect(shared.inboundNodes).toHaveLength(2);
    expect(shared.output).toBe(first);
    expect(shared.getOutputAt(1)).toBe(second);
    expect(shared.getInputAt(1)).toBe(b);
    const net = model({ inputs: [a, b], outputs: add(first, second) });
    expect(net.weights).toHaveLength(2);
    expect(await net.apply([tensor([[1, 2]]), tensor([[3, 4]])]).array()).toEqual([[10]]);
  });

  test('of layers inside another one shares their weights', async () => {
    const x = input({ shape: [2] });
    const hidden = layers.dense({ units: 2, name: 'hidden', ...ones });
    const net = model({ inputs: x, outputs: layers.dense({ units: 1, ...ones }).apply(hidden.apply(x)) });
    const features = model({ inputs: net.input, outputs: net.getLayer('hidden').output as KerasTensor });
    expect(await features.apply(tensor([[1, 2]])).array()).toEqual([[3, 3]]);
    expect(features.weights[0]).toBe(hidden.kernel);
  });

  test('may start at intermediate tensors of another one', async () => {
    const x = input({ shape: [2] });
    const h = layers.dense({ units: 2, ...ones }).apply(x);
    const y = square(h);
    expect(
      await model({ inputs: h, outputs: y })
        .apply(tensor([[2, 3]]))
        .array(),
    ).toEqual([[4, 9]]);
  });

  test('that starts at an intermediate tensor has its own input layer there, and the same weights', async () => {
    clearSession();
    const x = input({ shape: [2], name: 'start' });
    const h = layers.dense({ units: 2, name: 'below', ...ones }).apply(x);
    const top = layers.dense({ units: 1, name: 'above', ...ones });
    const whole = model({ inputs: x, outputs: top.apply(h) });
    const part = model({ inputs: { h, start: x }, outputs: [add(whole.output, x), h] });
    expect(part.layers.map(({ className, name }) => [className, name])).toEqual([
      ['InputLayer', h.name],
      ['Dense', 'above'],
      ['InputLayer', 'start'],
    ]);
    expect(part.weights).toEqual(top.weights);
    const [sum, same] = part.apply({ h: tensor([[2, 3]]), start: tensor([[10, 20]]) });
    expect(await sum.array()).toEqual([[15, 25]]);
    expect(await same.array()).toEqual([[2, 3]]);
    // The tensors of the whole model are unchanged.
    expect(whole.layers.map(({ name }) => name)).toEqual(['start', 'below', 'above']);
    expect(h.kerasHistory?.operation.name).toBe('below');
  });

  test('is a layer: in another model, with its own node and history', async () => {
    const x = input({ shape: [2] });
    const inner = model({ inputs: x, outputs: square(x), name: 'inner' });
    const outerInput = input({ shape: [2] });
    const y = inner.apply(outerInput);
    expect(y.shape).toEqual([null, 2]);
    expect(y.kerasHistory).toMatchObject({ operation: { name: 'inner' }, nodeIndex: 0 });
    const outer = model({ inputs: outerInput, outputs: add(y, 1), name: 'outer' });
    expect(await outer.apply(tensor([[2, 3]])).array()).toEqual([[5, 10]]);
    expect(outer.layers.map(({ name }) => name)).toContain('inner');
  });

  test('passes gradients to its inputs and weights, and can be frozen', async () => {
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: layers.dense({ units: 1, ...ones }).apply(x) });
    const given = tensor([[1, 2]]);
    const step = () => {
      const tape = new GradientTape();
      tape.watch(given);
      const loss = sum(square(net.apply(given)));
      const watched = tape.watched.length;
      return { watched, gradients: tape.gradient(loss, [given, ...net.weights]) };
    };
    const free = step();
    expect(await free.gradients[0]?.array()).toEqual([[6, 6]]);
    expect(await free.gradients[1]?.array()).toEqual([[6], [12]]);
    net.trainable = false;
    expect(net.trainableWeights).toEqual([]);
    const frozen = step();
    expect(frozen.watched).toBe(1);
    expect(frozen.gradients.map((g) => g !== null)).toEqual([true, false, false]);
  });

  test('frees intermediate values', async () => {
    const x = input({ shape: [2] });
    let y: SymbolicTensor = x;
    for (let i = 0; i < 8; i++) y = square(y);
    const net = model({ inputs: x, outputs: y });
    const given = tensor([[1, 1]]);
    const before = memory().tensors;
    const out = net.apply(given);
    expect(memory().tensors).toBe(before + 1);
    out.dispose();
  });

  test('walks graphs of thousands of calls', () => {
    const x = input({ shape: [1] });
    let y: SymbolicTensor = x;
    for (let i = 0; i < 5000; i++) y = square(y);
    expect(model({ inputs: x, outputs: y }).operations).toHaveLength(5001);
  });

  test('gives its outputs the history of its call, which expands to its layers and their ops', () => {
    const x = input({ shape: [2] });
    const net = model({
      inputs: x,
      outputs: layers.dense({ units: 1, name: 'only' }).apply(x),
      name: 'whole',
    });
    const y = net.apply(tensor([[1, 2]]));
    expect(y.kerasHistory).toMatchObject({
      operation: { name: 'whole', className: 'Functional' },
      nodeIndex: 0,
    });
    const [layer] = y.kerasHistory?.node.inside ?? [];
    expect(layer?.operation).toMatchObject({ name: 'only', className: 'Dense' });
    expect(layer?.node.inside.length).toBe(1);
    expect(lineage(y).toMermaid({ open: true })).toMatch(/only/);
    const again = net.apply(tensor([[1, 2]]));
    expect(again.kerasHistory?.nodeIndex).toBe(1);
  });
});

test('the lineage of a symbolic tensor shows layers and ops, with open sizes', () => {
  clearSession();
  const y = square(layers.dense({ units: 3 }).apply(input({ shape: [2] })));
  const { nodes } = lineage(y);
  expect(nodes.map(({ kind, name }) => [kind, name])).toEqual([
    ['layer', 'input_layer'],
    ['layer', 'dense'],
    ['op', 'square'],
  ]);
  expect(nodes.at(-1)?.outputs).toEqual(['float32[null, 3]']);
});

describe("a model that can't be computed", () => {
  const x = input({ shape: [2], name: 'seen' });
  const other = input({ shape: [2], name: 'unseen' });

  test('if the graph is disconnected, reports the tensor, the operation and what was reached', () => {
    clearSession();
    const y = add(square(x), other);
    const make = () => model({ inputs: x, outputs: y });
    expect(make).toThrow(GraphDisconnectedError);
    expect(make).toThrow(
      /'unseen', made by unseen, which operation 'add' needs.*from 'seen'; reached.*'square'/,
    );
  });

  test('rejects an output that is an input layer of another model', () => {
    const make = () => model({ inputs: x, outputs: [square(x), other] });
    expect(make).toThrow(GraphDisconnectedError);
    expect(make).toThrow(/'unseen', made by unseen, which is an output.*from 'seen'; reached.*'square/);
    expect(() => model({ inputs: x, outputs: x })).not.toThrow();
  });

  test('rejects an output without history', () => {
    const bare = new KerasTensor({ shape: [null, 2], dtype: 'float32' });
    expect(() => model({ inputs: x, outputs: bare })).toThrow(MissingHistoryError);
    expect(() => model({ inputs: x, outputs: add(x, bare) })).toThrow(MissingHistoryError);
  });

  test('rejects tensors with values', () => {
    const eager = tensor([[1, 2]]) as never;
    expect(() => model({ inputs: eager, outputs: x })).toThrow(ValueError);
    expect(() => model({ inputs: x, outputs: { y: eager } })).toThrow(/outputs\.y: Tensor float32\[1, 2\]/);
  });

  test('rejects two operations of one name, and an input named twice', () => {
    const one = layers.dense({ units: 1, name: 'same' }).apply(x);
    const two = layers.dense({ units: 1, name: 'same' }).apply(one);
    expect(() => model({ inputs: x, outputs: two })).toThrow(/two operations named 'same'/);
    expect(() => model({ inputs: [x, x], outputs: square(x) })).toThrow(ValueError);
  });
});

describe('wrong calls of a model', () => {
  const x = input({ shape: [4], name: 'features' });
  const net = model({ inputs: x, outputs: square(x), name: 'net' });
  const ids = input({ shape: [4], dtype: 'int32' });
  const whole = model({ inputs: ids, outputs: square(ids) });

  test('takes integers for float32, as Keras does', async () => {
    const y = net.apply(tensor([[1, 2, 3, 255]], { dtype: 'int32' }));
    expect([y.dtype, ...(await y.data())]).toEqual(['float32', 1, 4, 9, 65025]);
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['another size', () => net.apply(tensor([[1, 2]])), ShapeError],
    ['another rank', () => net.apply(tensor([1, 2, 3, 4])), ShapeError],
    ['fractions for integers', () => whole.apply(tensor([[1, 2, 3, 4]])), DTypeError],
    ['too many inputs', () => net.apply([tensor([[1]]), tensor([[1]])] as never), ValueError],
    ['host values', () => net.apply([[1, 2, 3, 4]] as never), ValueError],
    ['a symbolic tensor of another size', () => net.apply(input({ shape: [3] })), ShapeError],
  ])('%s', (_, call, error) => {
    expect(call).toThrow(error);
  });

  test('names the input, and its path', () => {
    expect(() => net.apply(tensor([[1, 2]]))).toThrow(/net: its input 'features' takes float32\[null, 4\]/);
    const [a, b] = [input({ shape: [1], name: 'left' }), input({ shape: [2], name: 'right' })];
    const y = add(a, b);
    const wrong = tensor([[1, 2, 3]]);
    const inList = model({ inputs: [a, { deep: [b] }], outputs: y });
    const good = tensor([[1]]);
    expect(() => inList.apply([good, { deep: [wrong] }])).toThrow(
      /'right' takes float32\[null, 2\].*\n.*inputs\[1\]\.deep\[0\]: float32\[1, 3\]/,
    );
    const byName = model({ inputs: { first: a, second: b }, outputs: y });
    expect(() => byName.apply({ first: good, second: wrong })).toThrow(/inputs\.second: float32\[1, 3\]/);
    expect(() => byName.apply({ first: good } as never)).toThrow(/add 'second'/);
  });

  test('rejects a model of nothing', () => {
    expect(() => model({ inputs: [], outputs: x })).toThrow(ValueError);
    expect(() => model({ inputs: x, outputs: {} })).toThrow(ValueError);
    expect(() => model({ inputs: x, outputs: undefined as never })).toThrow(ValueError);
  });

  test('rejects a cycle', () => {
    const layer = layers.dense({ units: 4 });
    const y = layer.apply(square(x));
    // Calls can't create a cycle, so a node is changed by force.
    const [inner] = layer.inboundNodes[0]?.inputTensors ?? [];
    const node = inner?.kerasHistory?.node as GraphNode;
    (node as unknown as { inputTensors: unknown[] }).inputTensors = [y];
    expect(() => model({ inputs: x, outputs: y })).toThrow(/no cycle/);
  });
});
