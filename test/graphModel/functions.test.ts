/** @file Functions of TensorFlow 2 in graphs: loops and branches next to TF.js, calls, and what is refused. */
import '@tensorflow/tfjs-backend-cpu';
import * as converter from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, GradientTape, init, memory, sum, type Tensor, tensor } from '../../src/index.ts';
import { loadGraphModel } from '../../src/io/index.ts';
import {
  filesOf,
  floats,
  type GraphFile,
  graphFile,
  integers,
  type NodeDef,
  placeholder,
  scalar,
} from './graphFile.ts';

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});

const x = floats([3], [1, 2, 3]);

/** A function: `takes` and `gives` are names of arguments and results, the latter with where they come from. */
const func = (name: string, takes: string, gives: Record<string, string>, nodeDef: readonly NodeDef[]) => ({
  signature: {
    name,
    inputArg: takes.split(' ').map((arg) => ({ name: arg, type: 'DT_FLOAT' })),
    outputArg: Object.keys(gives).map((arg) => ({ name: arg, type: 'DT_FLOAT' })),
  },
  nodeDef,
  ret: gives,
});
type Func = ReturnType<typeof func>;
const calls = (attributes: Record<string, string>) =>
  Object.fromEntries(Object.entries(attributes).map(([key, name]) => [key, { func: { name } }]));

function withFunctions(file: GraphFile, functions: readonly Func[]): GraphFile {
  const modelTopology = { ...file.json.modelTopology, library: { function: functions } };
  return { ...file, json: { ...file.json, modelTopology } };
}

/** The constants of functions are weights, too, whose nodes are in the functions. */
function graph(
  nodes: readonly NodeDef[],
  constants: Parameters<typeof graphFile>[1],
  functions: readonly Func[],
) {
  return withFunctions(graphFile([placeholder('x', x), ...nodes], constants), functions);
}

const one: NodeDef = { name: 'count/one', op: 'Const' };
const counts = func('count', 'i y', { i_out: 'i_next:z:0', y_out: 'doubled:z:0' }, [
  { name: 'i_next', op: 'AddV2', input: ['i', 'count/one:output:0'] },
  one,
  { name: 'doubled', op: 'AddV2', input: ['y', 'y'] },
]);
const isBelow = func('isBelow', 'i y', { more: 'less:z:0' }, [
  { name: 'less', op: 'Less', input: ['i', 'isBelow/limit:output:0'] },
  { name: 'isBelow/limit', op: 'Const' },
]);
const isSmall = func('isSmall', 'i y', { more: 'less:z:0' }, [
  { name: 'total', op: 'Sum', input: ['y', 'isSmall/axis:output:0'] },
  { name: 'isSmall/axis', op: 'Const' },
  { name: 'less', op: 'Less', input: ['total:output:0', 'isSmall/limit:output:0'] },
  { name: 'isSmall/limit', op: 'Const' },
]);
const negates = func('negates', 'y', { out: 'n:y:0' }, [{ name: 'n', op: 'Neg', input: ['y'] }]);
const doubles = func('doubles', 'y', { out: 'd:z:0' }, [{ name: 'd', op: 'AddV2', input: ['y', 'y'] }]);
/** TF.js takes the values for the indices. */
const sorts = func('sorts', 'y', { out: 'sum:z:0' }, [
  { name: 'top', op: 'TopKV2', input: ['y', 'sorts/k:output:0'] },
  { name: 'sorts/k', op: 'Const' },
  { name: 'places', op: 'Cast', input: ['top:indices:0'], attr: { DstT: { type: 'DT_FLOAT' } } },
  { name: 'sum', op: 'AddV2', input: ['top:values:0', 'places:y:0'] },
]);

/** A weight that belongs to a function has no node outside. */
function inFunctions(file: GraphFile): GraphFile {
  const { node } = file.json.modelTopology;
  const modelTopology = { ...file.json.modelTopology, node: node.filter(({ name }) => !name.includes('/')) };
  return { ...file, json: { ...file.json, modelTopology } };
}

const constants = {
  zero: scalar(0),
  limit: scalar(5, 'float32'),
  axis: integers([0]),
  'count/one': scalar(1),
  'isBelow/limit': scalar(3),
  'isSmall/axis': integers([0]),
  'isSmall/limit': scalar(100, 'float32'),
  'sorts/k': scalar(2),
};
const all = [counts, isBelow, isSmall, negates, doubles, sorts];
const file = (nodes: readonly NodeDef[], functions: readonly Func[] = all) =>
  inFunctions(graph(nodes, constants, functions));

const loop = (op: string, cond: string) =>
  file([
    { name: 'loop', op, input: ['zero', 'x'], attr: calls({ cond, body: 'count' }) },
    { name: 'result', op: 'Identity', input: ['loop:1'] },
    { name: 'turns', op: 'Identity', input: ['loop'] },
  ]);
const branch = (op: string) =>
  file([
    { name: 'total', op: 'Sum', input: ['x', 'axis'] },
    { name: 'isAbove', op: 'Greater', input: ['total', 'limit'] },
    {
      name: 'result',
      op,
      input: ['isAbove', 'x'],
      attr: calls({ then_branch: 'doubles', else_branch: 'negates' }),
    },
  ]);

async function expected(
  { json, specs, bytes }: GraphFile,
  output: string,
  values: number[],
): Promise<number[]> {
  const model = await converter.loadGraphModel({
    load: async () =>
      ({ modelTopology: json.modelTopology, weightSpecs: specs, weightData: bytes.buffer }) as never,
  });
  const made = (await model.executeAsync({ x: tf.tensor(values) }, output)) as tf.Tensor;
  return Array.from(made.dataSync() as ArrayLike<number>);
}

