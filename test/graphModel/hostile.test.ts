/** @file Damaged graph models, and loops without an end: each gets an error that says what is wrong, and leaves nothing. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, memory, RetrogradError, type Tensor, tensor, ValueError } from '../../src/index.ts';
import { loadGraphModel } from '../../src/io/index.ts';
import {
  filesOf,
  flag,
  floats,
  type GraphFile,
  graphFile,
  type HostTensor,
  int,
  integers,
  type NodeDef,
  scalar,
  text,
} from './graphFile.ts';

beforeAll(() => init());

/** A function of one argument `a`, whose result is that of `result`. */
const func = (name: string, nodeDef: readonly NodeDef[], result: string) => ({
  signature: { name, inputArg: [{ name: 'a' }], outputArg: [{ name: 'r' }] },
  nodeDef,
  ret: { r: result },
});

function withFunctions(file: GraphFile, functions: readonly object[]): GraphFile {
  const modelTopology = { ...file.json.modelTopology, library: { function: functions } };
  return { ...file, json: { ...file.json, modelTopology } };
}

const calling = (name: string) => ({ f: { func: { name } } });

/** The error of loading and running a graph whose only output is 'y'. It leaves no tensors. */
async function errorOf(file: GraphFile): Promise<unknown> {
  const before = memory().tensors;
  let failed: unknown = null;
  try {
    const net = await loadGraphModel(filesOf(file));
    try {
      net.execute({}, ['y']).forEach((made: Tensor) => void made.dispose());
    } catch (error) {
      failed = error;
    }
    net.dispose();
  } catch (error) {
    failed = error;
  }
  expect(memory().tensors).toBe(before);
  return failed;
}

const node = (
  op: string,
  constants: Readonly<Record<string, HostTensor>>,
  attr: Readonly<Record<string, unknown>> = {},
): GraphFile => graphFile([{ name: 'y', op, input: Object.keys(constants), attr }], constants);

const [a, b, two] = [floats([2, 2]), floats([2]), integers([2, 2])];

describe('nodes that contradict their operation', () => {
  const cases: Record<string, GraphFile> = {
    'a branch without inputs': node('Switch', {}),
    'a choice with one input': node('SelectV2', { a }),
    'a batch normalization with one input': node('FusedBatchNormV3', { a }),
    'crops without boxes': node('CropAndResize', { a }),
    'a gather with an axis that its operation lacks': node('Gather', { a, b: integers([0]), two }),
    'an empty number': node('LinSpace', { a: floats([0]), b: scalar(1), two: scalar(2) }),
    'a negative size to fill': node('Fill', { a: integers([-5]), b: scalar(1) }),
    'half a size to fill': node('Fill', { a: floats([1], [2.5]), b: scalar(1) }),
    'parts of a negative number': node('Split', { a: scalar(0), b }, { num_split: int(-1) }),
    'no parts': node('Split', { a: scalar(0), b }, { num_split: int(0) }),
    'half a size in a shape': node('Reshape', { a: floats([5]), b: integers([2, -1]) }),
    'a slice from before the beginning': node('Slice', { a: b, b: integers([-1]), c: integers([1]) }),
    'a slice beyond the end': node('Slice', { a: b, b: integers([1]), c: integers([5]) }),
    'sizes that are not broadcast': node('BroadcastArgs', { a: integers([3]), b: integers([2]) }),
    'half a length of a list': node('TensorListReserve', { a: two, b: scalar(2.5, 'float32') }),
    'more indices than rows': node('TensorListScatter', { a, b: integers([0, 1, 2]), c: two }),
    'an index before the first': node('TensorListScatter', { a, b: integers([0, -1]), c: two }),
  };
  test.each(Object.entries(cases))('%s', async (_, file) => {
    expect(await errorOf(file)).toBeInstanceOf(RetrogradError);
  });

  test('a condition without inputs, a function twice, and an output that the graph lacks', async () => {
    const branch: NodeDef = {
      name: 'y',
      op: 'If',
      attr: { then_branch: { func: { name: 'f' } }, else_branch: { func: { name: 'f' } } },
    };
    const same = func('f', [], 'a');
    const empty = { ...same, signature: { ...same.signature, inputArg: [] }, ret: { r: 'c' } };
    const file = graphFile([branch], { c: b });
    expect(
      await errorOf(withFunctions(file, [{ ...empty, nodeDef: [{ name: 'c', op: 'Const' }] }])),
    ).toMatchObject({ message: expect.stringContaining('a branch reads its condition') });
    expect(await errorOf(withFunctions(node('Abs', { a }), [same, same]))).toMatchObject({
      message: expect.stringContaining('a name of its own'),
    });
    const signed = graphFile(
      [{ name: 'y', op: 'Abs', input: ['a'] }],
      { a },
      { outputs: { z: { name: 'gone:0' } } },
    );
    expect(await errorOf(signed)).toMatchObject({ message: expect.stringContaining("'gone:0'") });
  });
});

