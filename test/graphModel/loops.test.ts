/** @file Loops of TensorFlow 1 and lists of tensors, next to TF.js. */
import '@tensorflow/tfjs-backend-cpu';
import * as converter from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory, type Tensor, tensor } from '../../src/index.ts';
import { loadGraphModel } from '../../src/io/index.ts';
import {
  filesOf,
  flag,
  floats,
  type GraphFile,
  graphFile,
  int,
  integers,
  type NodeDef,
  placeholder,
  scalar,
  text,
  type,
} from './graphFile.ts';

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});

const x = floats([3], [1, 2, 3]);

/** The nodes of a variable of a loop, whose next value is node `next`. */
const variable = (name: string, from: string, next: string): NodeDef[] => [
  {
    name: `${name}_enter`,
    op: 'Enter',
    input: [from],
    attr: { frame_name: text('loop'), is_constant: flag(false) },
  },
  { name, op: 'Merge', input: [`${name}_enter`, `${name}_again`] },
  { name: `${name}_body`, op: 'Switch', input: [name, 'more'] },
  { name: `${name}_again`, op: 'NextIteration', input: [next] },
  { name: `${name}_exit`, op: 'Exit', input: [`${name}_body`] },
];
const fixed = (name: string, from: string): NodeDef => ({
  name,
  op: 'Enter',
  input: [from],
  attr: { frame_name: text('loop'), is_constant: flag(true) },
});
const counted = (limit: string): NodeDef[] => [
  ...variable('i', 'zero', 'i_next'),
  { name: 'i_next', op: 'AddV2', input: ['i_body:1', 'one_inside'] },
  fixed('one_inside', 'one'),
  fixed('limit', limit),
  { name: 'less', op: 'Less', input: ['i', 'limit'] },
  { name: 'more', op: 'LoopCond', input: ['less'] },
];
const numbers = { zero: scalar(0), one: scalar(1), three: scalar(3) };

/** x · 2 · 2 · 2, and how many turns that took. */
const doubled = graphFile(
  [
    placeholder('x', x),
    ...counted('three'),
    ...variable('y', 'x', 'y_next'),
    { name: 'y_next', op: 'Mul', input: ['y_body:1', 'two_inside'] },
    fixed('two_inside', 'two'),
    { name: 'result', op: 'Identity', input: ['y_exit'] },
    { name: 'turns', op: 'Identity', input: ['i_exit'] },
  ],
  { ...numbers, two: scalar(2, 'float32') },
);

/** Doubles x while its sum is below 100: the condition is on the device. */
const grown = graphFile(
  [
    placeholder('x', x),
    ...variable('y', 'x', 'y_next'),
    { name: 'y_next', op: 'AddV2', input: ['y_body:1', 'y_body:1'] },
    { name: 'total', op: 'Sum', input: ['y', 'axis'] },
    fixed('limit', 'hundred'),
    { name: 'less', op: 'Less', input: ['total', 'limit'] },
    { name: 'more', op: 'LoopCond', input: ['less'] },
    { name: 'result', op: 'Identity', input: ['y_exit'] },
  ],
  { axis: integers([0]), hundred: scalar(100, 'float32') },
);

/** The square of each element, by lists. */
const mapped = (write: NodeDef[], made: NodeDef[], read: NodeDef[]) =>
  graphFile([placeholder('x', x), ...counted('three'), ...made, ...write, ...read], {
    ...numbers,
    all: integers([0, 1, 2]),
    none: integers([]),
    nothing: scalar(0, 'float32'),
  });
