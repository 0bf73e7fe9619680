/**
 * @file Devices that are lost at any point of a training run. The run must end with one DeviceLostError and leave nothing
 * behind that rejects later; on a new device, the last saved state continues on the curve of an uninterrupted run. `npm run
 * test:faults` tests many losses.
 */
import * as rg from '../../src/index.ts';
import { loadCheckpoint, saveCheckpoint } from '../../src/io/index.ts';
import { callbacks, clearSession, initializers, layers, sequential } from '../../src/keras/index.ts';
import { openedDevice, setDevice } from '../../src/webgpu/current.ts';
import { randomFrom } from './differential/values.ts';

/** A run that takes this long hangs. */
const limit = 120_000;

type Sink = ReturnType<typeof callbacks.sinks.memoryFiles>;

/** Numbers of a run by epoch or step, and its last weights. */
interface Outcome {
  readonly curve: ReadonlyMap<number, number>;
  readonly weights: readonly (readonly number[])[];
}

/** Trains to the end, starting from the state in `files`. */
type Training = (files: Sink) => Promise<Outcome>;

const trainings: readonly Training[] = [(files) => trainByFit(files), trainByBatches];

/** Returns a network of few pipelines, with the same weights each time, and random numbers that a checkpoint keeps. */
function network() {
  clearSession();
  const kernelInitializer = (seed: number) => initializers.glorotUniform({ seed });
  const net = sequential([
    layers.inputLayer({ shape: [6] }),
    layers.dense({ units: 8, activation: 'relu', kernelInitializer: kernelInitializer(1) }),
    layers.dropout({ rate: 0.2, seed: 4 }),
    layers.dense({ units: 1, kernelInitializer: kernelInitializer(2) }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'mse' });
  return net;
}

const samples = 24;
const x = Array.from({ length: samples }, (_, i) => Array.from({ length: 6 }, (_, k) => Math.sin(i * k + i)));
const y = Array.from({ length: samples }, (_, i) => [i % 3]);

const weightsOf = (net: ReturnType<typeof network>) =>
  Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));

/** By `fit`, with a backup after each epoch. `watch` is another callback. */
export async function trainByFit(sink: callbacks.FileSink, watch: object = {}): Promise<Outcome> {
  const net = network();
  const backup = callbacks.backupAndRestore({ backupDir: 'run', sink, deleteCheckpoint: false });
  try {
    const { epoch, history } = await net.fit(x, y, {
      epochs: 5,
      batchSize: 8,
      validationSplit: 0.25,
      seed: 9,
      verbose: 0,
      callbacks: [backup, watch],
    });
    const losses = history.val_loss as number[];
    return {
      curve: new Map(epoch.map((at, i) => [at, losses[i] as number])),
      weights: await weightsOf(net),
    };
  } finally {
    net.dispose();
  }
}

/** A custom loop, with predictions in between. */
async function trainByBatches(sink: Sink): Promise<Outcome> {
  const net = network();
  const curve = new Map<number, number>();
  try {
    const saved = sink.load('run');
    const from = saved ? loadCheckpoint(net, saved).training.epoch : 0;
    for (let step = from; step < 8; step++) {
      const at = 8 * (step % 3);
      net.resetMetrics();
      const { loss } = await net.trainOnBatch(x.slice(at, at + 8), y.slice(at, at + 8));
      curve.set(step, loss as number);
      if (step % 3 === 0) {
        using predicted = (await net.predict(x)) as rg.Tensor;
        await predicted.data();
      }
      if (step % 2 === 1) sink.save('run', await saveCheckpoint(net, { epoch: step + 1 }));
    }
    return { curve, weights: await weightsOf(net) };
  } finally {
    net.dispose();
  }
}

/** Calls `onCall` before each call of `gpu` and its queue that training makes. */
function watchCalls(gpu: GPUDevice, onCall: () => void): void {
  const watch = (owner: object, name: string) => {
    const methods = owner as Record<string, (...args: unknown[]) => unknown>;
    const call = methods[name]?.bind(owner);
    methods[name] = (...args) => {
      onCall();
      return call?.(...args);
    };
  };
  for (const name of ['createBuffer', 'createBindGroup', 'createShaderModule', 'createCommandEncoder'])
    watch(gpu, name);
  for (const name of ['createComputePipeline', 'createComputePipelineAsync']) watch(gpu, name);
  for (const name of ['submit', 'writeBuffer']) watch(gpu.queue, name);
}

