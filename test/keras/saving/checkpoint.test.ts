/** @file Checkpoints that are damaged or of another model: rejected with a typed error, and nothing is changed. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FormatError, init, memory, RetrogradError, tensor, ValueError } from '../../../src/index.ts';
import {
  type HostTensor,
  loadCheckpoint,
  loadWeights,
  readCheckpoint,
  readSafetensors,
  saveCheckpoint,
  saveWeights,
  writeSafetensors,
} from '../../../src/io/index.ts';
import { callbacks, clearSession, layers, sequential } from '../../../src/keras/index.ts';
import { optimizerOf } from '../../../src/keras/optimizers/get.ts';
import { mutated } from '../../support/mutate.ts';
import { random } from '../../support/random.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const x = [
  [0.1, 0.2],
  [0.3, -0.4],
  [0.5, 0.6],
  [-0.7, 0.8],
];
const y = [[1], [0], [1], [0]];

type Rule = 'adam' | 'nadam' | 'sgd' | 'adafactor';

function network(rule: Rule = 'adam') {
  clearSession();
  const net = sequential([
    layers.input({ shape: [2] }),
    layers.dense({ units: 3, name: 'hidden' }),
    layers.dropout({ rate: 0.5, seed: 4, name: 'drop' }),
    layers.dense({ units: 1, name: 'top' }),
  ]);
  const momentum = rule === 'sgd' ? { momentum: 0.9 } : {};
  net.compile({
    optimizer: optimizerOf({ className: rule, config: { learningRate: 0.125, ...momentum } }),
    loss: 'mse',
  });
  return net;
}

async function trained(rule: Rule = 'adam') {
  const net = network(rule);
  await net.fit(x, y, { epochs: 1, batchSize: 2, verbose: 0, seed: 1 });
  return net;
}

/** Returns everything that a checkpoint may change, as bytes. */
async function stateOf(net: ReturnType<typeof network>) {
  const { optimizer } = net;
  return [
    await saveCheckpoint(net, { epoch: 0 }),
    optimizer?.built,
    optimizer?.iterations,
    optimizer?.learningRate,
    net.weights.map(({ origin }) => origin.kind),
  ];
}

type Change = (tensors: Map<string, HostTensor>, metadata: Record<string, string>) => void;

/** Returns the name of the weight whose path ends with `end`. */
const nameIn = (tensors: Map<string, HostTensor>, end: string) =>
  [...tensors.keys()].find((name) => name.endsWith(end)) as string;

const weightIn = (tensors: Map<string, HostTensor>, end: string) =>
  tensors.get(nameIn(tensors, end)) as HostTensor;

/** Returns a checkpoint, changed. */
function changed(file: Uint8Array, change: Change): Uint8Array {
  const { tensors, metadata } = readSafetensors(file);
  const [copy, strings] = [new Map(tensors), Object.fromEntries(metadata)];
  change(copy, strings);
  return writeSafetensors(copy, strings);
}

/** A document of any form, from JSON.parse. */
type ParsedJSON = ReturnType<typeof JSON.parse>;

const edit = (text: string | undefined, change: (document: ParsedJSON) => void) => {
  const document = JSON.parse(text as string);
  change(document);
  return JSON.stringify(document);
};

const training =
  (change: (document: ParsedJSON) => void): Change =>
  (_, metadata) => {
    metadata.training = edit(metadata.training, change);
  };

