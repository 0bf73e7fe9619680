/** @file Layers that run again in the backward pass: the same gradients to the bit, in less memory, chosen by scopes or by size. */
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  grad,
  init,
  memory,
  mean,
  mul,
  resetPeakMemory,
  square,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../../src/index.ts';
import {
  clearSession,
  input,
  Layer,
  layers,
  model,
  type Model,
  remat,
  RematScope,
  sequential,
} from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

function formula(shape: readonly number[], step = 0.31): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => ((i * step * 7) % 1) - 0.5),
    { shape },
  );
}

/** Everything that a second run must repeat: random masks, moving averages, added losses, a mask of the sequence. */
function network() {
  const x = input({ shape: [6, 4] });
  const wide = { units: 8, kernelInitializer: { className: 'GlorotUniform', config: { seed: 5 } } as never };
  let y = layers.masking({ maskValue: 9 }).apply(x);
  y = layers.dense({ ...wide, activation: 'gelu', activityRegularizer: 'l2', name: 'first' }).apply(y);
  y = layers.dropout({ rate: 0.5, seed: 3 }).apply(y);
  y = layers.batchNormalization({ name: 'norm' }).apply(y);
  y = layers
    .multiHeadAttention({
      numHeads: 2,
      keyDim: 4,
      dropout: 0.3,
      seed: 7,
      kernelInitializer: { className: 'GlorotUniform', config: { seed: 8 } } as never,
    })
    .apply([y, y]) as never;
  y = layers.dense({ ...wide, name: 'last' }).apply(y);
  return model({ inputs: x, outputs: y });
}

async function trained(make: () => Model, runEagerly: boolean) {
  clearSession();
  const net = make();
  net.compile({ optimizer: 'adam', loss: 'mse', runEagerly });
  const history = await net.fit(formula([4, 6, 4]), formula([4, 6, 8], 0.17), {
    epochs: 3,
    batchSize: 2,
    shuffle: false,
    verbose: 0,
  });
  const weights = await Promise.all(net.weights.map(dataOf));
  return { losses: history.history.loss, weights };
}

test.each([[false], [true]])('training is the same to the bit, runEagerly: %s', async (runEagerly) => {
  const plain = await trained(network, runEagerly);
  for (const options of [
    {},
    { mode: 'activations' as const },
    { mode: 'largerThan' as const, outputSizeThreshold: 80 },
  ]) {
    const again = await trained(() => {
      using _scope = new RematScope(options);
      return network();
    }, runEagerly);
    expect(again).toEqual(plain);
  }
});

/** Counts how often its call runs. */
class Counting extends Layer {
  calls = 0;
  readonly inner = layers.dense({
    units: 4,
    activation: (x: Tensor) => {
      this.activations++;
      return mul(x, x);
    },
  });
  activations = 0;
  override call(x: Tensor): Tensor {
    this.calls++;
    return this.inner.apply(x);
  }
}

