/** @file Steps on single batches, for custom training loops. */
import { atOnce } from '../../core/pieces.ts';
import { listed, type ListedLogs, requireOutputs } from './stepLogs.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import { isolated } from './isolated.ts';
import type { AnyBatch, Logs } from './batch.ts';
import { type ClassWeight, ClassWeights } from './data/classWeight.ts';
import { batchOf } from './data/iterableSource.ts';
import { freeBatch } from './data/batchSource.ts';
import { tensorsOf } from './data/slots.ts';
import { weighedStep } from './fit.ts';
import { keepingState } from './keepState.ts';
import type { Data } from './openData.ts';
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import { readLogs } from './readLogs.ts';
import type { TrainableModel } from './trainableModel.ts';
import { freeLogs } from './trainer.ts';

/** Options of `testOnBatch`. */
export interface OnBatchOptions {
  /** Weight of each sample. */
  sampleWeight?: Data | null;
}

/** Options of `trainOnBatch`. */
export interface TrainOnBatchOptions extends OnBatchOptions {
  /** Weight of each class, for a model with one output. */
  classWeight?: ClassWeight | null;
}

/** Runs one training step. Resolves to the metrics of the batch: those before it are reset, as in Keras. */
export async function trainOnBatch(
  model: TrainableModel,
  x: Data,
  y: Data | null,
  options: TrainOnBatchOptions,
  extra: readonly unknown[] = [],
): Promise<ListedLogs> {
  rejectExtraArguments('trainOnBatch', extra, ['x', 'y', 'options']);
  return trainFurther(model, x, y, options, () => model.resetMetrics());
}

/** Runs one training step without a reset, like one in the middle of an epoch of `fit`, after `prepare`. */
export async function trainFurther(
  model: TrainableModel,
  x: Data,
  y: Data | null,
  options: TrainOnBatchOptions,
  prepare?: () => void,
): Promise<ListedLogs> {
  checkOptions('trainOnBatch', options, ['sampleWeight', 'classWeight']);
  const { sampleWeight = null, classWeight } = options;
  return onBatch(model, 'trainOnBatch', { x, y, sampleWeight }, (batch) => {
    prepare?.();
    const { train } = model.trainer.single;
    train.begin(null);
    train.refresh();
    const weights = classWeight ? new ClassWeights('trainOnBatch', classWeight, model.slots.outputs) : null;
    try {
      return atOnce(weighedStep(batch, weights, (weighed) => train.inPieces(weighed)));
    } finally {
      weights?.dispose();
    }
  });
}

/** Runs one evaluation step. Resolves to the metrics of the batch: those before it are reset, as in Keras. */
export async function testOnBatch(
  model: TrainableModel,
  x: Data,
  y: Data | null,
  options: OnBatchOptions,
  extra: readonly unknown[] = [],
): Promise<ListedLogs> {
  rejectExtraArguments('testOnBatch', extra, ['x', 'y', 'options']);
  checkOptions('testOnBatch', options, ['sampleWeight']);
  const { sampleWeight = null } = options;
  return onBatch(model, 'testOnBatch', { x, y, sampleWeight }, (batch) => {
    model.resetMetrics();
    const { test } = model.trainer.single;
    test.begin(null);
    return test.run(batch);
  });
}

/** Returns the outputs for one batch, without waiting. The caller frees them. */
export function predictOnBatch(model: TrainableModel, x: Data, extra: readonly unknown[]): Nest<Tensor> {
  rejectExtraArguments('predictOnBatch', extra, ['x']);
  const batch = batchOf('predictOnBatch', [x], model.slots);
  try {
    return tidy(() => {
      const outputs = model.predictStep(batch);
      requireOutputs(outputs);
      return outputs;
    });
  } finally {
    freeUploads(batch, { x });
  }
}

interface Given {
  x: Data;
  y?: Data | null;
  sampleWeight?: Data | null;
}

async function onBatch(
  model: TrainableModel,
  op: string,
  given: Given,
  run: (batch: AnyBatch) => Readonly<Record<string, Tensor>> | undefined,
): Promise<ListedLogs> {
  const { trainer } = model;
  trainer.requireCompiled(op);
  const { end } = trainer.begin(op);
  try {
    const batch = isolated(() => batchOf(op, [given.x, given.y, given.sampleWeight], model.slots));
    try {
      const reading = isolated(() => {
        const stepLogs = run(batch);
        const pending = trainer.results(stepLogs);
        freeLogs(stepLogs);
        return readLogs(pending);
      });
      const [logs] = (await keepingState(model, () => reading)) as [Logs];
      return listed(
        logs,
        trainer.entries.map(({ key }) => key),
      );
    } finally {
      freeUploads(batch, given);
    }
  } finally {
    end();
  }
}

/** Frees the tensors of a batch that were created from host values. */
function freeUploads(batch: AnyBatch, given: Given): void {
  const own = new Set<unknown>(Object.values(given).flatMap(tensorsOf));
  const without = (nest: Nest<Tensor> | null) =>
    nest === null ? null : leavesOf<Tensor>(nest).filter((tensor) => !own.has(tensor));
  freeBatch({ x: without(batch.x) ?? [], y: without(batch.y), sampleWeight: without(batch.sampleWeight) });
}
