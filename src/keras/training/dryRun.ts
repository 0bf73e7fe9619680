/** @file The dry run of a model's steps on placeholder data, for `warmup`. */
import type { DType } from '../../core/dtype.ts';
import { Cleanup, finishing } from '../../core/cleanup.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, type OpenShape, requireBoolean, type Shape } from '../../core/shape.ts';
import { withDevice } from '../../webgpu/current.ts';
import { zeros } from '../../ops/creation/creation.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { get, isBuiltInLoss } from '../losses/get.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import type { AnyBatch } from './batch.ts';
import { identifiersByOutput, type LossArgument, type OutputLoss } from './compiledLoss.ts';
import type { Data, Slot } from './data/slots.ts';
import { freeBatch } from './data/batchSource.ts';
import { Table, type TableData, TableSource } from './data/tableSource.ts';
import { defaultBatchSize } from './openData.ts';
import { checkOptions } from '../../core/options.ts';
import { requireCount } from './optionChecks.ts';
import { joined } from './predict.ts';
import { joinPending } from './readLogs.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';
import { freeLogs } from './trainer.ts';

/** Describes future data by the shape of a batch or of all samples; the first axis is the batch. A tensor works, too. */
export interface DataSpec {
  readonly shape: OpenShape;
  /** Dtype of the data. Default float32. */
  readonly dtype?: DType;
}

/** Specs of all inputs or outputs: for several, an array in order or a record by name. */
export type DataSpecs = DataSpec | readonly DataSpec[] | { readonly [name: string]: DataSpec };

/** Options of `dryRun`. */
export interface DryRunOptions {
  /** Samples in a batch. Default 32. */
  batchSize?: number;
  /** True for training and evaluation steps, false for prediction. Default false. */
  training?: boolean;
  /** Shapes and dtypes of a batch's inputs. Default: the model's inputs. */
  x?: DataSpecs;
  /**
   * Shapes and dtypes of a batch's targets. Default: like the model's outputs, or labels if the loss takes
   * labels.
   */
  y?: DataSpecs | null;
  /** Shape of the weights of a batch's samples. Default: none are passed. */
  sampleWeight?: DataSpecs | null;
}

/**
 * Runs the steps of `fit` or `predict` on the first batches. Errors: ValueError if inputs or targets are neither known nor
 * given, if the model is not compiled, or if something is running on it.
 */
export function dryRun(model: TrainableModel, options: DryRunOptions): void {
  checkOptions('warmup', options, ['batchSize', 'training', 'x', 'y', 'sampleWeight']);
  const { batchSize = defaultBatchSize, training = false } = options;
  requireCount('warmup', 'batchSize', batchSize, 1);
  requireBoolean('warmup', 'training', training);
  const cleanup = new Cleanup();
  const { end } = model.trainer.begin('warmup');
  cleanup.defer(end);
  const run = training ? dryRunTraining : dryRunPrediction;
  cleanup.afterSync(() => withDevice(deviceOf(model), () => run(model, options, batchSize, cleanup)));
}

function dryRunTraining(
  model: TrainableModel,
  { x, y, sampleWeight }: DryRunOptions,
  batchSize: number,
  cleanup: Cleanup,
): void {
  const { trainer } = model;
  const { loss = null } = trainer.requireCompiled('warmup').options;
  const data = {
    x: placeholders('x', x ?? inputSpecs(model), batchSize, cleanup),
    y: y === null ? null : placeholders('y', y ?? targetSpecs(model, loss), batchSize, cleanup),
    sampleWeight: sampleWeight ? placeholders('sampleWeight', sampleWeight, batchSize, cleanup) : null,
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

function dryRunPrediction(
  model: TrainableModel,
  { x }: DryRunOptions,
  batchSize: number,
  cleanup: Cleanup,
): void {
  const data = { x: placeholders('x', x ?? inputSpecs(model), batchSize, cleanup) };
  const runner = cleanup.add(model.trainer.runPredict());
  const parts: Nest<Tensor>[] = [];
  for (let batch = 0; batch < 2; batch++) {
    withBatch(model, data, batchSize, false, (given) => parts.push(runner.run(given)));
  }
  const whole = joined(parts);
  for (const part of [...parts, whole]) for (const tensor of leavesOf<Tensor>(part)) tensor.dispose();
}

/** Makes a batch the way `fit` and `predict` do. */
function withBatch(
  { slots }: TrainableModel,
  data: TableData,
  batchSize: number,
  shuffle: boolean,
  body: (batch: AnyBatch) => void,
): void {
  const table = new Table('warmup', data, slots);
  const source = new TableSource(table, { batchSize, shuffle });
  source.begin(0, null);
  const batch = source.next();
  finishing(
    () => body(batch),
    () => freeBatch(batch),
    () => source.dispose(),
    () => table.dispose(),
  );
}

/** Placeholder tensors for two batches, in the nest of `specs`, so that a batch is a slice of them. */
function placeholders(what: string, specs: DataSpecs, batchSize: number, cleanup: Cleanup): Data {
  const made = (spec: unknown): Tensor => {
    if (!isSpec(spec)) {
      throw new ValueError({
        op: 'warmup',
        rule: `\`${what}\` is a spec { shape, dtype }, or several in an array or a record.`,
        received: describe(spec),
        hint: `pass ${what}: { shape: [32, 10] }.`,
      });
    }
    const shape = [2 * batchSize, ...sampleShape(what, spec.shape)];
    return cleanup.add(keep(zeros(shape, { dtype: spec.dtype ?? 'float32' })));
  };
  if (isSpec(specs)) return made(specs);
  if (Array.isArray(specs)) return specs.map(made);
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, made(spec)]));
}

function isSpec(value: unknown): value is DataSpec {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<DataSpec>).shape);
}

/** Returns the sizes of one sample. */
function sampleShape(what: string, [, ...sample]: OpenShape): Shape {
  if (sample.every((size) => typeof size === 'number')) return sample as Shape;
  throw new ShapeError({
    op: 'warmup',
    rule: 'all sizes except the batch must be known.',
    received: `${what} of shape ${formatShape([null, ...sample])}`,
    hint: `pass ${what}: { shape: […] } with the actual sizes.`,
  });
}

function inputSpecs({ slots, name }: TrainableModel): DataSpecs {
  if (slots.inputs) return oneOrAll(slots.inputs.map(({ shape, dtype = 'float32' }) => ({ shape, dtype })));
  throw new ValueError({
    op: 'warmup',
    rule: 'the inputs of a model without a graph are unknown.',
    received: `'${name}', without x`,
    hint: 'pass x: { shape: [32, 10] }.',
  });
}

/** Returns the specs of the targets that the losses take: like the outputs, or labels. */
function targetSpecs({ slots: { outputs }, name }: TrainableModel, loss: LossArgument | null): DataSpecs {
  if (outputs && loss !== null) {
    const names = outputs.map((output) => output.name);
    const losses = identifiersByOutput(loss, names);
    const specs = outputs.flatMap((output, i) => targetSpec(output, losses[i] ?? null) ?? []);
    if (specs.length === outputs.length) return oneOrAll(specs);
  }
  throw new ValueError({
    op: 'warmup',
    rule: 'pass the specs of targets that cannot be inferred from outputs and losses.',
    received: `'${name}', without y`,
    hint: "pass y: { shape: [32], dtype: 'int32' } for labels, or y: null where there are none.",
  });
}

/** Null if unknown: a loss function may take anything, and 'crossentropy' depends on the targets. */
function targetSpec({ shape }: Slot, identifier: OutputLoss | null): DataSpec | null {
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
