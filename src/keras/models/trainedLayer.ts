/**
 * @file TrainedLayer: a layer that can be compiled, trained, evaluated and asked for predictions. The base of Model; what
 * the methods do lies in `training/`.
 */
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { CallbackModel } from '../callbacks/callback.ts';
import type { History } from '../callbacks/history.ts';
import { Layer } from '../layers/base/layer.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Nest } from '../tensorNest.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import type * as training from '../training/index.ts';
import { loadedTraining, loadTraining, requireTraining, type Training } from '../training/lazyTraining.ts';

type Loose = training.TrainableModel;

export abstract class TrainedLayer<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor>
  extends Layer<In, Out>
  implements CallbackModel
{
  /** Set to true, by a callback as a rule, it ends the training after the step that runs. */
  stopTraining = false;
  #trainer: training.Trainer | null = null;
  /** What `compile` was told while training wasn't loaded. */
  #waiting: training.CompileOptions | null = null;

  /** What it was compiled with, its metrics, and what is running. */
  get trainer(): training.Trainer {
    return this.#trainerOf(requireTraining('trainer'));
  }

  #trainerOf({ Trainer }: Training): training.Trainer {
    this.#trainer ??= new Trainer(this.#loose);
    if (this.#waiting) {
      this.#trainer.compile(this.#waiting);
      this.#waiting = null;
    }
    return this.#trainer;
  }

  /** Runs `body` with training: at once where it is loaded. */
  async #trained<T>(body: (training: Training, model: Loose) => Promise<T>): Promise<T> {
    const training = loadedTraining() ?? (await loadTraining());
    this.#trainerOf(training);
    return body(training, this.#loose);
  }

  /** Loads what training needs, as whatever is awaited does by itself. Errors: those of a `compile` that came before. */
  async loadTraining(): Promise<void> {
    await this.#trained(async () => {});
  }

  /** What data for it look like, as far as that is known before it runs. */
  get slots(): training.Slots {
    return { inputs: null, outputs: null };
  }

  /**
   * Says how the model is trained: by which optimizer, against which losses, and what is measured.
   *
   *     net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
   *
   * Losses, weights and metrics of several outputs come in the order of the outputs or by their names.
   * Errors: ValueError for what is no optimizer, loss or metric, and for names that no output has.
   *
   * A bundled app loads training now: the promise tells when it is there, and rejects with those errors. `fit`, `evaluate`,
   * `predict` and other calls that are awaited wait for it by themselves; what isn't (`optimizer`, `metrics`, a step by
   * hand) may be used after one of them.
   */
  compile(options: training.CompileOptions = {}): Promise<void> {
    const training = loadedTraining();
    this.#waiting = training ? null : options;
    if (!training) return this.loadTraining();
    this.#trainerOf(training).compile(options);
    return Promise.resolve();
  }

  /** What `compile` was told last; null before. */
  get compileOptions(): training.CompileOptions | null {
    return this.#waiting ?? this.#trainer?.compiled?.options ?? null;
  }

  /** The optimizer that it was compiled with; null before. */
  get optimizer(): Optimizer | null {
    if (this.#waiting) this.#trainerOf(requireTraining('optimizer'));
    return this.madeOptimizer;
  }

  /** As `optimizer`, but null where it isn't made yet. */
  protected get madeOptimizer(): Optimizer | null {
    return this.#trainer?.compiled?.optimizer ?? null;
  }

  /** The history of the last `fit`, of one that failed or was aborted, too. Null before. */
  get history(): History | null {
    return this.#trainer?.history ?? null;
  }

  /**
   * Trains for a number of epochs, and resolves to the history of the metrics. Data are tensors, typed arrays or nested
   * arrays with the samples along the first axis, for several inputs or outputs an array or a record of them; or batches
   * `[x, y]`, `[x, y, sampleWeight]` or `{ xs, ys }`, from an iterable, a generator or a function that makes one, sync or
   * async: `fit(batches, options)`. Tensors in such batches are freed after their step.
   *
   * Steps are launched without waiting for them: metrics are read once an epoch, or where a callback asks for more.
   * Rejects with the reason of `signal` once that is aborted; `history` has the epochs that were done, and the weights are
   * those of the last step.
   * Errors: ValueError and ShapeError for data and options that don't fit; faults of the device, with epoch and batch;
   * ValueError for a model that isn't compiled, or that is being trained.
   */
  fit(x: training.Data, y?: training.Data | null, options?: training.FitOptions): Promise<History>;
  fit(batches: training.BatchIterable, options?: training.FitOptions): Promise<History>;
  fit(batches: training.BatchIterable, y: null, options?: training.FitOptions): Promise<History>;
  fit(
    x: training.Data | training.BatchIterable,
    y: training.Data | training.FitOptions | null = null,
    options?: training.FitOptions,
  ): Promise<History> {
    return this.#trained((training, model) => {
      const { data, settings } = training.splitArguments(x, y, options);
      return training.fit(model, x, data, settings);
    });
  }

  /**
   * The loss and the metrics over data, by name: `{ loss, accuracy }`. Data as for `fit`.
   * Errors: those of `fit`.
   */
  evaluate(
    x: training.Data,
    y?: training.Data | null,
    options?: training.EvaluateOptions,
  ): Promise<training.Logs>;
  evaluate(batches: training.BatchIterable, options?: training.EvaluateOptions): Promise<training.Logs>;
  evaluate(
    batches: training.BatchIterable,
    y: null,
    options?: training.EvaluateOptions,
  ): Promise<training.Logs>;
  evaluate(
    x: training.Data | training.BatchIterable,
    y: training.Data | training.EvaluateOptions | null = null,
    options?: training.EvaluateOptions,
  ): Promise<training.Logs> {
    return this.#trained(({ evaluate, splitArguments }, model) => {
      const { data, settings } = splitArguments(x, y, options);
      return evaluate(model, x, data, settings);
    });
  }

  /**
   * The outputs for all samples, on the device, once all are computed. Data as for `fit`, batches `[x]`.
   * Errors: those of `fit`, but that the model need not be compiled.
   */
  predict(x: training.Data | training.BatchIterable, options: training.PredictOptions = {}): Promise<Out> {
    return this.#trained(({ predict }, model) => predict(model, x, options)) as Promise<Out>;
  }

  /**
   * What `warmup(model, options)` runs dry: a step of prediction, or with `training: true` of training and evaluation,
   * data taken as `fit` takes them. `x`, `y` and `sampleWeight` are specs where the model doesn't say what they look like:
   *
   *     await warmup(net, { batchSize: 32, training: true, y: { shape: [32], dtype: 'int32' } });
   */
  dryRun(options: training.DryRunOptions = {}): void {
    requireTraining('dryRun').dryRun(this.#loose, options);
  }

  /** One step of training on one batch. Resolves to the metrics since `resetMetrics()`. */
  trainOnBatch(
    x: training.Data,
    y: training.Data | null = null,
    options: training.TrainOnBatchOptions = {},
  ): Promise<training.Logs> {
    return this.#trained(({ trainOnBatch }, model) => trainOnBatch(model, x, y, options));
  }

  /** One step of evaluation on one batch. Resolves to the metrics since `resetMetrics()`. */
  testOnBatch(
    x: training.Data,
    y: training.Data | null = null,
    options: training.OnBatchOptions = {},
  ): Promise<training.Logs> {
    return this.#trained(({ testOnBatch }, model) => testOnBatch(model, x, y, options));
  }

  /** The outputs for one batch. Nothing is waited for. */
  predictOnBatch(x: training.Data): Out {
    return requireTraining('predictOnBatch').predictOnBatch(this.#loose, x) as Out;
  }

  /**
   * One step of training: launches all, waits for nothing. A subclass may bring its own; it is captured and replayed, so
   * JavaScript in it runs once for each shape of batches, but for what stands in `onReplay`. What it returns goes into the
   * logs, in place of the results of all metrics.
   */
  trainStep(batch: training.Batch): training.StepLogs {
    return requireTraining('trainStep').trainStep(this.#loose, batch);
  }

  /** One step of evaluation. As `trainStep`. */
  testStep(batch: training.Batch): training.StepLogs {
    return requireTraining('testStep').testStep(this.#loose, batch);
  }

  /** The outputs for one batch. */
  predictStep(batch: training.Batch): Out {
    return tidy(() => this.apply(batch.x as In, { training: false }));
  }

  /** The loss of predictions: compiled losses and those that layers add. A scalar. */
  computeLoss(predicted: training.Predicted): Tensor {
    return requireTraining('computeLoss').computeLoss(this.#loose, predicted);
  }

  /** Updates the compiled metrics by predictions. */
  computeMetrics(predicted: training.Predicted): training.StepLogs {
    return requireTraining('computeMetrics').computeMetrics(this.#loose, predicted);
  }

  /** The loss, the compiled metrics, the losses of outputs, then metrics that it and its layers have as properties. */
  get metrics(): readonly Metric<never>[] {
    return this.trainer.entries.map(({ metric }) => metric);
  }

  /** Their names in logs; those of compiled metrics are known after the first batch. */
  get metricsNames(): string[] {
    return this.trainer.entries.map(({ key }) => key);
  }

  /** Metrics that it, and the layers inside it, have as properties. */
  get ownMetrics(): readonly Metric<never>[] {
    const layers = this.layersInside.filter((layer) => !(layer instanceof TrainedLayer));
    const { metricsIn } = requireTraining('metrics');
    return [this, ...layers].flatMap(metricsIn);
  }

  /** Begins all metrics anew. `fit` and `evaluate` do so themselves. */
  resetMetrics(): void {
    if (loadedTraining()) this.trainer.resetMetrics();
  }

  override dispose(): void {
    super.dispose();
    this.#waiting = null;
    this.#trainer?.dispose();
  }

  /** As training knows it: whatever its inputs and outputs are. */
  get #loose(): Loose {
    return this as unknown as Loose;
  }
}
