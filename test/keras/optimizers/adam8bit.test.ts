/** @file Adam with moments in 8 bits: its steps next to float64, its rounding, what it leaves as it is, and saved states. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  add,
  compile,
  gather,
  GradientTape,
  init,
  matMul,
  mean,
  memory,
  mul,
  reshape,
  setRandomSeed,
  square,
  sum,
  type Tensor,
  tensor,
  tidy,
  type Variable,
  variable,
} from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import {
  clearSession,
  input,
  layers,
  type Model,
  model,
  optimizers,
  sequential,
} from '../../../src/keras/index.ts';
import { launchesOf, train, valuesOf } from './support.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const { adam, adam8bit, adamW, adamW8bit } = optimizers;

/** Numbers of many magnitudes, the same for each `seed`. */
function spread(size: number, seed: number, decades = 4): Float32Array<ArrayBuffer> {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Float32Array.from({ length: size }, () => (next() - 0.5) * 10 ** (-decades * next()));
}

const variablesOf = (sizes: readonly number[]) =>
  sizes.map((size, k) => variable(tensor(spread(size, k + 1)), { name: `w${k}` }));

const gradientsOf = (sizes: readonly number[], step: number, decades?: number) =>
  sizes.map((size, k) => tensor(spread(size, 100 * step + k + 7, decades)));

/** The numbers that codes stand for, in units of their scale: small floats with three bits of mantissa. */
function decoded(code: number, top: number): number {
  const [exponent, mantissa] = [code >> 3, code & 7];
  return exponent === 0 ? mantissa * 2 ** (-top - 2) : (8 + mantissa) * 2 ** (exponent - top - 3);
}

const sizes8 = Array.from({ length: 121 }, (_, code) => decoded(code, 15));
const squares8 = Array.from({ length: 249 }, (_, code) => decoded(code, 31));

interface Moments {
  momentum: number[];
  velocity: number[];
  scales: [momentum: number, velocity: number][];
}

async function momentsOf(optimizer: optimizers.Optimizer, size: number): Promise<Moments> {
  const [codes, scales] = optimizer.variables.slice(2) as [Variable, Variable];
  const bytes = new Uint8Array(new Uint32Array(await codes.data()).buffer);
  const flat = await scales.data();
  const at = (i: number, second: 0 | 1) => bytes[8 * (i >> 2) + 4 * second + (i & 3)] as number;
  const scale = (i: number, second: 0 | 1) => flat[2 * (i >> 8) + second] as number;
  const all = Array.from({ length: size }, (_, i) => i);
  return {
    momentum: all.map((i) => {
      const code = at(i, 0);
      return (code >= 128 ? -1 : 1) * decoded(code & 127, 15) * scale(i, 0);
    }),
    velocity: all.map((i) => decoded(at(i, 1), 31) * scale(i, 1)),
    scales: Array.from({ length: Math.ceil(size / 256) }, (_, b) => [
      flat[2 * b] as number,
      flat[2 * b + 1] as number,
    ]),
  };
}

const powerAbove = (x: number) => 2 ** Math.ceil(Math.log2(x));

/** Whether `stored` is one of the two numbers of `grid`, times `scale`, around `exact`. */
function isNeighbour(stored: number, exact: number, grid: readonly number[], scale: number): boolean {
  const slack = 1e-6 * Math.abs(exact);
  const below = grid.findLast((n) => n * scale <= Math.abs(exact) + slack) as number;
  const above = grid.find((n) => n * scale >= Math.abs(exact) - slack) as number;
  return Math.abs(stored) === below * scale || Math.abs(stored) === above * scale;
}

