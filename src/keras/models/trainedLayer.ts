/**
 * @file TrainedLayer: the training methods of a model (compile, fit, evaluate, predict). The base of Model. The methods
 * delegate to `training/`, which is loaded on demand.
 */
import { runAll } from '../../core/cleanup.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { notHistory } from '../../history/explain.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { CallbackModel } from '../callbacks/callback.ts';
import type { History } from '../callbacks/history.ts';
import type { FileSource } from '../../storage/sources.ts';
import type { SaveFolder } from '../../storage/folderTargets.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import type { InspectedStep } from '../../inspect/step/inspectedStep.ts';
import type { StepReport } from '../../inspect/step/stepReport.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Nest } from '../tensorNest.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import type * as training from '../training/index.ts';
import type {
  LoadReport,
  LoadWeightsOptions,
  SaveOptions,
  SaveWeightsOptions,
} from '../saving/fileOptions.ts';
import type { QuantizationMode, QuantizeOptions } from '../saving/quantizeModel.ts';
import { type HeldModel, type HeldParts, holdState } from '../saving/holdState.ts';
import { loadedTraining, requireTraining } from '../training/lazyTraining.ts';
import { PendingTraining } from './pendingTraining.ts';

type Loose = training.TrainableModel;

export abstract class TrainedLayer<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor>
  extends Layer<In, Out>
  implements CallbackModel
{
  /** If set to true, usually by a callback, training stops after the current step. */
  stopTraining = false;
  readonly #training = new PendingTraining(this.#loose);

  protected override get castPolicy(): null {
    return null;
  }

  /**
   * The training state: what the model was compiled with, its metrics, and what is running.
   * @internal
   */
  get trainer(): training.Trainer {
    return this.#training.require('trainer');
  }

  /** Loads training, which `fit` and other awaited methods do by themselves. Errors: those of a preceding `compile`. */
  async loadTraining(): Promise<void> {
    await this.#training.whenLoaded(async () => {});
  }

  /**
   * Its inputs and outputs, as far as they are known before the first call.
   * @internal
   */
  get slots(): training.Slots {
    return { inputs: null, outputs: null };
  }

  /**
   * Configures training: optimizer, losses and metrics.
   *
   *     net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
   *
   * For several outputs, pass losses, weights and metrics as arrays in the order of the outputs, or as records by name.
   * Errors: ValueError for an unknown optimizer, loss or metric, and for names that no output has.
   *
   * In a bundled app this starts to load training. The promise resolves when it is loaded, and rejects with these errors.
   * `fit`, `evaluate`, `predict` and other async methods wait for it. Use `optimizer`, `metrics` or a step of your own only
   * after one of them.
   */
  compile(options: training.CompileOptions = {}, ...extra: never[]): Promise<void> {
    rejectExtraArguments('compile', extra, ['{ optimizer, loss, metrics }']);
    return this.#training.compile(options);
  }

  /**
   * Adds low-rank adapters to layers, and freezes everything else: training changes the adapters alone.
   *
   *     net.enableLora({ rank: 8, alpha: 16, targets: ['query', 'value'] });
   *
   * Call it before `compile`, on a model that is built. Files have the sums of kernels and adapters, as in Keras. Called again with
   * another `name` it adds further adapters, which `useAdapter` chooses among. Like `compile`, it starts to load training in a
   * bundled app, and the promise rejects with these errors.
   * Errors: ValueError for targets that no layer has, for a rank above the smaller side of a kernel, for a name that is taken, and for
   * layers without a kernel for adapters. Nothing changes then.
   */
  enableLora(options: training.ModelLoraOptions, ...extra: never[]): Promise<void> {
    rejectExtraArguments('enableLora', extra, ['options']);
    return this.#training.inOrder(({ adapters }) => adapters.enableLora(this.#layer, options));
  }

  /**
   * Uses the adapters of that name from now on, or none with null. Nothing is copied. Call it before `compile`.
   * Errors: ValueError for a name that no layer has, and while adapters are merged.
   */
  useAdapter(name: string | null, ...extra: never[]): Promise<void> {
    rejectExtraArguments('useAdapter', extra, ['name']);
    return this.#training.inOrder(({ adapters }) => adapters.useAdapter(this.#layer, name));
  }

  /**
   * Adds the adapters in use to their weights, so that calls cost no more than without. Merged adapters aren't trained. Errors:
   * ValueError without adapters.
   */
  mergeLora(...extra: never[]): Promise<void> {
    rejectExtraArguments('mergeLora', extra, []);
    return this.#training.inOrder(({ adapters }) => adapters.mergeLora(this.#layer));
  }

  /** Subtracts merged adapters from their weights, up to rounding errors. Errors: ValueError without adapters. */
  unmergeLora(...extra: never[]): Promise<void> {
    rejectExtraArguments('unmergeLora', extra, []);
    return this.#training.inOrder(({ adapters }) => adapters.unmergeLora(this.#layer));
  }

  /**
   * Removes the adapters of that name, or all of them. What they added to weights by `mergeLora` stays. Without any, the model trains
   * what it trained before. Errors: ValueError for a name that no layer has, and without adapters.
   */
  removeLora(name: string | null = null, ...extra: never[]): Promise<void> {
    rejectExtraArguments('removeLora', extra, ['name']);
    return this.#training.inOrder(({ adapters }) => adapters.removeLora(this.#layer, name));
  }

  /**
   * Quantizes the weights of dense, einsum and embedding layers to integers of 8 or 4 bits, in place, as Keras 3.15 does. They aren't
   * trained any more; `enableLora` afterwards trains adapters over them. Layers inside other layers, such as the projections of an
   * attention, stay as they are. Compile the model again afterwards. With 'float16' or 'bfloat16', weights are rounded to 16 bits, also
   * in layers inside others; files have them as float32.
   *
   *     await net.quantize('int4');
   *     net.enableLora({ rank: 8 });
   *
   * Errors: ValueError for other modes, for layers that aren't built or have adapters, and if there are none.
   */
  async quantize(mode: QuantizationMode, options: QuantizeOptions = {}, ...extra: never[]): Promise<void> {
    rejectExtraArguments('quantize', extra, ['mode', 'options']);
    const { quantizeModel } = await import('../saving/onFirstUse.ts');
    return quantizeModel(this.#layer, mode, options);
  }

  /**
   * The options of the last `compile`; null before.
   * @internal
   */
  get compileOptions(): training.CompileOptions | null {
    return this.#training.options;
  }

  /** The optimizer that it was compiled with; null before. */
  get optimizer(): Optimizer | null {
    if (this.#training.isCompiling) this.#training.require('optimizer');
    return this.createdOptimizer;
  }

  /**
   * Like `optimizer`, but null if training is not loaded yet.
   * @internal
   */
  get createdOptimizer(): Optimizer | null {
    return this.#training.made?.compiled?.optimizer ?? null;
  }

  /** The history of the last `fit`, even if it failed or was aborted. Null before. */
  get history(): History | null {
    return this.#training.made?.history ?? null;
  }

  /** For `explainHistory`: a model is easily mistaken for the history of its training. */
  get [notHistory]() {
    return {
      why: 'it is a model, which has no `kerasHistory`. The metrics of training are in the History that `fit` returns; files of a model or of its weights don’t hold them.',
      hint: this.history
        ? 'read model.history.history.loss; keep JSON.stringify(model.history) next to the file.'
        : 'keep JSON.stringify(history) of the History that `fit` returned next to the file. Symbolic tensors, such as model.output, have a `kerasHistory`.',
    };
  }

  /**
   * Trains for a number of epochs and resolves to the history of the metrics. Data are tensors, typed arrays or nested
   * arrays with the samples along the first axis; for several inputs or outputs, an array or a record of these. Or pass
   * batches `[x, y]`, `[x, y, sampleWeight]` or `{ xs, ys }` from an iterable, a generator or a function that returns one,
   * sync or async: `fit(batches, options)`. Tensors in such batches are freed after their step.
   *
   * Steps are launched without waiting. Metrics are read back once per epoch, or more often if a callback needs them.
   * If `signal` is aborted, the promise rejects with its reason; `history` contains the finished epochs, and the weights
   * are those after the last step. A loss that is no longer finite is warned of once, with its batch, and with the sample
   * where the data hold a NaN or an infinity.
   * Errors: ValueError and ShapeError for invalid data and options; faults of the device, with epoch and batch; ValueError
   * if the model is not compiled, or if something is running on it.
   */
  fit(x: training.Data, y?: training.Data | null, options?: training.FitOptions): Promise<History>;
  fit(x: training.Data | training.BatchIterable, options?: training.FitOptions): Promise<History>;
  fit(batches: training.BatchIterable, y: null, options?: training.FitOptions): Promise<History>;
  fit(
    x: training.Data | training.BatchIterable,
    y: training.Data | training.FitOptions | null = null,
    options?: training.FitOptions,
    ...extra: never[]
  ): Promise<History> {
    return this.#over('fit', x, y, options, extra) as Promise<History>;
  }

  /**
   * Computes the loss and the metrics over data: `{ loss, accuracy }`; they can also be destructured in the order of
   * `metricsNames`, `const [loss, accuracy] = await net.evaluate(x, y)`. Data as for `fit`.
   * Errors: those of `fit`.
   */
  evaluate(
    x: training.Data,
    y?: training.Data | null,
    options?: training.EvaluateOptions,
  ): Promise<training.ListedLogs>;
  evaluate(
    x: training.Data | training.BatchIterable,
    options?: training.EvaluateOptions,
  ): Promise<training.ListedLogs>;
  evaluate(
    batches: training.BatchIterable,
    y: null,
    options?: training.EvaluateOptions,
  ): Promise<training.ListedLogs>;
  evaluate(
    x: training.Data | training.BatchIterable,
    y: training.Data | training.EvaluateOptions | null = null,
    options?: training.EvaluateOptions,
    ...extra: never[]
  ): Promise<training.ListedLogs> {
    return this.#over('evaluate', x, y, options, extra) as Promise<training.ListedLogs>;
  }

  #over(
    op: 'fit' | 'evaluate',
    x: training.Data | training.BatchIterable,
    y: training.Data | training.FitOptions | null,
    options: training.FitOptions | undefined,
    extra: never[],
  ): Promise<unknown> {
    return this.#training.whenLoaded((training, model) => {
      const { data, settings } = training.splitArguments(op, x, y, options, extra);
      return training[op](model, x, data, settings) as Promise<unknown>;
    });
  }

  /**
   * Computes the outputs for all samples. Resolves to tensors on the device. Data as for `fit`, batches `[x]`.
   * Errors: those of `fit`, except that the model need not be compiled.
   */
  predict(
    x: training.Data | training.BatchIterable,
    options: training.PredictOptions = {},
    ...extra: never[]
  ): Promise<Out> {
    return this.#training.whenLoaded(({ predict }, model) =>
      predict(model, x, options, extra),
    ) as Promise<Out>;
  }

  /**
   * Returns the steps that `warmup(model, options)` runs dry: prediction, or training and evaluation with `training: true`. Pass
   * specs as `x`, `y` and `sampleWeight` if they cannot be inferred from the model:
   *
   *     await warmup(net, { batchSize: 32, training: true, y: { shape: [32], dtype: 'int32' } });
   */
  dryRun(options: training.DryRunOptions = {}): void {
    requireTraining('dryRun').dryRun(this.#loose, options);
  }

  /** One training step on one batch. Resolves to the metrics of the batch. */
  trainOnBatch(
    x: training.Data,
    y: training.Data | null = null,
    options: training.TrainOnBatchOptions = {},
    ...extra: never[]
  ): Promise<training.ListedLogs> {
    return this.#training.whenLoaded(({ trainOnBatch }, model) => trainOnBatch(model, x, y, options, extra));
  }

  /** One evaluation step on one batch. Resolves to the metrics of the batch. */
  testOnBatch(
    x: training.Data,
    y: training.Data | null = null,
    options: training.OnBatchOptions = {},
    ...extra: never[]
  ): Promise<training.ListedLogs> {
    return this.#training.whenLoaded(({ testOnBatch }, model) => testOnBatch(model, x, y, options, extra));
  }

  /**
   * For `inspect` and `recordSteps`: the next training step on a batch, as `trainOnBatch` runs it.
   */
  inspectedStep(
    x: training.Data,
    y: training.Data | null = null,
    options: training.TrainOnBatchOptions = {},
  ): InspectedStep {
    const { name, trainableWeights: weights } = this;
    const state = async () => (await import('../saving/stepState.ts')).stepState(this, x);
    const run = (continues = false) =>
      continues
        ? this.#training.whenLoaded(({ trainFurther }, model) => trainFurther(model, x, y, options))
        : this.trainOnBatch(x, y, options);
    return { name, weights, run, state };
  }

  /**
   * Runs one training step on a batch, like `trainOnBatch`, and reports what happens in it: see `inspect`.
   *
   *     const report = await net.inspectStep(x, y);
   *     await report.save('step.html');
   */
  async inspectStep(
    x: training.Data,
    y: training.Data | null = null,
    options: training.TrainOnBatchOptions = {},
  ): Promise<StepReport> {
    const { inspect } = await import('../../inspect/step/inspect.ts');
    return inspect(this, x, y, options);
  }

  /**
   * Explains how the last training steps ran (or those of evaluation or prediction): whether they were captured and replayed, why
   * not, and which values are frozen in the recording.
   * Errors: ValueError for an unknown kind, and before training is loaded.
   */
  explainStep(kind: training.StepKind = 'train', ...extra: never[]): training.StepExplanation {
    rejectExtraArguments('explainStep', extra, ['kind']);
    return this.trainer.explainStep(kind);
  }

  /** Returns the outputs for one batch, without waiting. */
  predictOnBatch(x: training.Data, ...extra: never[]): Out {
    return requireTraining('predictOnBatch').predictOnBatch(this.#loose, x, extra) as Out;
  }

  /**
   * Runs one training step, which launches work without waiting. A subclass may override it. The step is captured and replayed,
   * so its JavaScript runs once per batch shape, except inside `onReplay`. It returns tensors for the logs, such as `{ loss }`,
   * which replace the results of all metrics; nothing only where it updates the compiled loss, as `super.trainStep(batch)`
   * does. `fit` throws ValueError for other results, and for a step that updates no weight.
   */
  trainStep(batch: training.AnyBatch): training.StepLogs {
    return requireTraining('trainStep').trainStep(this.#loose, batch);
  }

  /** Runs one evaluation step. See `trainStep`. */
  testStep(batch: training.AnyBatch): training.StepLogs {
    return requireTraining('testStep').testStep(this.#loose, batch);
  }

  /** Returns the outputs for one batch. */
  predictStep(batch: training.AnyBatch): Out {
    return tidy(() => this.apply(batch.x as In, { training: false }));
  }

  /** Returns the loss of predictions, a scalar: compiled losses and those that layers add. */
  computeLoss(predicted: training.Predicted): Tensor {
    return requireTraining('computeLoss').computeLoss(this.#loose, predicted);
  }

  /** Updates the compiled metrics by predictions. */
  computeMetrics(predicted: training.Predicted): training.StepLogs {
    return requireTraining('computeMetrics').computeMetrics(this.#loose, predicted);
  }

  /** The loss, the compiled metrics, the losses of outputs, then metrics in properties of the model and its layers. */
  get metrics(): readonly Metric<never>[] {
    return this.trainer.entries.map(({ metric }) => metric);
  }

  /** Names of the metrics in logs. Names of compiled metrics are known after the first batch. */
  get metricsNames(): string[] {
    return this.trainer.entries.map(({ key }) => key);
  }

  /**
   * Metrics in properties of the model and of the layers inside it.
   * @internal
   */
  get ownMetrics(): readonly Metric<never>[] {
    const layers = this.layersInside.filter((layer) => !(layer instanceof TrainedLayer));
    const { metricsIn } = requireTraining('metrics');
    return [this, ...layers].flatMap(metricsIn);
  }

  /** Resets all metrics. `fit` and `evaluate` do so themselves. */
  resetMetrics(...extra: never[]): void {
    rejectExtraArguments('resetMetrics', extra, []);
    if (loadedTraining()) this.trainer.resetMetrics();
  }

  /**
   * Sets the weights to those of a file: `.weights.h5` or `.keras` of Keras 3, an older `.h5` with or without a model, or
   * safetensors. The format is recognized by the file's bytes. If a weight is missing, left over or of another shape, or
   * the file is damaged, nothing changes.
   *
   *     const { notFinite } = await net.loadWeights('model.weights.h5', { onProgress: ({ loaded, total }) => … });
   *
   * Errors: FormatError for such a file; ValueError for anything but a file.
   */
  async loadWeights(
    source: FileSource,
    options: LoadWeightsOptions = {},
    ...extra: never[]
  ): Promise<LoadReport> {
    const { loadWeightsFrom } = await import('../saving/loadWeights.ts');
    return loadWeightsFrom(this as unknown as Parameters<typeof loadWeightsFrom>[0], source, options, extra);
  }

  /**
   * Saves the model as a `.keras` file, which Keras 3 and `loadModel` read: configuration, weights, and, where the model is
   * compiled, the optimizer with its state. The values are those at the time of the call. A write is atomic: if it fails, an
   * older file is left unchanged.
   *
   *     await net.save('model.keras');
   *     await net.save('opfs://models/net.keras', { signal, onProgress: ({ saved, total }) => … });
   *     await net.save('public/model', { format: 'tfjs' });   // model.json and shards, for tf.loadLayersModel
   *
   * In a browser, `opfs://` and `indexeddb://` addresses are files that the site keeps, and `downloads://` offers a download.
   *
   * Errors: FormatError for layers and functions that have no name in files, and for anything that TF.js doesn't have or
   * computes differently; ValueError for a target that can't be written to.
   */
  async save(target: SaveTarget | SaveFolder, options: SaveOptions = {}, ...extra: never[]): Promise<void> {
    await this.#holding(async (held) =>
      (await import('../saving/onFirstUse.ts')).saveModelTo(this as never, target, options, extra, held),
    );
  }

  /**
   * Saves the weights: `.weights.h5` of Keras 3, with the optimizer's state where the model is compiled, or `.safetensors`; with
   * `maxShardSize` several of these and an index. Otherwise as `save`.
   */
  async saveWeights(
    target: SaveTarget | SaveFolder,
    options: SaveWeightsOptions = {},
    ...extra: never[]
  ): Promise<void> {
    await this.#holding(async (held) =>
      (await import('../saving/onFirstUse.ts')).saveWeightsTo(this as never, target, options, extra, held),
    );
  }

  /** Holds the present state until it is saved. */
  async #holding(save: (held: HeldParts) => Promise<void>): Promise<void> {
    const held = holdState(this as unknown as HeldModel);
    try {
      await save(held);
    } finally {
      for (const values of held.storages.values()) values.release();
    }
  }

  override dispose(): void {
    runAll([() => super.dispose(), () => this.#training.dispose()]);
  }

  get #layer(): AnyLayer {
    return this as unknown as AnyLayer;
  }

  /** This model with the types of inputs and outputs erased. */
  get #loose(): Loose {
    return this as unknown as Loose;
  }
}
