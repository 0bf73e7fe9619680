/**
 * @file Models inside models, many levels deep, many times, and on many ways: the work is in proportion to the layers. It is
 * counted, in calls of `call` and in searches for layers, not timed.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { add, init, mul, sort, type Tensor, tensor, zeros } from '../../../src/index.ts';
import {
  type Functional,
  input,
  Layer,
  layers,
  Model,
  model,
  modelFromJSON,
  modelToJSON,
  registerClass,
  sequential,
} from '../../../src/keras/index.ts';
import { loadModel } from '../../../src/io/index.ts';

let calls = 0;
let searches = 0;

/** Counts its calls, from which its shapes are inferred. */
class Counted extends Layer {
  static override readonly className: string = 'Counted';
  override call(x: Tensor): Tensor {
    calls++;
    return mul(x, 2);
  }
}

/** The same, but it reads the size of the batch. */
class CountedReads extends Counted {
  static override readonly className: string = 'CountedReads';
  override call(x: Tensor): Tensor {
    return add(super.call(x), zeros([x.shape[0] as number, 1]));
  }
}

/** Counts how often its layers are looked for. */
class Searched extends Model {
  static override readonly className: string = 'Searched';
  override get sublayers() {
    searches++;
    return super.sublayers;
  }
}

beforeAll(async () => {
  await init();
  registerClass(Counted, { package: 'nesting' });
  registerClass(CountedReads, { package: 'nesting' });
});

function countCalls(body: () => unknown): number {
  calls = 0;
  body();
  return calls;
}

function countSearches(body: () => unknown): number {
  searches = 0;
  body();
  return searches;
}

type Level = (x: Tensor) => Tensor;

/** `depth` models, each in the next one. */
function nested(depth: number, level: Level): Functional {
  let inner: Functional | null = null;
  for (let i = 0; i < depth; i++) {
    const x = input({ shape: [4] });
    const below = (inner?.apply(x) ?? x) as unknown as Tensor;
    inner = model({ inputs: x, outputs: level(below) as never }) as unknown as Functional;
  }
  return inner as Functional;
}

function stacked(depth: number, withInputs: boolean): Model {
  let inner: Model | null = null;
  for (let i = 0; i < depth; i++) {
    const first = withInputs ? [input({ shape: [4] })] : [];
    inner = sequential([...first, ...(inner ? [inner] : []), new Counted(), layers.dense({ units: 4 })]);
  }
  return inner as Model;
}

const dense: Level = (x) => layers.dense({ units: 4 }).apply(new Counted().apply(x));

const nests: Record<string, (depth: number) => Model> = {
  'functional models': (depth) => nested(depth, dense),
  'layers that read the size of the batch': (depth) => nested(depth, (x) => new CountedReads().apply(x)),
  'formulas of the size of the batch': (depth) =>
    nested(depth, (x) => sort(new Counted().apply(x), { axis: 0 })),
  'sequential models': (depth) => stacked(depth, true),
  'sequential models that are built from outside': (depth) => {
    const outer = stacked(depth, false);
    outer.build([null, 4]);
    return outer;
  },
  'models called on other sizes': (depth) => {
    const outer = nested(depth, dense);
    outer.apply(input({ batchSize: 7, shape: [4] }));
    outer.computeOutputShape([3, 4]);
    return outer;
  },
  'models in training': (depth) => {
    const outer = nested(depth, dense);
    outer.apply(input({ shape: [4] }), { training: true });
    return outer;
  },
};

describe.each(Object.entries(nests))('%s inside each other', (_, nest) => {
  test('are created, and read from a description, by calls in proportion to their depth', () => {
    const [small, large] = [8, 16].map((depth) => countCalls(() => nest(depth))) as [number, number];
    expect(large).toBeLessThanOrEqual(2.1 * small);
    const json = modelToJSON(nest(16));
    expect(countCalls(() => modelFromJSON(json))).toBeLessThanOrEqual(large);
  });
});

describe('fifty levels', () => {
  test('compute, and keep their weights, in a file too', async () => {
    const depth = 50;
    const outer = nested(depth, dense);
    expect(outer.weights.length).toBe(2 * depth);
    const x = tensor([[1, 2, 3, 4]]);
    outer.setWeights(
      outer.weights.map((weight, i) =>
        weight.rank === 2
          ? [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((column) => (row === column ? 0.5 : 0)))
          : [i, 0, 0, 0],
      ),
    );
    // Each level doubles, divides by two, and adds its bias. Inner models come first.
    const added = outer.weights.reduce((sum, weight, i) => sum + (weight.rank === 1 ? i : 0), 0);
    const expected = [[1 + added, 2, 3, 4]];
    expect(await outer.apply(x).array()).toEqual(expected);
    let blob: Blob | undefined;
    await outer.save(
      new WritableStream({
        write(piece: Uint8Array<ArrayBuffer>) {
          blob = new Blob([...(blob ? [blob] : []), piece]);
        },
      }),
    );
    const loaded = (await loadModel(blob as Blob)) as unknown as Functional;
    expect(loaded.weights.map(({ shape }) => shape)).toEqual(outer.weights.map(({ shape }) => shape));
    expect(await loaded.apply(x).array()).toEqual(expected);
    const text = loaded.summary({ expandNested: true, print: () => {} });
    expect(text.match(/\(Dense\)/g)).toHaveLength(depth);
    loaded.trainable = false;
    expect([...loaded.layersInside].every(({ trainable }) => !trainable)).toBe(true);
    loaded.dispose();
    expect(loaded.weights.every(({ disposed }) => disposed)).toBe(true);
  });
});

