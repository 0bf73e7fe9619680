import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  init,
  notEqual,
  type SymbolicTensor,
  type Tensor,
  tensor,
  ValueError,
  zeros,
} from '../../../src/index.ts';
import { clearSession, input, Layer, layers, model, Model, sequential } from '../../../src/keras/index.ts';
import { summarize } from '../../../src/keras/models/summary.ts';
import { roundHalfEven } from '../../../src/core/integers.ts';
import type { OpenShape } from '../../../src/core/shape.ts';

beforeAll(async () => {
  await init();
});

/** A model as described by the fixtures. */
interface Recorded {
  layers: { name: string; class: string; outputShape: OpenShape; params: number }[];
  /** The calls of every layer, each a list of [operation, nodeIndex, tensorIndex]. */
  nodes: Record<string, [string, number, number][][]>;
  trainableParams: number;
  nonTrainableParams: number;
}

/** A layer with the data that a summary shows, but without weights: VGG has half a gigabyte of them. */
class RecordedLayer extends Layer<Tensor[], Tensor> {
  constructor(
    readonly recorded: Recorded['layers'][number],
    readonly shownClass: string,
  ) {
    super({ name: recorded.name });
  }
  override get className(): string {
    return this.shownClass ?? 'Recorded';
  }
  override computeOutputShape(): OpenShape {
    return this.recorded.outputShape;
  }
  override call(): Tensor {
    throw new Error('only its summary is known');
  }
  override countParams(): number {
    return this.recorded.params;
  }
}

function graphOf(name: string, { layers: recorded, nodes }: Recorded) {
  const made = new Map<string, { operation: RecordedLayer | null; outputs: SymbolicTensor[] }>();
  const inputs: SymbolicTensor[] = [];
  for (const layer of recorded.filter((one) => one.class === 'InputLayer')) {
    const [, ...shape] = layer.outputShape;
    const tensor = input({ shape, name: layer.name });
    inputs.push(tensor);
    made.set(layer.name, { operation: null, outputs: [tensor] });
  }
  // Layers are called in the order of their nodes, as soon as their inputs are available.
  const waiting = recorded
    .filter((one) => one.class !== 'InputLayer')
    .flatMap((one) => (nodes[one.name] as [string, number, number][][]).map((call) => ({ one, call })));
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ call }) => call.every(([from, at]) => made.get(from)?.outputs[at]));
    const { one, call } = waiting.splice(ready, 1)[0] as (typeof waiting)[number];
    const known = made.get(one.name) ?? { operation: new RecordedLayer(one, one.class), outputs: [] };
    made.set(one.name, known);
    const sources = call.map(([from, at]) => made.get(from)?.outputs[at] as SymbolicTensor);
    known.outputs.push((known.operation as RecordedLayer).apply(sources));
  }
  const read = new Set(
    Object.values(nodes)
      .flat(2)
      .map(([from]) => from),
  );
  const ends = recorded
    .filter(({ name }) => !read.has(name))
    .map((one) => made.get(one.name)?.outputs.at(-1));
  return model({ inputs, outputs: ends as SymbolicTensor[], name });
}

function summaryOf(name: string, recorded: Recorded): string {
  const net = graphOf(name, recorded);
  // The count of batches that a Normalization has seen is an integer.
  const counts = recorded.layers.filter(
    (layer) => layer.class === 'Normalization' && layer.params > 0,
  ).length;
  const weights = (size: number, whole = 0) => [
    { size: size - whole, dtype: 'float32' as const },
    { size: whole, dtype: 'int32' as const },
  ];
  return summarize(
    {
      name: net.name,
      className: net.className,
      program: net.program,
      layers: net.layers,
      trainableWeights: weights(recorded.trainableParams),
      nonTrainableWeights: weights(recorded.nonTrainableParams, counts),
    },
    { lineLength: 80 },
  );
}

const fixtures = join(import.meta.dirname, '../../fixtures');
const read = (...path: string[]) => readFileSync(join(fixtures, ...path), 'utf8');

