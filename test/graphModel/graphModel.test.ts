/** @file Graph models: what they take and give, what they free, how gradients pass, and what is said of damaged files. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  compile,
  FormatError,
  GradientTape,
  init,
  memory,
  RetrogradError,
  sum,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../src/index.ts';
import { type GraphInputs, loadGraphModel, loadModel } from '../../src/io/index.ts';
import {
  filesOf,
  flag,
  floats,
  graphFile,
  int,
  integers,
  type NodeDef,
  placeholder,
  scalar,
  text,
  type,
} from './graphFile.ts';

beforeAll(() => init());

const open = (dtype: 'float32' | 'int32' = 'float32', ...sizes: number[]): NodeDef => ({
  name: 'x',
  op: 'Placeholder',
  attr: { dtype: type(dtype), shape: { shape: { dim: sizes.map((size) => ({ size: String(size) })) } } },
});

/** y = relu(x · w), z = y + 1. */
const product = (signature?: object) =>
  graphFile(
    [
      open('float32', -1, 2),
      { name: 'product', op: 'MatMul', input: ['x', 'w'] },
      { name: 'y', op: 'Relu', input: ['product', '^z'] },
      { name: 'z', op: 'AddV2', input: ['product', 'one'] },
    ],
    { w: floats([2, 2], [1, -1, 2, 0.5]), one: scalar(1, 'float32') },
    signature,
  );

const x = () => tensor([[1, 2]]);
const valuesOf = async (t: Tensor) => Array.from(await t.data());

describe('inputs and outputs', () => {
  test('are placeholders, and nodes that nothing reads', async () => {
    const net = await loadGraphModel(filesOf(product()));
    expect(net.inputs).toEqual([{ name: 'x', node: 'x', shape: [null, 2], dtype: 'float32' }]);
    expect(net.outputs.map(({ name }) => name)).toEqual(['y', 'z']);
    const [y, z] = net.predict(x()) as [Tensor, Tensor];
    expect(await valuesOf(y)).toEqual([5, 0]);
    expect(await valuesOf(z)).toEqual([6, 1]);
  });

  test('are those of the signature, by its names', async () => {
    const signature = {
      inputs: { features: { name: 'x:0' } },
      outputs: { scores: { name: 'z:0' } },
    };
    const net = await loadGraphModel(filesOf(product(signature)));
    expect([net.inputs[0]?.name, net.outputs[0]?.name]).toEqual(['features', 'scores']);
    for (const inputs of [x(), [x()], { features: x() }, { x: x() }] as GraphInputs[])
      expect(await valuesOf(net.predict(inputs) as Tensor)).toEqual([6, 1]);
    expect(await valuesOf(net.execute(x(), 'scores'))).toEqual([6, 1]);
    const [inner] = net.execute(x(), ['product']);
    expect(await valuesOf(inner as Tensor)).toEqual([5, 0]);
    // A node inside may be given, too.
    const [after] = net.execute({ product: tensor([[-1, 3]]) }, ['y']);
    expect(await valuesOf(after as Tensor)).toEqual([0, 3]);
  });

  test('a shape that is computed from another stays on the host', async () => {
    const nodes: NodeDef[] = [
      open('float32', -1, 6),
      { name: 'shape', op: 'Shape', input: ['x'] },
      {
        name: 'batch',
        op: 'StridedSlice',
        input: ['shape', 'zero', 'first', 'first'],
        attr: { shrink_axis_mask: int(1) },
      },
      { name: 'double', op: 'Mul', input: ['batch', 'two'] },
      { name: 'sizes', op: 'Pack', input: ['double', 'three'], attr: { axis: int(0) } },
      { name: 'y', op: 'Reshape', input: ['x', 'sizes'] },
    ];
    const constants = {
      zero: integers([0]),
      first: integers([1]),
      two: scalar(2),
      three: scalar(3),
    };
    const net = await loadGraphModel(filesOf(graphFile(nodes, constants)));
    expect((net.predict(tensor(new Float32Array(30), { shape: [5, 6] })) as Tensor).shape).toEqual([10, 3]);
  });

  test('a size that is divided as JAX divides stays on the host', async () => {
    // Half of the batch, towards zero: its own quotient is rounded down.
    const nodes: NodeDef[] = [
      open('float32', -1),
      { name: 'shape', op: 'Shape', input: ['x'] },
      {
        name: 'batch',
        op: 'StridedSlice',
        input: ['shape', 'zero', 'first', 'first'],
        attr: { shrink_axis_mask: int(1) },
      },
      { name: 'size', op: 'Neg', input: ['batch'] },
      { name: 'quotient', op: 'FloorDiv', input: ['size', 'two'] },
      { name: 'more', op: 'AddV2', input: ['quotient', 'one'] },
      { name: 'sign', op: 'Sign', input: ['size'] },
      { name: 'differs', op: 'NotEqual', input: ['sign', 'one'] },
      { name: 'rest', op: 'FloorMod', input: ['size', 'two'] },
      { name: 'isRest', op: 'NotEqual', input: ['rest', 'none'] },
      { name: 'isBelow', op: 'LogicalAnd', input: ['differs', 'isRest'] },
      { name: 'half', op: 'SelectV2', input: ['isBelow', 'more', 'quotient'] },
      { name: 'count', op: 'Abs', input: ['half'] },
      { name: 'sizes', op: 'Pack', input: ['count', 'three'], attr: { axis: int(0) } },
      { name: 'y', op: 'BroadcastTo', input: ['value', 'sizes'] },
    ];
    const constants = {
      zero: integers([0]),
      first: integers([1]),
      none: scalar(0),
      one: scalar(1),
      two: scalar(2),
      three: scalar(3),
      value: scalar(1, 'float32'),
    };
    const net = await loadGraphModel(filesOf(graphFile(nodes, constants)));
    expect((net.execute(tensor(new Float32Array(5)), 'y') as Tensor).shape).toEqual([2, 3]);
  });

  test('a branch of TensorFlow 1 runs where it is taken, and waits where its condition is on the device', async () => {
    const nodes: NodeDef[] = [
      open('float32', 2),
      { name: 'total', op: 'Sum', input: ['x', 'axis'] },
      { name: 'isAbove', op: 'Greater', input: ['total', 'limit'] },
      { name: 'switch', op: 'Switch', input: ['x', 'isAbove'] },
      { name: 'less', op: 'Neg', input: ['switch'] },
      { name: 'more', op: 'Square', input: ['switch:1'] },
      { name: 'y', op: 'Merge', input: ['less', 'more'] },
    ];
    const net = await loadGraphModel(
      filesOf(graphFile(nodes, { axis: integers([0]), limit: scalar(0, 'float32') })),
    );
    expect(() => net.predict(tensor([1, 2]))).toThrow(
      /node 'switch' \(Switch\) reads values[\s\S]*executeAsync/,
    );
    expect(await valuesOf(await net.executeAsync(tensor([1, 2]), 'y'))).toEqual([1, 4]);
    expect(await valuesOf(await net.executeAsync(tensor([1, -2]), 'y'))).toEqual([-1, 2]);
  });
});