describe('modes', () => {
  const x = () => formula([3, 4]);
  /** Runs of calls and of activations in a forward and a backward pass. */
  function runs(layer: Counting) {
    // The first call finds the size of the outputs, which takes a call of its own.
    layer.apply(x());
    tidy(() => grad((y) => mean(layer.apply(y)))(x()));
    layer.calls = 0;
    layer.activations = 0;
    tidy(() => grad((y) => mean(square(layer.apply(y))))(x()));
    return [layer.calls, layer.activations];
  }
  const within = (options: ConstructorParameters<typeof RematScope>[0]) => {
    const scope = new RematScope(options);
    try {
      return new Counting({ name: 'counting' });
    } finally {
      scope.dispose();
    }
  };

  test.each<[string, ConstructorParameters<typeof RematScope>[0], number[]]>([
    ['full', {}, [2, 2]],
    ['none', { mode: null }, [1, 1]],
    ['activations', { mode: 'activations' }, [1, 2]],
    ['larger outputs', { mode: 'largerThan', outputSizeThreshold: 11 }, [2, 2]],
    ['not larger', { mode: 'largerThan', outputSizeThreshold: 12 }, [1, 1]],
    ['a name', { mode: 'listOfLayers', layerNames: ['counting'] }, [2, 2]],
    ['another name', { mode: 'listOfLayers', layerNames: ['other'] }, [1, 1]],
  ])('%s', (_, options, expected) => {
    expect(runs(within(options))).toEqual(expected);
    expect(runs(new Counting())).toEqual([1, 1]);
  });

  test('the innermost scope counts, and remat a single layer', () => {
    using _outer = new RematScope();
    expect(runs(within({ mode: null }))).toEqual([1, 1]);
    expect(runs(within({ mode: null }))).toEqual([1, 1]);
    expect(runs(remat(within({ mode: null })))).toEqual([2, 2]);
    expect(runs(new Counting())).toEqual([2, 2]);
  });

  test('remat of a function, and what is no call', async () => {
    let count = 0;
    const f = remat((y: Tensor) => {
      count++;
      return mean(square(mul(y, y)));
    });
    expect(await dataOf(grad(f)(x()))).toEqual(await dataOf(grad((y) => mean(square(mul(y, y))))(x())));
    expect(count).toBe(2);
    expect(() => remat(3 as never)).toThrow(/function/);
    const layer = within({});
    layer.apply(x());
    expect(layer.calls).toBe(1);
  });

  test.each<[object, RegExp]>([
    [{ mode: 'larger_than' }, /did you mean 'largerThan'/],
    [{ mode: 'listOfLayers', layerNames: 'a' }, /names of layers/],
    [{ outputSizeThreshold: '5' }, /outputSizeThreshold/],
    [{ modes: 'full' }, /modes/],
  ])('errors: %o', (options, message) => {
    expect(() => new RematScope(options as never)).toThrow(ValueError);
    expect(() => new RematScope(options as never)).toThrow(message);
  });
});

describe('compile({ memory })', () => {
  /** Blocks that compute wide values inside; the second is the widest. */
  function blocks() {
    class Block extends Layer {
      readonly up;
      readonly down = layers.dense({ units: 8, kernelInitializer: 'heUniform' });
      constructor(
        readonly width: number,
        name: string,
      ) {
        super({ name });
        this.up = layers.dense({ units: width, activation: 'gelu' });
      }
      override call(x: Tensor): Tensor {
        return this.down.apply(this.up.apply(x));
      }
    }
    const sizes = { narrow: 64, widest: 512, wide: 256, third: 256, last: 256 };
    return sequential([
      input({ shape: [64, 8] }),
      ...Object.entries(sizes).map(([name, width]) => new Block(width, name)),
      layers.dense({ units: 1, name: 'head' }),
    ]);
  }
  async function peakWith(budget: number | null) {
    clearSession();
    const net = blocks();
    net.compile({ optimizer: 'sgd', loss: 'mse', memory: budget, runEagerly: true });
    const [x, y] = [formula([8, 64, 8]), formula([8, 64, 1])];
    await net.trainOnBatch(x, y);
    const before = memory().bytes;
    resetPeakMemory();
    await net.trainOnBatch(x, y);
    const peak = memory().peakBytes - before;
    const { memory: plan } = net.explainStep();
    return { peak, plan };
  }

  test('the layers that keep the most run again until the budget holds', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const free = await peakWith(null);
    expect(free.plan).toBeNull();
    const ample = await peakWith(1e9);
    expect(ample.plan?.recomputed).toEqual([]);
    const without = ample.plan?.estimateWithout as number;
    const one = await peakWith(without - 1);
    expect(one.plan?.recomputed.map(({ layer }) => layer)).toEqual(['widest']);
    expect(one.plan?.text).toMatch(/'widest' \(\d+\.\d MB less\)/);
    expect(warn).not.toHaveBeenCalled();
    const tight = await peakWith(1000);
    expect(tight.plan?.recomputed.map(({ layer }) => layer)).toEqual([
      'narrow',
      'widest',
      'wide',
      'third',
      'last',
    ]);
    expect(warn.mock.calls.flat().join()).toMatch(/use smaller batches/);
    warn.mockRestore();
    expect(one.peak).toBeLessThan(free.peak);
    expect(tight.peak).toBeLessThan(0.85 * free.peak);
  });

  test('errors', () => {
    expect(() => blocks().compile({ memory: 0 })).toThrow(/memory/);
    expect(() => blocks().compile({ memory: '1 GB' as never })).toThrow(ValueError);
  });
});