describe('all or nothing', () => {
  const damages: [string, Change][] = [
    ['a model that is no JSON', (_, metadata) => Object.assign(metadata, { model: '{' })],
    ['a model that is a number', (_, metadata) => Object.assign(metadata, { model: '3' })],
    ['training that is no JSON', (_, metadata) => Object.assign(metadata, { training: '{' })],
    ['training that is null', (_, metadata) => Object.assign(metadata, { training: 'null' })],
    ['another format', (_, metadata) => Object.assign(metadata, { format: 'other' })],
    ['an epoch below 0', training((d) => Object.assign(d.training, { epoch: -1 }))],
    ['an epoch that is a string', training((d) => Object.assign(d.training, { epoch: '1' }))],
    ['a batch that is a list', training((d) => Object.assign(d.training, { batch: [] }))],
    ['a seed that is a fraction', training((d) => Object.assign(d.training, { seed: 0.5 }))],
    ['logs that are null', training((d) => Object.assign(d.training, { logs: null }))],
    ['logs of strings', training((d) => Object.assign(d.training, { logs: { loss: 'low' } }))],
    ['seeds that are strings', training((d) => Object.assign(d, { seeds: ['1'] }))],
    ['a seed below 0', training((d) => Object.assign(d, { seeds: [-1] }))],
    ['a seed too many', training((d) => d.seeds.push(1))],
    ['no seeds', training((d) => delete d.seeds)],
    ['an optimizer that is a string', training((d) => Object.assign(d, { optimizer: 'Adam' }))],
    ['no optimizer for states that are there', training((d) => Object.assign(d, { optimizer: null }))],
    ['an optimizer of another class', training((d) => Object.assign(d.optimizer, { className: 'SGD' }))],
    ['numbers that are null', training((d) => Object.assign(d.optimizer, { numbers: null }))],
    ['numbers of nothing', training((d) => Object.assign(d.optimizer, { numbers: {} }))],
    ['a count below 0', training((d) => Object.assign(d.optimizer.numbers, { 0: -1 }))],
    ['a count with a fraction', training((d) => Object.assign(d.optimizer.numbers, { 0: 1.5 }))],
    ['a count that is NaN', training((d) => Object.assign(d.optimizer.numbers, { 0: 'NaN' }))],
    ['a learning rate below 0', training((d) => Object.assign(d.optimizer.numbers, { 1: -1 }))],
    [
      'a learning rate that is infinite',
      training((d) => Object.assign(d.optimizer.numbers, { 1: 'Infinity' })),
    ],
    [
      'a number at another place',
      training((d) => {
        d.optimizer.numbers[5] = d.optimizer.numbers[1];
        delete d.optimizer.numbers[1];
      }),
    ],
    ['states without names', training((d) => Object.assign(d.optimizer, { states: [] }))],
    ['a state that is missing', (tensors) => tensors.delete('@optimizer/3')],
    [
      'a state too many',
      (tensors) => tensors.set('@optimizer/99', tensors.get('@optimizer/0') as HostTensor),
    ],
    [
      'a state of another shape',
      (tensors) => {
        const state = tensors.get('@optimizer/0') as HostTensor;
        tensors.set('@optimizer/0', { ...state, shape: [state.data.length, 1] });
      },
    ],
    [
      'a state of another dtype',
      (tensors) => {
        const state = tensors.get('@optimizer/0') as HostTensor;
        tensors.set('@optimizer/0', { ...state, dtype: 'int32', data: Int32Array.from(state.data) });
      },
    ],
    ['a weight that is missing', (tensors) => tensors.delete(nameIn(tensors, 'top/bias'))],
    ['a weight too many', (tensors) => tensors.set('more', weightIn(tensors, 'top/bias'))],
    [
      'a weight of another shape',
      (tensors) => tensors.set(nameIn(tensors, 'top/bias'), weightIn(tensors, 'hidden/bias')),
    ],
    [
      'a weight of another dtype',
      (tensors) =>
        tensors.set(nameIn(tensors, 'top/bias'), { shape: [1], dtype: 'int32', data: Int32Array.of(1) }),
    ],
  ];

  test.each(damages)('%s', async (_, change) => {
    const file = changed(await saveCheckpoint(await trained(), { epoch: 1, logs: { loss: 1 } }), change);
    for (const net of [network(), await trained()]) {
      net.weights[0]?.assign(
        tensor([
          [9, 8, 7],
          [6, 5, 4],
        ]),
      );
      const before = await stateOf(net);
      const { tensors } = memory();
      expect(() => loadCheckpoint(net, file)).toThrow(RetrogradError);
      expect(memory().tensors).toBe(tensors);
      expect(await stateOf(net)).toEqual(before);
      await net.fit(x, y, { epochs: 1, batchSize: 2, verbose: 0 });
    }
  });

  test.each<Rule>(['adam', 'nadam', 'sgd', 'adafactor'])('valid checkpoints are loaded: %s', async (rule) => {
    const from = await trained(rule);
    const file = await saveCheckpoint(from, { epoch: 3, seed: 5, logs: { loss: Number.NaN, mae: 0.5 } });
    for (const net of [network(rule), await trained(rule)]) {
      expect(loadCheckpoint(net, file).training).toEqual({
        epoch: 3,
        batch: 0,
        seed: 5,
        logs: { loss: Number.NaN, mae: 0.5 },
      });
      const [bytes] = await stateOf(net);
      expect(changed(bytes as Uint8Array, () => {})).toEqual(
        changed(await saveCheckpoint(from, { epoch: 0 }), () => {}),
      );
    }
  });

  test('a weight that was disposed', async () => {
    const file = await saveWeights(network());
    const net = network();
    net.weights[0]?.assign(
      tensor([
        [9, 8, 7],
        [6, 5, 4],
      ]),
    );
    net.weights.at(-1)?.dispose();
    expect(() => loadWeights(net, file)).toThrow(RetrogradError);
    expect([...((await net.weights[0]?.data()) ?? [])]).toEqual([9, 8, 7, 6, 5, 4]);
    expect(() => net.setWeights(network().getWeights())).toThrow(RetrogradError);
    expect([...((await net.weights[0]?.data()) ?? [])]).toEqual([9, 8, 7, 6, 5, 4]);
  });

  test('setWeights of layers uses the old values, even if weights swap theirs', async () => {
    const net = sequential([
      layers.input({ shape: [2] }),
      layers.dense({ units: 2, name: 'a' }),
      layers.dense({ units: 2, name: 'b' }),
    ]);
    const [ka, ba, kb, bb] = net.weights as [never, never, never, never];
    net.setWeights([
      [
        [1, 2],
        [3, 4],
      ],
      [5, 6],
      [
        [7, 8],
        [9, 10],
      ],
      [11, 12],
    ]);
    net.setWeights([kb, bb, ka, ba]);
    const values = await Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
    expect(values).toEqual([
      [7, 8, 9, 10],
      [11, 12],
      [1, 2, 3, 4],
      [5, 6],
    ]);
  });

  test('setWeights of an optimizer', async () => {
    const net = await trained();
    const { optimizer } = net;
    if (!optimizer) throw new Error('compiled');
    const before = await stateOf(net);
    const values = await optimizer.getWeights();
    const bad: unknown[][] = [
      values.map((value, i) => (i === 0 ? Int32Array.of(-5) : value)),
      values.map((value, i) => (i === 1 ? Float32Array.of(-1) : i === 0 ? 7 : value)),
      values.map((value, i) => (i === 1 ? Float32Array.of(Number.NaN) : i === 0 ? 7 : value)),
      values.map((value, i) => (i === values.length - 1 ? tensor([[1]]) : i === 0 ? 7 : value)),
      values.map((value, i) =>
        i === values.length - 1 ? tensor([1], { dtype: 'int32' }) : i === 0 ? 7 : value,
      ),
      values.map((value, i) => (i === values.length - 1 ? 'x' : i === 0 ? 7 : value)),
      values.map((value, i) => (i === values.length - 1 ? null : i === 0 ? 7 : value)),
      values.slice(1),
    ];
    for (const given of bad) {
      expect(() => optimizer.setWeights(given as never)).toThrow(RetrogradError);
      expect(await stateOf(net)).toEqual(before);
    }
  });

  test('a damaged backup leaves the model unchanged', async () => {
    const sink = callbacks.sinks.memoryFiles();
    const file = await saveCheckpoint(await trained(), { epoch: 1 });
    const net = await trained();
    const before = await stateOf(net);
    for (const change of [
      training((d) => Object.assign(d, { seeds: ['1'] })),
      ((_, m) => Object.assign(m, { model: '[' })) as Change,
    ]) {
      await sink.save('backup/latest.safetensors', changed(file, change) as Uint8Array<ArrayBuffer>);
      const backup = callbacks.backupAndRestore({ backupDir: 'backup', sink });
      await expect(net.fit(x, y, { epochs: 2, verbose: 0, callbacks: backup })).rejects.toThrow(FormatError);
      expect(await stateOf(net)).toEqual(before);
    }
  });
});