describe('a model that is called many times', () => {
  test('is traced once for each size', () => {
    const inner = nested(1, dense);
    const many = (count: number) =>
      countCalls(() => {
        const x = input({ shape: [4] });
        let y = x;
        for (let i = 0; i < count; i++) y = inner.apply(y);
        model({ inputs: x, outputs: y });
      });
    expect(many(100)).toBe(0);
    const fixed = countCalls(() => {
      for (let i = 0; i < 10; i++) inner.apply(input({ batchSize: 2, shape: [4] }));
    });
    expect(fixed).toBe(1);
  });

  test('has another result for other options, and for layers that are added', () => {
    const any = input({ shape: [null, 3] });
    const inner = model({ inputs: any, outputs: layers.zeroPadding1d({ padding: 1 }).apply(any) });
    expect(inner.apply(input({ shape: [5, 3] })).shape).toEqual([null, 7, 3]);
    expect(inner.apply(input({ batchSize: 2, shape: [9, 3] })).shape).toEqual([2, 11, 3]);
    expect(inner.apply(input({ shape: [null, 3] })).shape).toEqual([null, null, 3]);
    const stack = sequential([input({ shape: [4] }), layers.dense({ units: 5 })]);
    expect(stack.apply(input({ shape: [4] })).shape).toEqual([null, 5]);
    stack.add(layers.dense({ units: 6 }));
    expect(stack.apply(input({ shape: [4] })).shape).toEqual([null, 6]);
    stack.pop();
    expect(stack.apply(input({ shape: [4] })).shape).toEqual([null, 5]);
  });
});

describe('models that are inside of others on many ways', () => {
  /** Two models at each level, both of which call both of the level below: 2^depth ways to the lowest. */
  function lattice(depth: number): Searched {
    const join = (inner: readonly Searched[]) => {
      const x = input({ shape: [4] });
      const below = inner.length > 0 ? layers.add().apply(inner.map((one) => one.apply(x)) as never) : x;
      return new Searched({ inputs: x, outputs: layers.dense({ units: 4 }).apply(below as never) });
    };
    let level: Searched[] = [];
    for (let i = 0; i < depth; i++) level = [join(level), join(level)];
    return join(level);
  }

  const uses: Record<string, (outer: Searched) => unknown> = {
    weights: (outer) => expect(outer.weights.length % 4).toBe(2),
    'trainable flags': (outer) => {
      outer.trainable = false;
      expect(outer.weights.some(({ trainable }) => trainable)).toBe(false);
      outer.trainable = true;
      expect(outer.weights.every(({ trainable }) => trainable)).toBe(true);
    },
    'the number of parameters': (outer) => outer.countParams(),
    summary: (outer) => outer.summary({ print: () => {} }),
    losses: (outer) => outer.losses,
    dispose: (outer) => {
      const { weights } = outer;
      outer.dispose();
      expect(weights.every(({ disposed }) => disposed)).toBe(true);
    },
  };

  test.each(Object.entries(uses))('are visited once: %s', (_, use) => {
    const [small, large] = [8, 16].map((depth) => {
      const outer = lattice(depth);
      return countSearches(() => use(outer));
    }) as [number, number];
    expect(small).toBeGreaterThan(0);
    expect(large).toBeLessThanOrEqual(2.1 * small);
  });

  test('are created by a number of searches that is at most quadratic', () => {
    const [small, large] = [8, 16].map((depth) => countSearches(() => lattice(depth))) as [number, number];
    expect(large).toBeLessThanOrEqual(4.5 * small);
  });
});

test('masks pass through models inside models', async () => {
  const recurrent = (depth: number) => {
    const steps = input({ shape: [null, 3] });
    let inner = model({
      inputs: steps,
      outputs: layers.lstm({ units: 3, returnSequences: true }).apply(steps),
    });
    for (let i = 1; i < depth; i++) {
      const x = input({ shape: [null, 3] });
      inner = model({ inputs: x, outputs: inner.apply(x) });
    }
    return inner;
  };
  const flat = recurrent(1);
  const deep = recurrent(6);
  deep.setWeights(flat.getWeights());
  const ids = tensor(Int32Array.of(3, 1, 0, 0, 2, 4, 5, 0), { shape: [2, 4] });
  const embedding = layers.embedding({ inputDim: 6, outputDim: 3, maskZero: true });
  const [a, b] = [flat, deep].map((net) => net.apply(embedding.apply(ids)));
  expect(await b?.array()).toEqual(await a?.array());
});