describe('a step', () => {
  test.each([4096, 5000, 4097])(
    'of %i values is that of float64, and its moments are neighbours',
    async (size) => {
      const [w] = variablesOf([size]) as [Variable];
      const optimizer = adam8bit({ learningRate: 0.01 });
      optimizer.build([w]);
      for (let step = 1; step <= 4; step++) {
        const before = { values: await w.data(), ...(await momentsOf(optimizer, size)) };
        const [gradient] = gradientsOf([size], step) as [Tensor];
        const g = await gradient.data();
        optimizer.apply([gradient], [w]);
        const after = { values: await w.data(), ...(await momentsOf(optimizer, size)) };
        const momentum = before.momentum.map((m, i) => m + ((g[i] as number) - m) * (1 - 0.9));
        const velocity = before.velocity.map((v, i) => v + ((g[i] as number) ** 2 - v) * (1 - 0.999));
        const rate = (0.01 * Math.sqrt(1 - 0.999 ** step)) / (1 - 0.9 ** step);
        const wrong: number[] = [];
        for (let i = 0; i < size; i++) {
          const [m, v] = [momentum[i] as number, velocity[i] as number];
          const value = (before.values[i] as number) - (rate * m) / (Math.sqrt(v) + 1e-7);
          const [ofMomentum, ofVelocity] = after.scales[i >> 8] as [number, number];
          const isRight =
            Math.abs((after.values[i] as number) - value) < 2e-6 &&
            isNeighbour(after.momentum[i] as number, m, sizes8, ofMomentum) &&
            isNeighbour(after.velocity[i] as number, v, squares8, ofVelocity);
          if (!isRight) wrong.push(i);
        }
        expect(wrong).toEqual([]);
        for (const [b, scales] of after.scales.entries()) {
          const largest = (all: readonly number[]) =>
            Math.max(...all.slice(256 * b, 256 * b + 256).map((x) => Math.abs(Math.fround(x))));
          expect(scales).toEqual([powerAbove(largest(momentum)), powerAbove(largest(velocity))]);
        }
        gradient.dispose();
      }
    },
  );

  test('rounds to the right numbers on average: a velocity that moves by a thousandth arrives', async () => {
    const size = 4096;
    const [w] = variablesOf([size]) as [Variable];
    const gradient = tensor(Float32Array.from({ length: size }, (_, i) => 0.3 + (i % 7) * 0.1));
    const optimizer = adam8bit();
    const steps = 400;
    for (let k = 0; k < steps; k++) optimizer.apply([gradient], [w]);
    const { momentum, velocity } = await momentsOf(optimizer, size);
    const g = await gradient.data();
    const mean = (of: (i: number) => number) => g.reduce((sum, _, i) => sum + of(i), 0) / size;
    const square = (i: number) => (g[i] as number) ** 2;
    expect(mean((i) => (velocity[i] as number) / square(i)) / (1 - 0.999 ** steps)).toBeCloseTo(1, 2);
    expect(mean((i) => (momentum[i] as number) / (g[i] as number))).toBeCloseTo(1, 2);
  });

  test('leaves no velocity at 0 that is above 0', async () => {
    const size = 4096;
    const [w] = variablesOf([size]) as [Variable];
    // Next to one that is 10¹⁰ times as large.
    const gradient = tensor(Float32Array.from({ length: size }, (_, i) => (i % 256 === 3 ? 1 : 1e-10)));
    const optimizer = adam8bit();
    for (let k = 0; k < 5; k++) optimizer.apply([gradient], [w]);
    const { velocity } = await momentsOf(optimizer, size);
    expect(Math.min(...velocity)).toBeGreaterThan(0);
    const moved = await w.data();
    const start = spread(size, 1);
    expect(Math.max(...moved.map((x, i) => Math.abs(x - (start[i] as number))))).toBeLessThan(0.02);
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
  ])('%s stays with its own value', async (_, bad) => {
    const size = 4096;
    const [[w], [other]] = [variablesOf([size]), variablesOf([size])] as [[Variable], [Variable]];
    const gradients = gradientsOf([size], 1).concat(gradientsOf([size], 2));
    const spoilt = Float32Array.from((await gradients[0]?.data()) as Float32Array);
    spoilt[77] = bad;
    const [one, two] = [adam8bit(), adam8bit()];
    one.apply([tensor(spoilt)], [w]);
    two.apply([gradients[0] as Tensor], [other]);
    one.apply([gradients[1] as Tensor], [w]);
    two.apply([gradients[1] as Tensor], [other]);
    const [values, clean] = [await w.data(), await other.data()];
    const bads = [...values.keys()].filter((i) => !Number.isFinite(values[i]));
    expect(bads).toEqual([77]);
    for (const i of values.keys()) if (i > 255) expect(values[i]).toBe(clean[i]);
  });
});

