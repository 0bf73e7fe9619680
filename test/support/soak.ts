/**
 * @file A long mixed load, round by round: training, inference, changing shapes, faults, aborts, and models and functions that
 * are dropped without being disposed. `npm run soak` repeats rounds and asserts that nothing grows.
 */
import * as rg from '../../src/index.ts';
import { layers, sequential } from '../../src/keras/index.ts';
import { randomFrom } from './differential/values.ts';

/** Figures that must stay flat. */
export interface Sample {
  readonly tensors: number;
  readonly bytes: number;
  readonly pooledBytes: number;
  readonly pipelines: number;
  /** Bytes of the JS heap, after garbage collection; null if the engine doesn't report it. */
  readonly heap: number | null;
}

let uncaptured = 0;
let model: ReturnType<typeof makeModel> | undefined;

function makeModel() {
  const made = sequential([
    layers.conv2d({ filters: 4, kernelSize: 3, activation: 'relu' }),
    layers.flatten(),
    layers.dense({ units: 3 }),
  ]);
  made.compile({ optimizer: 'adam', loss: 'mse' });
  return made;
}

const noise = (random: () => number, ...shape: number[]) =>
  rg.tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random() - 0.5),
    { shape },
  );

async function train(
  net: ReturnType<typeof makeModel>,
  random: () => number,
  signal?: AbortSignal,
): Promise<void> {
  const samples = [5, 8, 13][Math.floor(random() * 3)] as number;
  const [x, y] = [noise(random, samples, 8, 8, 2), noise(random, samples, 3)];
  try {
    await net.fit(x as never, y as never, {
      epochs: 2,
      batchSize: 4,
      verbose: 0,
      ...(signal ? { signal } : {}),
    });
  } finally {
    x.dispose();
    y.dispose();
  }
}

/** Expects the errors that a round provokes. Any other is a failure. */
async function expectRejection(work: () => Promise<unknown>, name: RegExp): Promise<void> {
  const error = await work().then(
    () => null,
    (reason: unknown) => reason,
  );
  const found = error instanceof Error ? error.name : String(error);
  if (!name.test(found)) throw new Error(`expected ${name}, received ${found}`);
}

/** One round. Its work depends only on `seed`. */
export async function round(seed: number): Promise<void> {
  const device = await rg.init();
  if (seed === 0) device.gpu.addEventListener('uncapturederror', () => void uncaptured++);
  const random = randomFrom(seed);
  model ??= makeModel();
  await train(model, random);
  const images = noise(random, 1 + Math.floor(random() * 6), 8, 8, 2);
  const predicted = (await model.predict(images as never)) as rg.Tensor;
  await predicted.data();
  predicted.dispose();
  images.dispose();
  // Shapes that change from round to round.
  const n = 1 + Math.floor(random() * 40);
  const sums = rg.tidy(() =>
    rg.sum(rg.matMul(noise(random, n, 17) as never, noise(random, 17, n + 3) as never)),
  );
  await sums.data();
  sums.dispose();
  // A fault, which doesn't affect later work.
  const faulty = rg.tidy(() =>
    rg.gather(noise(random, 5, 3) as never, rg.add(rg.tensor([1, 9], { dtype: 'int32' }), 0) as never),
  );
  await expectRejection(() => faulty.data(), /IndexOutOfRangeError/);
  faulty.dispose();
  const controller = new AbortController();
  const aborted = train(model, random, controller.signal);
  controller.abort();
  await expectRejection(() => aborted, /AbortError/);
  // Dropped, not disposed.
  const offset = rg.variable(noise(random, 4) as never);
  const dropped = rg.compile((x: rg.Tensor) => rg.mul(rg.add(x as never, offset), 2));
  for (let call = 0; call < 3; call++) {
    const x = noise(random, 4);
    const y = dropped(x);
    await y.data();
    y.dispose();
    x.dispose();
  }
  if (seed % 5 === 0) await train(makeModel(), random);
}

/** The resources in use, after a garbage collection if the engine supports it. */
export async function sample(): Promise<Sample & { uncaptured: number }> {
  const device = await rg.init();
  const collect = (globalThis as { gc?: () => void }).gc;
  for (let i = 0; i < 4; i++) {
    collect?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await device.sync();
  const { tensors, bytes, pooledBytes } = rg.memory();
  const { process: host } = globalThis as { process?: { memoryUsage?: () => { heapUsed: number } } };
  return {
    tensors,
    bytes,
    pooledBytes,
    pipelines: device.pipelineCount,
    heap: host?.memoryUsage?.().heapUsed ?? null,
    uncaptured,
  };
}