describe('memory and gradients', () => {
  test('a run leaves its outputs, and nothing else; an error leaves nothing', async () => {
    const net = await loadGraphModel(filesOf(product()));
    const input = x();
    const before = memory().tensors;
    const outputs = net.predict(input) as Tensor[];
    expect(memory().tensors).toBe(before + 2);
    const later = await net.executeAsync(input, ['y', 'z']);
    expect(memory().tensors).toBe(before + 4);
    for (const output of [...outputs, ...later]) output.dispose();
    tidy(() => void net.predict(input));
    expect(() => net.execute({}, 'y')).toThrow(/none for 'x'/);
    expect(memory().tensors).toBe(before);
    net.dispose();
    expect(memory().tensors).toBe(before - 2);
    expect(() => net.predict(input)).toThrow(/disposed of/);
    input.dispose();
  });

  test('a gradient passes to inputs and weights, and a compiled function has the same values', async () => {
    const net = await loadGraphModel(filesOf(product()));
    const [input, w] = [x(), net.weights.get('w') as Tensor];
    const tape = new GradientTape();
    tape.watch(input);
    tape.watch(w);
    const [dx, dw] = tape.gradient(sum(net.execute(input, 'y')), [input, w]);
    expect(await valuesOf(dx as Tensor)).toEqual([1, 2]);
    expect(await valuesOf(dw as Tensor)).toEqual([1, 0, 2, 0]);
    const step = compile((t: Tensor) => net.execute(t, 'z'));
    for (let i = 0; i < 3; i++) expect(await valuesOf(step(tensor([[1, i]])))).toEqual([2 + 2 * i, 0.5 * i]);
  });
});

