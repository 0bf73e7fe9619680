/**
 * @file The costs of a training step in addition to its arithmetic: submissions, allocations, tensors and bytes, over three hundred
 * steps of a small convolutional network.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDevice } from '../src/webgpu/adapter.ts';
import { Device } from '../src/webgpu/device.ts';
import {
  compile,
  GradientTape,
  getDevice,
  init,
  mean,
  memory,
  setDevice,
  squaredDifference,
  type Tensor,
  tensor,
  tidy,
} from '../src/index.ts';
import { input, layers, model, optimizers } from '../src/keras/index.ts';

/** A device of this file's own: what other tests leave to the garbage collector is not counted. */
let shared: Device;

beforeAll(async () => {
  shared = await init();
  setDevice(new Device(await openDevice(undefined, {}), true, 2 ** 28));
});

afterAll(() => {
  getDevice().destroy();
  setDevice(shared);
});

function smallNetwork() {
  const image = input({ shape: [8, 8, 3] });
  let x = layers.conv2d({ filters: 8, kernelSize: 3, padding: 'same', activation: 'relu' }).apply(image);
  x = layers.maxPooling2d().apply(x);
  x = layers.conv2d({ filters: 4, kernelSize: 3, padding: 'same', activation: 'relu' }).apply(x);
  return model({
    inputs: image,
    outputs: layers.dense({ units: 2 }).apply(layers.flatten().apply(x)),
  });
}

const wave = (shape: number[], pace: number) => {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => Math.sin(i * pace)),
    { shape },
  );
};

/** What one step leaves behind and asks of the device, read without waiting. */
function account() {
  const device = getDevice();
  const { bytes, allocations } = memory();
  const { submits, launches } = device.stream.statistics;
  return { bytes, allocations, submits, launches, pipelines: device.pipelineCount };
}

describe('a training step', { timeout: 180_000 }, () => {
  test('costs the same at its three hundredth time as at its tenth', async () => {
    const device = getDevice();
    const net = smallNetwork();
    const optimizer = optimizers.adam({ learningRate: 0.01 });
    const [x, y] = [wave([4, 8, 8, 3], 0.37), wave([4, 2], 1.3)];
    const step = (): Tensor =>
      tidy(() => {
        const tape = new GradientTape();
        const loss = mean(squaredDifference(net.apply(x), y));
        optimizer.apply(tape.gradient(loss, net.trainableWeights), net.trainableWeights);
        return loss;
      });

    const losses: number[] = [];
    const accounts: ReturnType<typeof account>[] = [];
    for (let i = 0; i < 310; i++) {
      const loss = step();
      device.flush();
      if (i % 100 === 9) losses.push(await loss.item());
      loss.dispose();
      if (i % 100 === 9) accounts.push(account());
    }

    const [early, late] = [accounts[0], accounts.at(-1)] as [(typeof accounts)[0], (typeof accounts)[0]];
    expect(late.bytes).toBe(early.bytes);
    expect(late.allocations).toBe(early.allocations);
    expect(late.pipelines).toBe(early.pipelines);
    const steps = 100 * (accounts.length - 1);
    // One submission a step, and two more for each loss that was read: its own, and that of the next call, which finds the device idle.
    expect(late.submits - early.submits).toBeLessThanOrEqual(steps + 2 * accounts.length);
    expect((late.launches - early.launches) / steps).toBeLessThan(60);
    expect(Number.isInteger((late.launches - early.launches) / steps)).toBe(true);
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 10);
  });

  test('of a frozen network watches and moves the input alone', async () => {
    const net = smallNetwork();
    net.trainable = false;
    const x = wave([1, 8, 8, 3], 0.37);
    const launchesOf = (run: () => unknown) => {
      const before = getDevice().stream.statistics.launches;
      tidy(run);
      return getDevice().stream.statistics.launches - before;
    };
    const gradient = (sources: (tape: GradientTape) => Tensor[]) => () => {
      const tape = new GradientTape();
      tape.watch(x);
      const loss = mean(net.apply(x));
      expect(tape.watched).toHaveLength(sources(tape).length);
      return tape.gradient(loss, sources(tape));
    };
    const frozen = launchesOf(gradient(() => [x]));
    net.trainable = true;
    const full = launchesOf(gradient(() => [x, ...net.weights]));
    expect(frozen).toBeLessThan(full);
  });

  test('is captured with little more memory than it needs at once, and replayed in one submission', async () => {
    const device = getDevice();
    const image = input({ shape: [16, 16, 3] });
    let h = image;
    for (const filters of [8, 16]) {
      h = layers.conv2d({ filters, kernelSize: 3, padding: 'same' }).apply(h);
      h = layers.batchNormalization().apply(h);
      h = layers.activation({ activation: 'relu' }).apply(h);
      h = layers.maxPooling2d().apply(h);
    }
    const net = model({
      inputs: image,
      outputs: layers.dense({ units: 2 }).apply(layers.flatten().apply(h)),
    });
    const optimizer = optimizers.adam({ learningRate: 0.01 });
    optimizer.build(net.trainableWeights);
    using step = compile((x: Tensor, y: Tensor): Tensor => {
      using tape = new GradientTape();
      const loss = mean(squaredDifference(net.apply(x, { training: true }), y));
      optimizer.apply(tape.gradient(loss, net.trainableWeights), net.trainableWeights);
      return loss;
    });
    const [x, y] = [wave([4, 16, 16, 3], 0.37), wave([4, 2], 1.3)];
    const losses = [];
    for (let i = 0; i < 20; i++) {
      const loss = step(x, y);
      losses.push(await loss.item());
      loss.dispose();
    }
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 2);
    const [report] = step.explain();
    expect(report).toMatchObject({ captured: true, reason: null });
    expect((report?.bytes ?? 0) / (report?.minBytes ?? 1)).toBeLessThan(1.15);

    const before = account();
    for (let i = 0; i < 50; i++) tidy(() => step(x, y)).dispose();
    const after = account();
    expect(after.submits - before.submits).toBe(50);
    expect(after.launches - before.launches).toBe(50 * (report?.launches ?? 0));
    expect(after).toMatchObject({ bytes: before.bytes, allocations: before.allocations });
    await device.sync();
  });
});
