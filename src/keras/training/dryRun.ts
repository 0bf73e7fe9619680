/** @file rehearse: what a model does with data, on stand-ins for them. In a dry run, for `warmup`. */
import type { DType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, type OpenShape, requireBoolean, type Shape } from '../../core/shape.ts';
import { withDevice } from '../../webgpu/device.ts';
import { zeros } from '../../ops/creation.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { get, isBuiltInLoss, type LossLike } from '../losses/get.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import type { Batch } from './batch.ts';
import { identifiersByOutput, type LossArgument } from './compiledLoss.ts';
import type { Data, Slot } from './data/slots.ts';
import { freeBatch } from './data/batchSource.ts';
import { Table, type TableData, TableSource } from './data/tableSource.ts';
import { Cleanup, defaultBatchSize } from './openData.ts';
import { requireKnownOptions } from '../knownOptions.ts';
import { requireCount } from './optionChecks.ts';
import { joined } from './predict.ts';
import { joinPending } from './readLogs.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';
import { freeLogs } from './trainer.ts';

/** Data to come, by the shape of a batch, or of all samples: the first axis is the batch. A tensor will do. */
export interface DataSpec {
  readonly shape: OpenShape;
  /** Default float32. */
  readonly dtype?: DType;
}

/** Specs for all inputs or outputs: for several an array in their order, or a record by name. */
export type DataSpecs = DataSpec | readonly DataSpec[] | { readonly [name: string]: DataSpec };

export interface RehearseOptions {
  /** Samples in a batch. Default 32. */
  batchSize?: number;
  /** Whether it will be trained, and evaluated; otherwise it will be asked for predictions. Default false. */
  training?: boolean;
  /** Default: as the model's inputs. */
  x?: DataSpecs;
  /** Default: as the model's outputs; labels where the loss wants such. */
  y?: DataSpecs | null;
  sampleWeight?: DataSpecs | null;
}

/**
 * Does what `fit` does with the first batches, or `predict`. Errors: ValueError where inputs or targets aren't known and
 * not given, and for a model that isn't compiled or runs.
 */
export function rehearse(model: TrainableModel, options: RehearseOptions): void {
  requireKnownOptions('warmup', options, ['batchSize', 'training', 'x', 'y', 'sampleWeight']);
  const { batchSize = defaultBatchSize, training = false } = options;
  requireCount('warmup', 'batchSize', batchSize, 1);
  requireBoolean('warmup', 'training', training);
  const { end } = model.trainer.begin('warmup');
  const cleanup = new Cleanup();
  try {
    withDevice(deviceOf(model), () => {
      if (training) rehearseTraining(model, options, batchSize, cleanup);
      else rehearsePrediction(model, options, batchSize, cleanup);
    });
  } finally {
    cleanup.dispose();
    end();
  }
}

function rehearseTraining(
  model: TrainableModel,
  { x, y, sampleWeight }: RehearseOptions,
  batchSize: number,
  cleanup: Cleanup,
): void {
  const { trainer } = model;
  const { loss = null } = trainer.requireCompiled('warmup').options;
  const data = {
    x: standIns('x', x ?? inputSpecs(model), batchSize, cleanup),
    y: y === null ? null : standIns('y', y ?? targetSpecs(model, loss), batchSize, cleanup),
    sampleWeight: sampleWeight ? standIns('sampleWeight', sampleWeight, batchSize, cleanup) : null,
  };
  const [train, test] = [cleanup.add(trainer.runTrain()), cleanup.add(trainer.runTest())];
  const results: Tensor[] = [];
  for (const runner of [train, test]) {
    model.resetMetrics();
    withBatch(model, data, batchSize, runner === train, (batch) => {
      const logs = runner.run(batch);
      const { values } = trainer.results(logs);
      if (values) results.push(cleanup.add(values));
      freeLogs(logs);
    });
  }
  joinPending(results)?.dispose();
}