describe('summaries are those of Keras, to the character', () => {
  const graphs = readdirSync(join(fixtures, 'models'))
    .filter((name) => readdirSync(join(fixtures, 'models', name)).includes('summary.txt'))
    .filter((name) => JSON.parse(read('models', name, 'meta.json')).class !== 'Sequential');

  test.each(graphs)('%s', (name) => {
    const recorded = JSON.parse(read('models', name, 'meta.json'));
    expect(summaryOf(name, recorded)).toBe(read('models', name, 'summary.txt').trimEnd());
  });

  test.each(['vgg16', 'vgg19', 'efficientnet_b0'])('%s', (name) => {
    const { withTop, name: called } = JSON.parse(read('applications', `${name}.json`));
    expect(summaryOf(called.replace('_', ''), withTop)).toBe(
      read('applications', `${name}.summary.txt`).trimEnd(),
    );
  });

  test('mlp_classifier, a Sequential', () => {
    const net = sequential({
      layers: [
        input({ shape: [12], name: 'features' }),
        layers.dense({ units: 64, name: 'hidden' }),
        layers.dense({ units: 10, name: 'probabilities' }),
      ],
      name: 'mlp_classifier',
    });
    const printed: string[] = [];
    const text = net.summary({ lineLength: 80, print: (line) => printed.push(line) });
    expect(text).toBe(read('models', 'mlp_classifier', 'summary.txt').trimEnd());
    expect(printed).toEqual([text]);
  });

  test('functional_shared, of real layers', () => {
    const [a, b] = [input({ shape: [5], name: 'left' }), input({ shape: [5], name: 'right' })];
    const shared = layers.dense({ units: 6, name: 'shared' });
    const [p, q] = [shared.apply(a), shared.apply(b)];
    const both = layers.add({ name: 'merged' }).apply([p, q]);
    const joined = layers.concatenate({ name: 'joined' }).apply([p, q, a]);
    const outputs = [
      layers.dense({ units: 1, name: 'score' }).apply(joined),
      layers.dense({ units: 3, name: 'value' }).apply(both),
    ];
    const net = model({ inputs: [a, b], outputs, name: 'functional_shared' });
    expect(net.summary({ lineLength: 80, print: () => {} })).toBe(
      read('models', 'functional_shared', 'summary.txt').trimEnd(),
    );
  });
});