describe('what is refused', () => {
  const reject = (file: Parameters<typeof filesOf>[0]) => expect(loadGraphModel(filesOf(file))).rejects;
  const withNodes = (...nodes: NodeDef[]) => graphFile([open('float32', 2), ...nodes]);

  test.each<[string, NodeDef[], RegExp]>([
    ['an unknown operation', [{ name: 'y', op: 'DecodeJpeg', input: ['x'] }], /DecodeJpeg/],
    ['a missing node', [{ name: 'y', op: 'Neg', input: ['z'] }], /node 'y' reads a node/],
    [
      'two nodes of a name',
      [
        { name: 'y', op: 'Neg', input: ['x'] },
        { name: 'y', op: 'Abs', input: ['x'] },
      ],
      /'y', twice/,
    ],
    [
      'a cycle',
      [
        { name: 'a', op: 'Merge', input: ['x', 'b'] },
        { name: 'b', op: 'Neg', input: ['a'] },
        { name: 'c', op: 'Neg', input: ['b'] },
      ],
      /a cycle through/,
    ],
    [
      'a constant without values',
      [
        { name: 'c', op: 'Const' },
        { name: 'y', op: 'Add', input: ['x', 'c'] },
      ],
      /none called 'c'/,
    ],
  ])('%s', async (_, nodes, message) => {
    await reject(withNodes(...nodes)).toThrow(message);
    await reject(withNodes(...nodes)).toThrow(FormatError);
  });

  test.each<[string, readonly number[], RegExp]>([
    ['a shape of another size', [7, 3], /reshape/],
    ['two open sizes', [-1, -1], /reshape/],
  ])('%s of values that the host knows', async (_, shape, message) => {
    const nodes: NodeDef[] = [
      { name: 'shape', op: 'Shape', input: ['x'] },
      { name: 'y', op: 'Reshape', input: ['shape', 'sizes'] },
    ];
    const net = await loadGraphModel(
      filesOf(graphFile([open('float32', 2), ...nodes], { sizes: integers(shape) })),
    );
    expect(() => net.execute(tensor([1, 2]), 'y')).toThrow(message);
  });

  test('a tile of values that the host knows is no larger than what the device holds', async () => {
    const nodes: NodeDef[] = [
      { name: 'shape', op: 'Shape', input: ['x'] },
      { name: 'y', op: 'Tile', input: ['shape', 'reps'] },
    ];
    const net = await loadGraphModel(
      filesOf(graphFile([open('float32', 2), ...nodes], { reps: integers([2 ** 31 - 1]) })),
    );
    expect(() => net.execute(tensor([1, 2]), 'y')).toThrow(RetrogradError);
  });

  test.each<[string, NodeDef, RegExp]>([
    [
      'channels first',
      { name: 'y', op: 'MaxPool', input: ['x'], attr: { data_format: text('NCHW') } },
      /node 'y' \(MaxPool\)[\s\S]*NCHW/,
    ],
    [
      'normalization in training',
      {
        name: 'y',
        op: 'FusedBatchNormV3',
        input: ['x', 'x', 'x', 'x', 'x'],
        attr: { is_training: flag(true) },
      },
      /training mode/,
    ],
    [
      'an attribute that is none',
      { name: 'y', op: 'LeakyRelu', input: ['x'], attr: { alpha: { f: 'much' } } },
      /'alpha'/,
    ],
    ['too few inputs', { name: 'y', op: 'Add', input: ['x'] }, /as many tensors/],
    ['an output that is not there', { name: 'y', op: 'Neg', input: ['x:1'] }, /output 1/],
  ])('a run with %s', async (_, node, message) => {
    const net = await loadGraphModel(filesOf(withNodes(node)));
    const before = memory().tensors;
    const input = tensor([1, 2]);
    expect(() => net.predict(input)).toThrow(message);
    input.dispose();
    expect(memory().tensors).toBe(before);
  });

  test('inputs that do not fit', async () => {
    const net = await loadGraphModel(filesOf(product()));
    expect(() => net.predict(tensor([1, 2]))).toThrow(/shape \[\?, 2\]/);
    expect(() => net.predict(tensor([[1, 2]], { dtype: 'int32' }))).toThrow(/cast/);
    expect(() => net.predict([x(), x()])).toThrow(/takes 1/);
    expect(() => net.predict([1, 2] as never)).toThrow(ValueError);
    expect(() => net.predict(null as never)).toThrow(ValueError);
    expect(() => net.execute(x(), 'yy')).toThrow(/'yy'/);
    expect(() => net.execute({ w2: x() }, 'y')).toThrow(/w2/);
  });

  test('other files, and half of one', async () => {
    const file = product();
    await expect(loadGraphModel(filesOf(file).slice(0, 1))).rejects.toThrow(FormatError);
    await reject({ ...file, bytes: file.bytes.slice(4) }).toThrow(/cut short/);
    await reject({ ...file, json: { modelTopology: { model_config: {} } } as never }).toThrow(/loadModel/);
    await expect(loadModel(filesOf(file))).rejects.toThrow(/loadGraphModel/);
    await expect(loadGraphModel(filesOf(file), { quiet: true } as never)).rejects.toThrow(/options are/);
  });

  test('a load that is aborted leaves nothing', async () => {
    const before = memory().tensors;
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(loadGraphModel(filesOf(product()), { signal })).rejects.toThrow('enough');
    expect(memory().tensors).toBe(before);
  });

  test('a chain of 20,000 nodes runs', async () => {
    const nodes = Array.from({ length: 20_000 }, (_, i) => ({
      name: `n${i + 1}`,
      op: 'Identity',
      input: [i === 0 ? 'x' : `n${i}`],
    }));
    const net = await loadGraphModel(filesOf(withNodes(...nodes)));
    expect(await valuesOf(net.predict(tensor([1, 2])) as Tensor)).toEqual([1, 2]);
  });
});

test('placeholders with a default need no input', async () => {
  const nodes = [placeholder('x', floats([2])), { name: 'y', op: 'Mul', input: ['x', 'factor'] }];
  const factor = { name: 'factor', op: 'PlaceholderWithDefault', input: ['two'] };
  const net = await loadGraphModel(filesOf(graphFile([...nodes, factor], { two: scalar(2, 'float32') })));
  expect(await valuesOf(net.execute({ x: tensor([1, 2]) }, 'y'))).toEqual([2, 4]);
  expect(await valuesOf(net.execute({ x: tensor([1, 2]), factor: tensor(3) }, 'y'))).toEqual([3, 6]);
});