describe('next to adam', () => {
  const sizes = [5000, 12, 4096, 300];
  const first = async (optimizer: optimizers.Optimizer, calls = 1) => {
    const variables = variablesOf(sizes);
    for (let k = 1; k <= calls; k++) optimizer.apply(gradientsOf(sizes, k, 1), variables);
    return valuesOf(variables);
  };

  test.each([
    ['plainly', {}],
    ['with weight decay', { weightDecay: 0.1 }],
    ['clipped by value', { clipvalue: 0.1 }],
    ['clipped by norm', { clipnorm: 0.5 }],
    ['clipped by the norm of all', { globalClipnorm: 0.5 }],
    ['scaled', { lossScaleFactor: 8 }],
    ['averaged', { useEma: true, emaMomentum: 0.5, emaOverwriteFrequency: 1, weightDecay: 0.1 }],
  ])('the first step is the same, %s', async (_, options) => {
    const [one, two] = [await first(adam(options)), await first(adam8bit(options))];
    for (const [k, values] of two.entries())
      for (const [i, value] of values.entries())
        expect(Math.abs(value - (one[k]?.[i] as number))).toBeLessThan(3e-7);
  });

  test.each([
    ['alone', {}],
    ['with the norm of all', { globalClipnorm: 0.5, weightDecay: 0.1 }],
  ])('gradients are accumulated, %s', async (_, more) => {
    const options = { gradientAccumulationSteps: 3, ...more };
    const [one, two] = [await first(adam(options), 3), await first(adam8bit(options), 3)];
    for (const [k, values] of two.entries())
      for (const [i, value] of values.entries())
        expect(Math.abs(value - (one[k]?.[i] as number))).toBeLessThan(3e-7);
    // Nothing moves in between.
    expect(await first(adam8bit(options), 4)).toEqual(two);
  });

  const averaging = { useEma: true, emaMomentum: 0.9, emaOverwriteFrequency: 2 };
  const clipping = { globalClipnorm: 0.5 };

  test.each([
    ['plainly', {}, 1],
    ['clipped by the norm of all', clipping, 3],
    ['averaged', averaging, 1],
    [
      'both, accumulated and scaled',
      { ...clipping, ...averaging, gradientAccumulationSteps: 2, lossScaleFactor: 8 },
      3,
    ],
  ])(
    'small variables keep float32: the same bits over steps, and the same launches, %s',
    async (_, options, launches) => {
      const small = [300, 20, 1000, 1, 64, 7, 8];
      const [a, b] = [variablesOf(small), variablesOf(small)];
      const [one, two] = [
        adamW({ learningRate: 0.01, ...options }),
        adamW8bit({ learningRate: 0.01, ...options }),
      ];
      const phases = [1, 2, 3, 4];
      expect(await train(two, b, phases)).toEqual(await train(one, a, phases));
      const gradients = gradientsOf(small, 5);
      expect(launchesOf(() => two.apply(gradients, b))).toBe(launches);
      expect(launchesOf(() => one.apply(gradients, a))).toBe(launches);
    },
  );

  test.each([
    // The sums of squares of both kinds, the factor, a step for the small ones; two launches for the large one.
    ['clipped by the norm of all', clipping, 6],
    // The average of the large one is made of ops.
    ['averaged', averaging, 10],
    ['both', { ...clipping, ...averaging }, 14],
  ])('next to a large variable, small ones share their launches, %s', (_, options, launches) => {
    const mixed = [300, 20, 5000, 1000, 1, 64, 7, 8];
    const variables = variablesOf(mixed);
    const optimizer = adamW8bit(options);
    optimizer.build(variables);
    optimizer.apply(gradientsOf(mixed, 1), variables);
    const gradients = gradientsOf(mixed, 2);
    expect(launchesOf(() => optimizer.apply(gradients, variables))).toBe(launches);
  });

  test.each([
    ['the large ones', (k: number) => (sizes[k] as number) < 4096],
    ['the small ones', (k: number) => (sizes[k] as number) >= 4096],
  ])('averages move and norms are right without gradients of %s', async (_, has) => {
    const options = { ...clipping, ...averaging };
    const averagesOf = async (optimizer: optimizers.Optimizer) => {
      const variables = variablesOf(sizes);
      optimizer.build(variables);
      for (let k = 1; k <= 3; k++) {
        const all = gradientsOf(sizes, k, 1);
        optimizer.apply(k === 1 ? all : all.map((gradient, i) => (has(i) ? gradient : null)), variables);
      }
      const values = await valuesOf(variables);
      optimizer.swapAverages();
      return [...values, ...(await valuesOf(variables))];
    };
    const [one, two] = [await averagesOf(adam(options)), await averagesOf(adam8bit(options))];
    for (const [k, values] of two.entries()) {
      // Moments in 8 bits that are read again differ by up to a twelfth.
      const isExact = (sizes[k % sizes.length] as number) < 4096;
      for (const [i, value] of values.entries())
        expect(Math.abs(value - (one[k]?.[i] as number))).toBeLessThan(isExact ? 3e-7 : 1e-3);
    }
  });

  test('a norm of all is that of the slices of large variables', async () => {
    const steps = async (optimizer: optimizers.Optimizer) => {
      const [table, bias] = [
        variable(tensor(spread(640, 1), { shape: [80, 8] })),
        variable(tensor(spread(8, 2))),
      ];
      const ids = tensor([3, 5, 3, 3, 70], { dtype: 'int32' });
      const tape = new GradientTape();
      const rows = add(gather(table, ids), bias);
      const loss = sum(mul(rows, tensor(spread(40, 3, 1), { shape: [5, 8] })));
      optimizer.apply(tape.gradient(loss, [table, bias]) as Tensor[], [table, bias]);
      return valuesOf([table, bias]);
    };
    const options = { globalClipnorm: 0.3, epsilon: 0.1 };
    const [one, two] = [await steps(adam(options)), await steps(adam8bit({ ...options, min8bitSize: 100 }))];
    for (const [k, values] of two.entries())
      for (const [i, value] of values.entries())
        expect(Math.abs(value - (one[k]?.[i] as number))).toBeLessThan(3e-7);
  });

  test('what is large enough can be chosen', () => {
    const [w] = variablesOf([300]) as [Variable];
    const optimizer = adam8bit({ min8bitSize: 300 });
    optimizer.build([w]);
    expect(optimizer.variables.slice(2).map(({ name, shape, dtype }) => [name, [...shape], dtype])).toEqual([
      ['adam8bit/w0_moments', [75, 2], 'uint32'],
      ['adam8bit/w0_scales', [2, 2], 'float32'],
    ]);
  });

  test('a large variable takes one launch, and a quarter of the memory', () => {
    const bytesOf = (optimizer: optimizers.Optimizer) => {
      const variables = variablesOf([1 << 18]);
      const before = memory().bytes;
      optimizer.build(variables);
      const taken = memory().bytes - before;
      const gradients = gradientsOf([1 << 18], 1);
      optimizer.apply(gradients, variables);
      return { taken, launches: launchesOf(() => optimizer.apply(gradients, variables)) };
    };
    const plain = bytesOf(adam());
    const packed = bytesOf(adam8bit());
    expect(packed.launches).toBe(1);
    expect(plain.taken).toBe(8 << 18);
    expect(packed.taken).toBe((2 << 18) + (8 << 10));
  });
});