describe('a summary', () => {
  const print = () => {};
  const nested = () => {
    clearSession();
    const x = input({ shape: [6], name: 'signal' });
    const inner = sequential({
      layers: [
        input({ shape: [6], name: 'code' }),
        layers.dense({ units: 7 }),
        layers.dropout({ rate: 0.5 }),
      ],
      name: 'decoder',
    });
    return { inner, net: model({ inputs: x, outputs: inner.apply(x), name: 'nested' }) };
  };

  test('lists the layers of models inside, and which are trained', () => {
    const { inner, net } = nested();
    inner.trainable = false;
    const text = net.summary({ lineLength: 80, expandNested: true, showTrainable: true, print });
    expect(text).toBe(
      [
        'Model: "nested"',
        '┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━┓',
        '┃ Layer (type)                  ┃ Output Shape           ┃     Param # ┃ Trai… ┃',
        '┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━┩',
        '│ signal (InputLayer)           │ (None, 6)              │           0 │   -   │',
        '├───────────────────────────────┼────────────────────────┼─────────────┼───────┤',
        '│ decoder (Sequential)          │ (None, 7)              │          49 │   N   │',
        '├───────────────────────────────┼────────────────────────┼─────────────┼───────┤',
        '│    └ dense (Dense)            │ (None, 7)              │          49 │   N   │',
        '├───────────────────────────────┼────────────────────────┼─────────────┼───────┤',
        '│    └ dropout (Dropout)        │ (None, 7)              │           0 │   -   │',
        '└───────────────────────────────┴────────────────────────┴─────────────┴───────┘',
        ' Total params: 49 (196.00 B)',
        ' Trainable params: 0 (0.00 B)',
        ' Non-trainable params: 49 (196.00 B)',
      ].join('\n'),
    );
  });

  test('lists a range of layers', () => {
    clearSession();
    const names = ['stem', 'block_1', 'block_2', 'head'];
    const net = sequential([input({ shape: [2] }), ...names.map((name) => layers.dense({ units: 2, name }))]);
    const listed = (layerRange: [string, string]) =>
      [...net.summary({ layerRange, print }).matchAll(/│ (\w+) \(Dense\)/g)].map(([, name]) => name);
    expect(listed(['block', 'block'])).toEqual(['block_1', 'block_2']);
    expect(listed(['head', 'block_2'])).toEqual(['block_2', 'head']);
    expect(() => listed(['nowhere', 'head'])).toThrow(/'stem', 'block_1'/);
  });

  test('shows ops, and layers with several outputs', () => {
    clearSession();
    class Split extends Layer<Tensor, Tensor[]> {
      override call(x: Tensor): Tensor[] {
        return [x, x];
      }
    }
    const x = input({ shape: [4] });
    const [a, b] = new Split().apply(x) as SymbolicTensor[];
    const net = model({ inputs: x, outputs: [notEqual(a as SymbolicTensor, 0), b as SymbolicTensor] });
    const text = net.summary({ lineLength: 88, print });
    expect(text).toMatch(/│ split \(Split\) +│ \[\(None, 4\), \(None, 4\)\] +│ +0 │/);
    expect(text).toMatch(/│ not_equal \(NotEqual\) +│ \(None, 4\) +│ +0 │/);
  });

  test('of models that were not built says so', () => {
    class Small extends Model {
      readonly inner = layers.dense({ units: 2, name: 'inner' });
      override call(x: Tensor): Tensor {
        return this.inner.apply(x);
      }
    }
    const net = new Small({ name: 'small' });
    expect(net.summary({ print })).toMatch(/│ inner \(Dense\) +│ \? +│ +0 \(unbuilt\) │/);
    net.apply(zeros([3, 4]));
    expect(net.summary({ print })).toMatch(/│ inner \(Dense\) +│ \(3, 2\) +│ +10 │/);
    net.dispose();
  });

  test('counts what an optimizer keeps', () => {
    const weights = [tensor([1, 2, 3])];
    const recorded = {
      name: 'tiny',
      className: 'Sequential',
      program: null,
      layers: [],
      trainableWeights: weights,
      nonTrainableWeights: [],
      optimizer: {
        built: true,
        variables: [tensor([0, 0, 0]), tensor([0, 0, 0]), tensor(0, { dtype: 'int32' }), tensor(0)],
      },
    };
    const lines = summarize(recorded).split('\n').slice(-4);
    expect(lines).toEqual([
      ' Total params: 11 (48.00 B)',
      ' Trainable params: 3 (12.00 B)',
      ' Non-trainable params: 0 (0.00 B)',
      ' Optimizer params: 8 (36.00 B)',
    ]);
  });

  test('of a model that is compiled and trained counts the optimizer', async () => {
    const net = sequential([
      input({ shape: [12] }),
      layers.dense({ units: 64 }),
      layers.dense({ units: 10 }),
    ]);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    expect(net.summary({ print })).not.toContain('Optimizer');
    await net.trainOnBatch(zeros([2, 12]), zeros([2, 10]));
    const lines = net.summary({ print }).split('\n').slice(-4);
    expect(lines).toEqual([
      ' Total params: 4,448 (17.38 KB)',
      ' Trainable params: 1,482 (5.79 KB)',
      ' Non-trainable params: 0 (0.00 B)',
      // Two averages for each weight, the learning rate, and the count of steps.
      ' Optimizer params: 2,966 (11.59 KB)',
    ]);
  });

  test.each<[string, object]>([
    ['a line that is too short', { lineLength: 10 }],
    ['columns without room', { positions: [0.01, 0.5, 1] }],
    ['too few columns', { positions: [0.5, 1] }],
    ['a range that is none', { layerRange: ['only'] }],
  ])('rejects %s', (_, options) => {
    expect(() => nested().net.summary({ print, ...options })).toThrow(ValueError);
  });

  test('rounds ties to even, as Python does', () => {
    expect([0.5, 1.5, 2.5, 3.4].map(roundHalfEven)).toEqual([0, 2, 2, 3]);
  });
});