const valuesOf = async (t: Tensor) => Array.from(await t.data());

describe('functions agree with TF.js', () => {
  test.each([
    ['a loop that counts', loop('StatelessWhile', 'isBelow'), 'result', [1, 2, 3], [8, 16, 24]],
    ['its counter', loop('While', 'isBelow'), 'turns', [1, 2, 3], [3]],
    ['a condition on the device', loop('While', 'isSmall'), 'result', [1, 2, 3], [32, 64, 96]],
    ['a loop without a turn', loop('While', 'isSmall'), 'result', [99, 0, 1], [99, 0, 1]],
    ['a branch', branch('StatelessIf'), 'result', [1, 2, 3], [2, 4, 6]],
    ['the other branch', branch('If'), 'result', [1, 1, 1], [-1, -1, -1]],
  ] as const)('%s', async (_, graphs, output, given, values) => {
    expect(await expected(graphs, output, [...given])).toEqual(values);
    const net = await loadGraphModel(filesOf(graphs));
    const input = tensor([...given]);
    const before = memory().tensors;
    const made = await net.executeAsync(input, output);
    expect(await valuesOf(made)).toEqual(values);
    expect(memory().tensors).toBe(before + 1);
  });
});

test('a loop whose condition the host knows runs at once, and has a gradient', async () => {
  const net = await loadGraphModel(filesOf(loop('While', 'isBelow')));
  const input = tensor([1, 2, 3]);
  const tape = new GradientTape();
  tape.watch(input);
  const total = sum(net.execute(input, 'result'));
  expect(await valuesOf(tape.gradient(total, input) as Tensor)).toEqual([8, 8, 8]);
  const waits = await loadGraphModel(filesOf(loop('While', 'isSmall')));
  expect(() => waits.execute(input, 'result')).toThrow(/node 'loop' \(While\) reads values/);
});

test('functions call functions', async () => {
  const twice = func('twice', 'y', { out: 'second:out:0' }, [
    { name: 'first', op: 'PartitionedCall', input: ['y'], attr: calls({ f: 'negates' }) },
    { name: 'second', op: 'StatefulPartitionedCall', input: ['first:out:0'], attr: calls({ f: 'sorts' }) },
  ]);
  const nodes: NodeDef[] = [
    { name: 'called', op: 'PartitionedCall', input: ['x'], attr: calls({ f: 'twice' }) },
    { name: 'again', op: 'PartitionedCall', input: ['called'], attr: calls({ f: 'negates' }) },
  ];
  const net = await loadGraphModel(filesOf(file(nodes, [...all, twice])));
  const input = tensor([1, 2, 3]);
  const before = memory().tensors;
  const made = net.execute(input, ['called', 'again']);
  // -1 and -2 are the largest, at 0 and 1.
  expect(await Promise.all(made.map(valuesOf))).toEqual([
    [-1, -1],
    [1, 1],
  ]);
  expect(memory().tensors).toBe(before + 2);
  net.dispose();
});

describe('what is refused', () => {
  const call = (f: string, input: string[] = ['x']): NodeDef => ({
    name: 'y',
    op: 'PartitionedCall',
    input,
    attr: calls({ f }),
  });
  const self = func('self', 'y', { out: 'n:out:0' }, [
    { name: 'n', op: 'PartitionedCall', input: ['y'], attr: calls({ f: 'self' }) },
  ]);
  const unknown = func('unknown', 'y', { out: 'n:out:0' }, [{ name: 'n', op: 'Mystery', input: ['y'] }]);
  const open = func('open', 'y', { out: 'nothing:out:0' }, []);
  const lost = func('lost', 'y', { out: 'n:z:0' }, [
    { name: 'n', op: 'Neg', input: ['lost/one:output:0'] },
    { name: 'lost/one', op: 'Const' },
  ]);
  test.each<[string, NodeDef[], Func[], RegExp]>([
    ['a function that is missing', [call('none')], [], /no function 'none'/],
    ['another number of arguments', [call('negates', ['x', 'x'])], [], /2 for the 1 of 'negates'/],
    ['a function that calls itself', [call('self')], [self], /'self', which does/],
    ['an unknown operation inside', [call('unknown')], [unknown], /Mystery/],
    [
      'a result that is missing',
      [call('negates')],
      [open],
      /function 'open' has its results among its nodes/,
    ],
    ['a constant without values', [call('lost')], [lost], /none called 'lost\/one'/],
    ['an attribute without a name', [{ name: 'y', op: 'If', input: ['x', 'x'] }], [], /names a function/],
    ['a function without a name', [call('negates')], [{} as Func], /a function has a name/],
  ])('%s', async (_, nodes, functions, message) => {
    const before = memory().tensors;
    const loading = loadGraphModel(filesOf(file(nodes, [...all, ...functions])));
    await expect(loading).rejects.toThrow(FormatError);
    await expect(loading).rejects.toThrow(message);
    expect(memory().tensors).toBe(before);
  });

  test('but not of functions that nothing calls', async () => {
    const net = await loadGraphModel(filesOf(file([call('negates')], [...all, self, unknown, lost])));
    expect(await valuesOf(net.predict(tensor([1, 2, 3])) as Tensor)).toEqual([-1, -2, -3]);
  });
});
