/** @file Training with backups in the origin's files, for test/e2e/faults.test.ts. */
import { DeviceLostError, init } from '../../../src/index.ts';
import { callbacks } from '../../../src/keras/index.ts';
import { trainByFit } from '../../support/deviceLoss.ts';

/** Epochs that the training under way has begun. */
let begun = 0;
let training: ReturnType<typeof train> | undefined;

const slowly = {
  onEpochBegin: () => void begun++,
  onTrainBatchEnd: () => new Promise((resolve) => setTimeout(resolve, 40)),
};

/** Trains to the end, or goes on from the backup in `folder`. Resolves to the curve and the weights, or to the error. */
export async function train(folder: string, watch: object = {}) {
  await init();
  try {
    const { curve, weights } = await trainByFit(callbacks.sinks.originFiles(folder), watch);
    return { curve: [...curve], weights, error: null };
  } catch (error) {
    return {
      curve: [],
      weights: [],
      error: error instanceof DeviceLostError ? 'DeviceLostError' : String(error),
    };
  }
}

/** Starts to train, with pauses, and resolves in the third epoch. */
export async function begin(folder: string): Promise<void> {
  begun = 0;
  training = train(folder, slowly);
  while (begun < 3) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Resolves when the training that was begun ends, to its result. */
export const end = () => training;