test('amsgrad isn’t an option, and sizes are whole', () => {
  expect(() => adam8bit({ amsgrad: true } as never)).toThrow(/amsgrad/);
  expect(() => adam8bit({ min8bitSize: 0 })).toThrow(/min8bitSize/);
  expect(adamW8bit().getConfig()).toMatchObject({ weightDecay: 0.004, min8bitSize: 4096 });
});

describe('training', () => {
  /** A random choice per place, the same for each `seed`. */
  const randomly = (size: number, seed: number) => spread(size, seed, 0).map((r) => r + 0.5);

  /** The mean loss of the last epoch of 200 steps. */
  async function lossOf(net: Model, optimizer: optimizers.Optimizer, x: Tensor, y: Tensor): Promise<number> {
    net.compile({ optimizer, loss: 'sparseCategoricalCrossentropy' });
    const { history } = await net.fit(x, y, { batchSize: 16, epochs: 4, verbose: 0, shuffle: false });
    return (history.loss as number[]).at(-1) as number;
  }

  /** Losses with float32 and with 8 bits. */
  async function bothLosses(make: () => Model, x: Tensor, y: Tensor, learningRate: number) {
    const losses: [number, number] = [0, 0];
    for (const [k, optimizer] of [
      adam({ learningRate }),
      adam8bit({ learningRate, min8bitSize: 1 }),
    ].entries()) {
      clearSession();
      setRandomSeed(0);
      losses[k] = await lossOf(make(), optimizer, x, y);
    }
    return losses;
  }

  test('a small transformer’s loss is within 1 % of that with float32', async () => {
    const [count, length, words] = [800, 12, 16];
    const noise = randomly(count * (length + 1), 9);
    const text = Int32Array.from({ length: count * (length + 1) }, (_, i) => {
      const place = i % (length + 1);
      const regular = (3 * place + Math.floor(i / (length + 1))) % words;
      return (noise[i] as number) < 0.25 ? Math.floor((noise[i] as number) * 4 * words) : regular;
    });
    const cut = (from: number) =>
      Int32Array.from({ length: count * length }, (_, i) => {
        return text[Math.floor(i / length) * (length + 1) + (i % length) + from] as number;
      });
    const make = () => {
      const tokens = input({ shape: [length], dtype: 'int32' });
      const embedded = layers.embedding({ inputDim: words, outputDim: 32 }).apply(tokens);
      const attended = layers
        .multiHeadAttention({ numHeads: 2, keyDim: 16 })
        .apply([embedded, embedded] as never, { useCausalMask: true } as never);
      const joined = layers.layerNormalization().apply(layers.add().apply([embedded, attended] as never));
      const hidden = layers.dense({ units: 64, activation: 'gelu' }).apply(joined);
      const residual = layers.add().apply([joined, layers.dense({ units: 32 }).apply(hidden)] as never);
      const outputs = layers
        .dense({ units: words, activation: 'softmax' })
        .apply(layers.layerNormalization().apply(residual));
      return model({ inputs: tokens, outputs }) as unknown as Model;
    };
    const shape = [count, length];
    const [plain, packed] = await bothLosses(
      make,
      tensor(cut(0), { shape }),
      tensor(cut(1), { shape }),
      0.003,
    );
    expect(Math.abs(packed / plain - 1)).toBeLessThan(0.01);
  });

  test('a small CNN’s loss is within 1 % of that with float32', async () => {
    const [count, side] = [800, 10];
    const noise = randomly(count * side * side, 11);
    const labels = Int32Array.from({ length: count }, (_, k) => k % 4);
    // Stripes in four directions, under noise.
    const images = Float32Array.from({ length: count * side * side }, (_, i) => {
      const [row, column] = [Math.floor(i / side) % side, i % side];
      const k = Math.floor(i / side / side) % 4;
      const phase = [row, column, row + column, row - column][k] as number;
      return Math.sin(1.7 * phase) * 0.5 + (noise[i] as number) - 0.5;
    });
    // Some are wrong, so that the loss stays above 0.
    const wrong = randomly(count, 12);
    const given = labels.map((label, k) => ((wrong[k] as number) < 0.2 ? (label + 1) % 4 : label));
    const make = () =>
      sequential([
        layers.input({ shape: [side, side, 1] }),
        layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu' }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu' }),
        layers.globalAveragePooling2d(),
        layers.dense({ units: 4, activation: 'softmax' }),
      ]) as unknown as Model;
    const [plain, packed] = await bothLosses(
      make,
      tensor(images, { shape: [count, side, side, 1] }),
      tensor(given),
      0.01,
    );
    expect(Math.abs(packed / plain - 1)).toBeLessThan(0.01);
  });

  test('a compiled step gives the same bits', async () => {
    const program = () => {
      const [w] = variablesOf([64 * 80]) as [Variable];
      const optimizer = adam8bit({ learningRate: 0.01, weightDecay: 0.1 });
      const step = (x: Tensor) =>
        tidy(() => {
          const tape = new GradientTape();
          const loss = mean(square(matMul(x, reshape(w, [64, 80]))));
          optimizer.apply(tape.gradient(loss, [w]), [w]);
          return loss;
        });
      return { w, optimizer, step };
    };
    const [plain, other] = [program(), program()];
    const compiled = compile(other.step);
    for (let k = 0; k < 5; k++) {
      const x = tensor(spread(3 * 64, k + 20, 1), { shape: [3, 64] });
      plain.step(x).dispose();
      compiled(x).dispose();
    }
    expect(await other.w.data()).toEqual(await plain.w.data());
    expect(await other.optimizer.getWeights()).toEqual(await plain.optimizer.getWeights());
  });
});

