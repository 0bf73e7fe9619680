/**
 * @file fit on a device that drops one submission, for each submission of a training step: fit throws, and each weight that can
 * be read afterwards is that from before the step, or that of a step without a fault.
 */
import { expect, test } from 'vitest';
import { type Device, DeviceError, tensor } from '../../../src/index.ts';
import { input, layers, model, optimizers } from '../../../src/keras/index.ts';
import { ownDevice } from '../../support/ownDevice.ts';

interface Faulty {
  /** Submissions so far. */
  count: number;
  /** The number of the submission that is dropped. */
  failing: number;
}

/** Has `gpu` drop a submission, as WebGPU does where a command is invalid. */
function dropSubmissions(gpu: GPUDevice): Faulty {
  const state = { count: 0, failing: -1 };
  const { queue } = gpu;
  const { submit } = queue;
  queue.submit = (buffers) => {
    const fails = ++state.count === state.failing;
    submit.call(queue, fails ? [...buffers, invalidCommands(gpu)] : buffers);
  };
  return state;
}

/** Commands that use a destroyed buffer. */
function invalidCommands(gpu: GPUDevice): GPUCommandBuffer {
  const buffer = gpu.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
  buffer.destroy();
  const encoder = gpu.createCommandEncoder();
  encoder.clearBuffer(buffer);
  return encoder.finish();
}

/** A model with sums that several launches add up, states that launches change in place, and concatenations. */
function recurrentModel() {
  const ids = input({ shape: [3], dtype: 'int32' });
  const embedded = layers.embedding({ inputDim: 5, outputDim: 4 }).apply(ids);
  const steps = layers.lstm({ units: 3 }).apply(embedded);
  const last = layers.flatten().apply(embedded);
  const joined = layers.concatenate().apply([steps, last]);
  return model({ inputs: ids, outputs: layers.dense({ units: 2 }).apply(joined) });
}

interface Case {
  readonly why: string;
  readonly runEagerly: boolean;
  /** Batches whose gradients are added up for one step. */
  readonly batches: number;
}

test.each<Case>([
  { why: 'an eager step', runEagerly: true, batches: 1 },
  { why: 'a compiled step', runEagerly: false, batches: 1 },
  { why: 'a step on accumulated gradients', runEagerly: true, batches: 2 },
])(
  '$why of which any submission fails',
  async ({ runEagerly, batches }) => {
    const faulty: Faulty[] = [];
    await using own = await ownDevice({ prepare: (gpu) => void faulty.push(dropSubmissions(gpu)) });
    const [state] = faulty as [Faulty];
    const net = recurrentModel();
    const x = tensor(
      [
        [0, 1, 2],
        [4, 1, 0],
      ],
      { dtype: 'int32' },
    );
    const y = tensor([
      [1, 0],
      [0, 1],
    ]);
    const step = () => net.fit(x, y, { epochs: 1, batchSize: 2 / batches, shuffle: false, verbose: 0 });
    const initial = await net.getWeights();
    const reset = () => {
      const accumulated = batches > 1 ? { gradientAccumulationSteps: batches } : {};
      const optimizer = optimizers.sgd({ learningRate: 0.5, ...accumulated });
      net.compile({ optimizer, loss: 'mse', metrics: ['mae'], runEagerly });
      net.setWeights(initial);
    };
    const values = () => Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
    const before = await values();
    reset();
    // Compiles pipelines.
    await step();
    reset();
    submitEachLaunch(own.device);
    await step();
    const after = await values();
    // A step has some submissions more if fit waits for the device in between, which depends on the time: until one is too late.
    for (let k = 1; ; k++) {
      reset();
      await own.device.sync();
      state.failing = state.count + k;
      const outcome = await step().catch((error: unknown) => error);
      if (state.count < state.failing) {
        state.failing = -1;
        expect(outcome).not.toBeInstanceOf(Error);
        expect(k, 'submissions of a step').toBeGreaterThan(40);
        break;
      }
      expect(outcome, `submission ${k}`).toBeInstanceOf(DeviceError);
      for (const [i, weight] of net.weights.entries()) {
        const found = await weight.data().then(
          (read) => [...read],
          () => null,
        );
        // What was accumulated lacks a batch whose launches didn't run, as a step lacks one that was skipped.
        if (found && batches === 1)
          expect([before[i], after[i]], `weight ${i} after submission ${k}`).toContainEqual(found);
      }
    }
    reset();
    await step();
    expect(await values()).toEqual(after);
  },
  120_000,
);

/** Has `device` submit each launch by itself. */
function submitEachLaunch({ stream }: Device): void {
  const { dispatch } = stream;
  stream.dispatch = (...launch) => {
    dispatch.apply(stream, launch);
    stream.flush();
  };
}
