/** @file Tensors that a layer makes in `build` or its constructor live as long as the layer, wherever it keeps them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { add, init, memory, mul, ones, scope, sum, type Tensor, tensor, tidy } from '../../../src/index.ts';
import { input, Layer, layers, Model, model, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const table = () => tensor([1, 2]);

/** x plus the tensor that `make` keeps and `read` finds again. */
function keeping(make: (layer: Record<string, unknown>) => () => Tensor) {
  return class Keeping extends Layer {
    read: (() => Tensor) | null = null;

    override build(): void {
      this.read = make(this as never);
    }

    override call(x: Tensor): Tensor {
      return add(x, (this.read as () => Tensor)());
    }
  };
}

class Private extends Layer {
  #table: Tensor | null = null;
  override build(): void {
    this.#table = table();
  }
  override call(x: Tensor): Tensor {
    return add(x, this.#table as Tensor);
  }
}

class Inside extends Layer {
  inner: InstanceType<typeof Layer> | null = null;
  override build(shape: never): void {
    this.inner = new Private();
    this.inner.ensureBuilt(shape);
  }
  override call(x: Tensor): Tensor {
    return (this.inner as Layer).apply(x);
  }
}

const places: readonly (readonly [string, new () => Layer])[] = [
  [
    'a property',
    keeping((layer) => {
      layer.table = table();
      return () => layer.table as Tensor;
    }),
  ],
  [
    'an array in an object',
    keeping((layer) => {
      layer.tables = { all: [[table()]] };
      return () => (layer.tables as { all: Tensor[][] }).all[0]?.[0] as Tensor;
    }),
  ],
  [
    'a map',
    keeping((layer) => {
      layer.tables = new Map([['a', table()]]);
      return () => (layer.tables as Map<string, Tensor>).get('a') as Tensor;
    }),
  ],
  [
    'an object of another class',
    keeping((layer) => {
      class Store {
        readonly values = table();
      }
      layer.store = new Store();
      return () => (layer.store as Store).values;
    }),
  ],
  [
    'a closure',
    keeping(() => {
      const own = table();
      return () => own;
    }),
  ],
  ['a #private field', Private],
  ['a layer inside', Inside],
];

describe('a tensor made in build', () => {
  test.each(places)('in %s: eagerly, inside scopes, in a graph', async (_place, Made) => {
    const x = tensor([[1, 1]]);
    const eager = new Made();
    for (let call = 0; call < 3; call++)
      expect(await eager.apply(x).data()).toEqual(new Float32Array([2, 3]));

    const scoped = new Made();
    tidy(() => void scoped.apply(x));
    {
      using _step = scope();
      scoped.apply(x);
    }
    expect(await scoped.apply(x).data()).toEqual(new Float32Array([2, 3]));

    const given = input({ shape: [2] });
    const net = model({ inputs: given, outputs: new Made().apply(given) });
    for (const rows of [1, 3]) {
      const out = await net.predict(ones([rows, 2]));
      expect((await out.data()).slice(0, 2)).toEqual(new Float32Array([2, 3]));
    }
  });

  test.each(places)('in %s: through fit, which replays its step', async (_place, Made) => {
    const net = sequential([
      new Made(),
      layers.dense({ units: 1, kernelInitializer: 'ones', useBias: false }),
    ]);
    net.compile({ optimizer: { className: 'SGD', config: { learningRate: 0 } } as never, loss: 'mse' });
    const options = { batchSize: 4, epochs: 3, verbose: 0 } as const;
    const { history } = await net.fit(ones([16, 2]), ones([16, 1]), options);
    expect(history.loss).toEqual([16, 16, 16]);
  });

  test('of a model, and one made by the constructor in a scope', async () => {
    class Masked extends Model {
      mask: Tensor | null = null;
      readonly shift = table();
      override build(): void {
        this.mask = tensor([1, 0]);
      }
      override call(x: Tensor): Tensor {
        return mul(add(x, this.shift), this.mask as Tensor);
      }
    }
    const net = tidy(() => {
      const made = new Masked();
      made.apply(ones([1, 2]));
      return made;
    });
    expect(await net.apply(ones([1, 2])).data()).toEqual(new Float32Array([2, 0]));
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    expect(Object.keys(await net.evaluate(ones([8, 2]), ones([8, 2]), { verbose: 0 }))).toEqual(['loss']);
  });

  test('is freed with the layer; a tensor that the layer was given is not', async () => {
    const given = table();
    class Both extends Layer {
      readonly given = given;
      own: { tables: Tensor[] } | null = null;
      override build(): void {
        this.own = { tables: [table()] };
      }
      override call(x: Tensor): Tensor {
        return add(add(x, this.given), this.own?.tables[0] as Tensor);
      }
    }
    const layer = new Both();
    layer.apply(ones([1, 2])).dispose();
    const own = layer.own?.tables[0] as Tensor;
    layer.dispose();
    expect(own.disposed).toBe(true);
    expect(await given.data()).toEqual(new Float32Array([1, 2]));
  });

  test('is freed if build fails', () => {
    let made: Tensor | null = null;
    class Failing extends Layer {
      override build(): void {
        made = table();
        throw new Error('no');
      }
      override call(x: Tensor): Tensor {
        return x;
      }
    }
    expect(() => new Failing().apply(ones([1, 2]))).toThrow('no');
    expect((made as Tensor | null)?.disposed).toBe(true);
  });

  test('initializers of weights leave nothing behind', () => {
    const before = memory().tensors;
    const layer = layers.dense({
      units: 3,
      kernelInitializer: (shape) => sum(ones([2, ...shape]), { axis: 0 }),
    });
    layer.ensureBuilt([null, 4]);
    layer.dispose();
    expect(memory().tensors).toBe(before);
  });
});