test('only a valid state of training is saved', async () => {
  for (const state of [
    { epoch: -1 },
    { epoch: 1.5 },
    { epoch: 1, batch: Number.NaN },
    { epoch: 1, seed: -1 },
    { epoch: '1' },
  ])
    await expect(saveCheckpoint(network(), state as never)).rejects.toThrow(ValueError);
});

test('mutated metadata and headers are rejected with typed errors, and change nothing', async () => {
  const file = await saveCheckpoint(await trained(), { epoch: 1, seed: 2, logs: { loss: 0.5 } });
  const net = await trained();
  const before = await stateOf(net);
  const dice = random(12);
  let rejected = 0;
  for (let i = 0; i < 400; i++) {
    const damaged =
      i % 2 === 0
        ? changed(file, (_, metadata) => {
            const name = dice.pick(['training', 'training', 'model']);
            metadata[name] = mutated(metadata[name] as string, dice);
          })
        : withHeader(file, (header) => mutated(header, dice));
    try {
      loadCheckpoint(net, damaged);
    } catch (error) {
      if (!(error instanceof RetrogradError)) throw new Error(`mutation ${i}`, { cause: error });
      for (const part of [error.rule, error.received, error.hint]) expect(part).toBeTruthy();
      expect(error.message.length).toBeLessThan(6000);
      rejected++;
      if (i % 20 === 0) expect((await stateOf(net)).slice(0, 4)).toEqual(before.slice(0, 4));
      continue;
    }
    // Restores the state, so that the next rejection has something to compare with.
    loadCheckpoint(net, before[0] as Uint8Array);
  }
  expect(rejected).toBeGreaterThan(200);
  expect(await stateOf(net)).toEqual([...before.slice(0, 4), net.weights.map(() => 'loaded')]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test.each([
  ['lists', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['objects', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
])('%s that nest 5,000 deep, in any place of a file', async (_, deep) => {
  const file = await saveCheckpoint(await trained(), { epoch: 1 });
  const places = ['training', 'seeds', 'optimizer', 'training.epoch', 'training.logs', 'training.seed'];
  const states = ['optimizer.states', 'optimizer.numbers', 'optimizer.numbers.0', 'optimizer.config'];
  const files = [
    ...[...places, ...states].map((place) =>
      changed(file, (tensors, metadata) => {
        const hole = training((document) => {
          const keys = place.split('.');
          const last = keys.pop() as string;
          keys.reduce((inner, key) => inner[key], document)[last] = '@@';
        });
        hole(tensors, metadata);
        metadata.training = (metadata.training as string).replace('"@@"', `[${deep}]`);
      }),
    ),
    ...['"dtype":"F32"', '"shape":\\[[^\\]]*\\]', '"data_offsets":\\[[^\\]]*\\]'].map((place) =>
      withHeader(file, (header) => header.replace(new RegExp(place), `${place.split(':')[0]}:${deep}`)),
    ),
    withHeader(file, () => deep),
    withHeader(file, () => `{"__metadata__":${deep}}`),
    withHeader(file, () => `{"x":${deep}}`),
    changed(file, (_, metadata) => Object.assign(metadata, { training: deep })),
  ];
  const net = network();
  for (const damaged of files) {
    expect(() => loadCheckpoint(net, damaged)).toThrow(FormatError);
    expect(() => readCheckpoint(damaged)).toThrow(FormatError);
    expect(net.optimizer?.built).toBe(false);
  }
});

/** Returns a safetensors file with another header. */
function withHeader(file: Uint8Array, change: (header: string) => string): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = 8 + Number(view.getBigUint64(0, true));
  const header = new TextEncoder().encode(change(new TextDecoder().decode(file.subarray(8, end))));
  const made = new Uint8Array(8 + header.length + file.length - end);
  new DataView(made.buffer).setBigUint64(0, BigInt(header.length), true);
  made.set(header, 8);
  made.set(file.subarray(end), 8 + header.length);
  return made;
}