describe('saved and loaded', () => {
  const wide = (optimizer: optimizers.Optimizer): Model => {
    const net = sequential([
      layers.input({ shape: [64] }),
      layers.dense({ units: 100, activation: 'tanh' }),
      layers.dense({ units: 1 }),
    ]) as unknown as Model;
    net.compile({ optimizer, loss: 'mse' });
    return net;
  };
  const x = () => tensor(spread(32 * 64, 3, 1), { shape: [32, 64] });
  const y = () => tensor(spread(32, 4, 1), { shape: [32, 1] });
  const options = { batchSize: 8, verbose: 0, seed: 3 } as const;

  test.each([
    ['adam8bit', () => adam8bit({ learningRate: 0.003 })],
    ['adamW8bit', () => adamW8bit({ learningRate: 0.003, globalClipnorm: 1 })],
    [
      'inside another',
      () => optimizers.lossScaleOptimizer({ innerOptimizer: adam8bit({ learningRate: 0.003 }) }),
    ],
  ])('%s goes on with the same bits', async (_, make) => {
    const net = wide(make());
    await net.fit(x(), y(), { ...options, epochs: 2 });
    const target = new BytesTarget();
    await net.save(target);
    const again = (await loadModel(target.bytes)) as unknown as Model;
    expect(again.optimizer?.className).toBe(net.optimizer?.className);
    const after = [];
    for (const one of [net, again]) {
      const { history } = await one.fit(x(), y(), { ...options, initialEpoch: 2, epochs: 4 });
      after.push({ loss: history.loss, weights: await valuesOf(one.weights) });
    }
    expect(after[1]).toEqual(after[0]);
  });
});