function rehearsePrediction(
  model: TrainableModel,
  { x }: RehearseOptions,
  batchSize: number,
  cleanup: Cleanup,
): void {
  const data = { x: standIns('x', x ?? inputSpecs(model), batchSize, cleanup) };
  const runner = cleanup.add(model.trainer.runPredict());
  const parts: Nest<Tensor>[] = [];
  for (let batch = 0; batch < 2; batch++) {
    withBatch(model, data, batchSize, false, (given) => parts.push(runner.run(given)));
  }
  const whole = joined(parts);
  for (const part of [...parts, whole]) for (const tensor of leavesOf<Tensor>(part)) tensor.dispose();
}

/** Takes a batch as `fit` and `predict` do. */
function withBatch(
  { slots }: TrainableModel,
  data: TableData,
  batchSize: number,
  shuffle: boolean,
  body: (batch: Batch) => void,
): void {
  const table = new Table('warmup', data, slots);
  const source = new TableSource(table, { batchSize, shuffle });
  source.begin(0, null);
  const batch = source.next();
  try {
    body(batch);
  } finally {
    freeBatch(batch);
    source.dispose();
    table.dispose();
  }
}

/** Tensors of two batches in the nest of `specs`: a batch is then a part of them. */
function standIns(what: string, specs: DataSpecs, batchSize: number, cleanup: Cleanup): Data {
  const made = (spec: unknown): Tensor => {
    if (!isSpec(spec)) {
      throw new ValueError({
        op: 'warmup',
        rule: `\`${what}\` is a spec { shape, dtype }, or several in an array or a record.`,
        received: describe(spec),
        hint: `pass ${what}: { shape: [32, 10] }.`,
      });
    }
    const shape = [2 * batchSize, ...closed(what, spec.shape)];
    return cleanup.add(keep(zeros(shape, { dtype: spec.dtype ?? 'float32' })));
  };
  if (isSpec(specs)) return made(specs);
  if (Array.isArray(specs)) return specs.map(made);
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, made(spec)]));
}

function isSpec(value: unknown): value is DataSpec {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<DataSpec>).shape);
}

/** Sizes of one sample. */
function closed(what: string, [, ...sample]: OpenShape): Shape {
  if (sample.every((size) => typeof size === 'number')) return sample as Shape;
  throw new ShapeError({
    op: 'warmup',
    rule: 'all sizes but that of the batch are known.',
    received: `${what} of shape ${formatShape([null, ...sample])}`,
    hint: `pass ${what}: { shape: […] } with the sizes that there will be.`,
  });
}

function inputSpecs({ slots, name }: TrainableModel): DataSpecs {
  if (slots.inputs) return oneOrAll(slots.inputs.map(({ shape, dtype = 'float32' }) => ({ shape, dtype })));
  throw new ValueError({
    op: 'warmup',
    rule: 'the inputs of a model without a graph are said.',
    received: `'${name}', without x`,
    hint: 'pass x: { shape: [32, 10] }.',
  });
}

/** Targets as the losses want them: like the outputs, or labels. */
function targetSpecs({ slots: { outputs }, name }: TrainableModel, loss: LossArgument | null): DataSpecs {
  if (outputs && loss !== null) {
    const names = outputs.map((output) => output.name);
    const losses = identifiersByOutput(loss, names);
    const specs = outputs.flatMap((output, i) => targetSpec(output, losses[i] ?? null) ?? []);
    if (specs.length === outputs.length) return oneOrAll(specs);
  }
  throw new ValueError({
    op: 'warmup',
    rule: 'targets are said where outputs and losses do not tell what they look like.',
    received: `'${name}', without y`,
    hint: "pass y: { shape: [32], dtype: 'int32' } for labels, or y: null where there are none.",
  });
}

/** Null where that isn't known: a function takes what it likes, and which crossentropy is meant, the targets say. */
function targetSpec({ shape }: Slot, identifier: LossLike | null): DataSpec | null {
  if (identifier === null || identifier === 'crossentropy' || identifier === 'ce') return null;
  const { className } = get(identifier);
  if (!isBuiltInLoss(className)) return null;
  return /sparse/i.test(className)
    ? { shape: shape.slice(0, -1), dtype: 'int32' }
    : { shape, dtype: 'float32' };
}

function oneOrAll(specs: readonly DataSpec[]): DataSpecs {
  return specs.length === 1 ? (specs[0] as DataSpec) : specs;
}