const arrays = mapped(
  [
    ...variable('flow', 'out:1', 'flow_next'),
    fixed('in_inside', 'in'),
    fixed('filled_inside', 'filled'),
    fixed('out_inside', 'out'),
    { name: 'element', op: 'TensorArrayReadV3', input: ['in_inside', 'i_body:1', 'filled_inside'] },
    { name: 'squared', op: 'Square', input: ['element'] },
    {
      name: 'flow_next',
      op: 'TensorArrayWriteV3',
      input: ['out_inside', 'i_body:1', 'squared', 'flow_body:1'],
      attr: { T: type('float32') },
    },
  ],
  [
    {
      name: 'in',
      op: 'TensorArrayV3',
      input: ['three'],
      attr: { dtype: type('float32'), element_shape: { shape: { dim: [] } } },
    },
    {
      name: 'filled',
      op: 'TensorArrayScatterV3',
      input: ['in', 'all', 'x', 'in:1'],
      attr: { T: type('float32') },
    },
    {
      name: 'out',
      op: 'TensorArrayV3',
      input: ['three'],
      attr: { dtype: type('float32'), element_shape: { shape: { dim: [] } } },
    },
  ],
  [
    {
      name: 'result',
      op: 'TensorArrayGatherV3',
      input: ['out', 'all', 'flow_exit'],
      attr: { dtype: type('float32'), element_shape: { shape: { dim: [] } } },
    },
    { name: 'size', op: 'TensorArraySizeV3', input: ['out', 'flow_exit'] },
  ],
);
const element = { element_dtype: type('float32') };
const functional = mapped(
  [
    ...variable('list', 'out', 'list_next'),
    fixed('in_inside', 'in'),
    fixed('none_inside', 'none'),
    {
      name: 'element',
      op: 'TensorListGetItem',
      input: ['in_inside', 'i_body:1', 'none_inside'],
      attr: element,
    },
    { name: 'squared', op: 'Square', input: ['element'] },
    {
      name: 'list_next',
      op: 'TensorListSetItem',
      input: ['list_body:1', 'i_body:1', 'squared'],
      attr: element,
    },
  ],
  [
    { name: 'in', op: 'TensorListFromTensor', input: ['x', 'none'], attr: element },
    { name: 'out', op: 'TensorListReserve', input: ['none', 'three'], attr: element },
  ],
  [
    {
      name: 'result',
      op: 'TensorListStack',
      input: ['list_exit', 'none'],
      attr: { ...element, num_elements: int(3) },
    },
    { name: 'size', op: 'TensorListLength', input: ['list_exit'] },
  ],
);

async function expected({ json, specs, bytes }: GraphFile, output: string): Promise<number[]> {
  const model = await converter.loadGraphModel({
    load: async () =>
      ({ modelTopology: json.modelTopology, weightSpecs: specs, weightData: bytes.buffer }) as never,
  });
  const made = (await model.executeAsync({ x: tf.tensor([1, 2, 3]) }, output)) as tf.Tensor;
  return Array.from(made.dataSync() as ArrayLike<number>);
}

const valuesOf = async (t: Tensor) => Array.from(await t.data());

describe('loops agree with TF.js', () => {
  test.each([
    ['a loop that counts', doubled, 'result', [8, 16, 24]],
    ['its counter', doubled, 'turns', [3]],
    ['a condition on the device', grown, 'result', [32, 64, 96]],
    ['a TensorArray', arrays, 'result', [1, 4, 9]],
    ['the size of a TensorArray', arrays, 'size', [3]],
    ['a TensorList', functional, 'result', [1, 4, 9]],
    ['the length of a TensorList', functional, 'size', [3]],
  ] as const)('%s', async (_, file, output, values) => {
    expect(await expected(file, output)).toEqual(values);
    const net = await loadGraphModel(filesOf(file));
    const input = tensor([1, 2, 3]);
    const before = memory().tensors;
    const made = await net.executeAsync(input, output);
    expect(await valuesOf(made)).toEqual(values);
    expect(memory().tensors).toBe(before + 1);
  });

  test('a loop that counts needs no values of the device', async () => {
    const net = await loadGraphModel(filesOf(doubled));
    expect(await valuesOf(net.execute(tensor([1, 2, 3]), 'result'))).toEqual([8, 16, 24]);
    const wide = await loadGraphModel(filesOf(grown));
    const before = memory().tensors;
    const input = tensor([1, 2, 3]);
    expect(() => wide.execute(input, 'result')).toThrow(/executeAsync/);
    input.dispose();
    expect(memory().tensors).toBe(before);
  });
});

test('a loop without a next value, and operations inside that are unknown, are refused when loaded', async () => {
  const without = (name: string) => doubled.json.modelTopology.node.filter((node) => node.name !== name);
  const again = (nodes: readonly NodeDef[]) => {
    const modelTopology = { ...doubled.json.modelTopology, node: nodes };
    return filesOf({ ...doubled, json: { ...doubled.json, modelTopology } });
  };
  await expect(loadGraphModel(again(without('y_again')))).rejects.toThrow(FormatError);
  const unknown = doubled.json.modelTopology.node.map((node) =>
    node.name === 'y_next' ? { ...node, op: 'Mystery' } : node,
  );
  await expect(loadGraphModel(again(unknown))).rejects.toThrow(/Mystery/);
});

test('an index that a list lacks', async () => {
  const nodes: NodeDef[] = [
    placeholder('x', x),
    { name: 'list', op: 'TensorListFromTensor', input: ['x', 'none'] },
    { name: 'y', op: 'TensorListGetItem', input: ['list', 'nine', 'none'] },
  ];
  const net = await loadGraphModel(filesOf(graphFile(nodes, { none: integers([]), nine: scalar(9) })));
  const input = tensor([1, 2, 3]);
  const before = memory().tensors;
  expect(() => net.predict(input)).toThrow(/9, for 3/);
  expect(memory().tensors).toBe(before);
});