/** Opens a new device, which becomes the current one. All have the same features: with others, sums are rounded otherwise. */
async function openWatched(onCall: (gpu: GPUDevice) => void = () => {}): Promise<void> {
  const adapter = await navigator.gpu.requestAdapter();
  const gpu = await adapter?.requestDevice();
  if (!gpu) throw new Error('there is no WebGPU adapter');
  watchCalls(gpu, () => onCall(gpu));
  await rg.init({ device: gpu });
}

interface Clean extends Outcome {
  readonly calls: number;
}

const cleanRuns = new Map<Training, Promise<Clean>>();

/** Returns the uninterrupted run, on a separate device, and the number of its calls. */
function cleanRun(training: Training): Promise<Clean> {
  const known = cleanRuns.get(training);
  if (known) return known;
  const run = (async () => {
    let calls = 0;
    await openWatched(() => calls++);
    const outcome = await training(callbacks.sinks.memoryFiles());
    const { gpu } = rg.getDevice();
    gpu.destroy();
    return { ...outcome, calls };
  })();
  cleanRuns.set(training, run);
  return run;
}

function timed<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${limit / 1000} s`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Returns the difference between `outcome` and the uninterrupted run; null if there is none. */
function difference(outcome: Outcome, clean: Outcome): string | null {
  for (const [at, value] of outcome.curve)
    if (!Object.is(value, clean.curve.get(at)))
      return `at ${at} the curve has ${value}, and had ${clean.curve.get(at)}`;
  return JSON.stringify(outcome.weights) === JSON.stringify(clean.weights) ? null : 'the weights differ';
}

/** Collects unhandled rejections. */
function watchRejections(): { readonly found: readonly unknown[]; stop(): void } {
  const found: unknown[] = [];
  const { process: node } = globalThis as {
    process?: {
      on?: (name: string, act: (reason: unknown) => void) => void;
      off?: (...args: unknown[]) => void;
    };
  };
  const note = (reason: unknown) => void found.push(reason);
  const listen = (event: Event) => {
    event.preventDefault();
    note((event as PromiseRejectionEvent).reason);
  };
  const isPage = typeof document !== 'undefined';
  if (isPage) addEventListener('unhandledrejection', listen);
  else node?.on?.('unhandledRejection', note);
  return {
    found,
    stop: () =>
      isPage ? removeEventListener('unhandledrejection', listen) : node?.off?.('unhandledRejection', note),
  };
}

/**
 * Loses the device at a point of a training run determined by `seed`, and resumes the run on the device that `openNext` makes
 * current. Resolves to the problem, or null.
 */
async function loseDevice(seed: number, openNext: () => Promise<unknown>): Promise<string | null> {
  const training = trainings[seed % trainings.length] as Training;
  const clean = await cleanRun(training);
  const point = 1 + Math.floor(randomFrom(seed)() * clean.calls);
  const where = `seed ${seed}, lost at call ${point} of ${clean.calls}`;
  let calls = 0;
  await openWatched((gpu) => {
    if (++calls === point) gpu.destroy();
  });
  const files = callbacks.sinks.memoryFiles();
  const interrupted = await timed(training(files)).catch((error: unknown) => error);
  if (interrupted instanceof Error && !(interrupted instanceof rg.DeviceLostError))
    return `${where}: ${interrupted.name}: ${interrupted.message}`;
  if (!(interrupted instanceof Error)) {
    // The last calls only free memory, so the run was already over.
    const found = difference(interrupted as Outcome, clean);
    if (found) return `${where}: it ended without an error, and ${found}`;
  }
  await openNext();
  const found = difference(await timed(training(files)), clean);
  return found && `${where}: resumed, ${found}`;
}

/** Loses devices at the points determined by seeds `from` to `to`. Resolves to the problems by seed. */
export async function loseDevices(from: number, to: number): Promise<string[]> {
  const before = openedDevice();
  const rejections = watchRejections();
  const failures: string[] = [];
  let next: rg.Device | null = null;
  // Runs are resumed on one device: compiling its pipelines takes most of the time.
  const openNext = async () => {
    if (next) setDevice(next);
    else await openWatched();
    next = rg.getDevice();
  };
  try {
    for (let seed = from; seed < to; seed++) {
      const failure = await loseDevice(seed, openNext);
      if (failure) failures.push(failure);
    }
    rg.getDevice().destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const rejected = rejections.found.map((reason) => `a promise that no one waits for rejected: ${reason}`);
    return [...failures, ...rejected];
  } finally {
    rejections.stop();
    if (before) setDevice(before);
  }
}