test('functions that are too deep are refused, in whatever order they are listed', async () => {
  const chain = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      i === 0
        ? func('f0', [{ name: 'n', op: 'Abs', input: ['a'] }], 'n:y:0')
        : func(
            `f${i}`,
            [{ name: 'n', op: 'PartitionedCall', input: ['a'], attr: calling(`f${i - 1}`) }],
            'n:output:0',
          ),
    );
  const file = (count: number, names: readonly string[]) =>
    withFunctions(
      graphFile(
        [
          ...names.map((name, i) => ({
            name: `x${i}`,
            op: 'PartitionedCall',
            input: ['a'],
            attr: calling(name),
          })),
          { name: 'y', op: 'AddN', input: names.map((_, i) => `x${i}`) },
        ],
        { a },
      ),
      chain(count),
    );
  expect(await errorOf(file(150, ['f149']))).toBe(null);
  for (const names of [['f19999'], ['f150', 'f250']])
    expect(await errorOf(file(20_000, names))).toMatchObject({
      message: expect.stringContaining('at most 200 deep'),
    });
});

describe('a loop that never ends', () => {
  const condition = (name: string): NodeDef[] => [{ name, op: 'LoopCond', input: ['always_inside'] }];
  const enter = (name: string, from: string, isConstant: boolean): NodeDef => ({
    name,
    op: 'Enter',
    input: [from],
    attr: { frame_name: text('loop'), is_constant: flag(isConstant) },
  });
  const endless = graphFile(
    [
      enter('always_inside', 'always', true),
      ...condition('more'),
      enter('i_enter', 'zero', false),
      { name: 'i', op: 'Merge', input: ['i_enter', 'i_again'] },
      { name: 'i_body', op: 'Switch', input: ['i', 'more'] },
      { name: 'i_again', op: 'NextIteration', input: ['i_body:1'] },
      { name: 'i_exit', op: 'Exit', input: ['i_body'] },
      { name: 'y', op: 'Identity', input: ['i_exit'] },
    ],
    { always: scalar(1, 'bool'), zero: scalar(0) },
  );

  test('is refused where JavaScript waits', async () => {
    expect(await errorOf(endless)).toMatchObject({
      name: 'ValueError',
      message: expect.stringContaining('turns'),
    });
  });

  test('is ended by a signal, while the page works', async () => {
    const net = await loadGraphModel(filesOf(endless));
    const before = memory().tensors;
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await expect(net.executeAsync({}, 'y', { signal: AbortSignal.timeout(150) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
    expect(memory().tensors).toBe(before);
    await expect(net.executeAsync({}, 'y', { signal: 5 as never })).rejects.toBeInstanceOf(RetrogradError);
    net.dispose();
  });
});

test('a condition is a scalar; of other tensors it is whether they have elements, as in TensorFlow', async () => {
  const branches = [
    func('yes', [{ name: 'n', op: 'Neg', input: ['a'] }], 'n:y:0'),
    func('no', [{ name: 'n', op: 'Abs', input: ['a'] }], 'n:y:0'),
  ];
  const attr = { then_branch: { func: { name: 'yes' } }, else_branch: { func: { name: 'no' } } };
  const results = [];
  for (const c of [scalar(0), scalar(1), integers([0]), integers([])]) {
    const file = graphFile([{ name: 'y', op: 'If', input: ['c', 'a'], attr }], { c, a: b });
    const net = await loadGraphModel(filesOf(withFunctions(file, branches)));
    const y = net.execute({}, 'y');
    results.push(((await y.data())[0] as number) < 0);
    y.dispose();
    net.dispose();
  }
  expect(results).toEqual([false, true, true, false]);
});

test('names of outputs', async () => {
  const net = await loadGraphModel(filesOf(node('Abs', { a })));
  expect(() => net.execute(tensor(1), 5 as never)).toThrow(ValueError);
  expect(() => net.execute({}, [5] as never)).toThrow(ValueError);
  net.dispose();
});
