/** @file StepRunner: calls one of a model's steps, captured and replayed unless the model runs eagerly. */
import { type Variable, variablesMade } from '../../tensor/variable.ts';
import { type CaptureReport, type ComparedFunction, compileCompared } from '../../autodiff/compile.ts';
import { fieldsOf } from '../../autodiff/signature.ts';
import { atOnce, type Pieces } from '../../core/pieces.ts';
import { activeRecorders, withRecorders } from '../../ops/define/recorders.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import type { AnyBatch } from './batch.ts';

/** Warns of a step that creates variables at every call, such as a loss that builds a network inside. */
class CreationWatch {
  /** Whether the last call created variables, as the first call does when it builds layers. */
  #didCreate = false;
  #hasWarned = false;

  constructor(private readonly step: string) {}

  get hasWarned(): boolean {
    return this.#hasWarned;
  }

  /** Runs one call of the step. */
  run<T>(call: () => T): T {
    const before = variablesMade();
    const result = call();
    const after = variablesMade();
    const created = after.count - before.count;
    if (created > 0 && this.#didCreate && !this.#hasWarned) {
      this.#hasWarned = true;
      console.warn(warning(this.step, created, after.bytes - before.bytes));
    }
    this.#didCreate = created > 0;
    return result;
  }
}

function warning(step: string, count: number, bytes: number): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  return `retrograd: ${step} creates ${count} variables (${size}) at every call. They are initialized each time, so random weights differ from step to step, and the step can't be replayed. Create the model or layer once, before compile(), and call it in the loss or the step.`;
}

type StepResult = Nest<Tensor> | undefined;

/** The part of a model that a runner uses. */
export interface StepModel {
  readonly trainableWeights: readonly Variable[];
  /** Layers inside it, at any depth. */
  readonly layersInside: readonly object[];
  /** Releases the losses that the last call added. */
  clearLosses(): void;
}

export interface StepRunnerOptions<R> {
  /** Names the step in reports. */
  readonly name: string;
  readonly step: (batch: AnyBatch) => R;
  /** Whether to run the step eagerly instead of capturing it. */
  readonly isEager: () => boolean;
  /** Whether the step runs code of the app, which may compute something different the next time. */
  readonly isCustom: () => boolean;
  /** Whether the step runs only the library's code, so that it computes the same whenever `state` is the same. */
  readonly isOwnCode: () => boolean;
  /** The fields and weights that the step reads, as text. */
  readonly state: () => string;
  /** Creates, before a capture, what the step would otherwise have to create. */
  readonly prepare?: (batch: AnyBatch) => Pieces<void>;
  /** Called after the steps of an epoch. */
  readonly endEpoch?: () => void;
}

/** By this run, a step that can be captured usually has been. */
const firstSettled = 4;
const settledRuns = [firstSettled, 8, 16];
/** The largest number of comparisons because of changed fields: a field that changes every time is a counter. */
const maxFieldComparisons = 3;

/** The report of a step that ran once. */
const ranOnce: CaptureReport = {
  signature: 'any',
  captured: false,
  reason: 'it ran for one batch, and captures pay from the second on',
  launches: 0,
  bytes: 0,
  minBytes: 0,
  frozen: [],
};

/** Bytes that recordings may take while the model does something else: to record a step that takes more is a small part of it. */
const maxKeptBytes = 2 ** 25;
/** Shapes of batches that are remembered. */
const maxShapes = 64;

/** Runs the train, test or predict step of a model. */
export class StepRunner<R extends StepResult> {
  #captured: ComparedFunction<[batch: AnyBatch], R> | null = null;
  /** The trainable weights and the visible fields of the layers at the time of the capture. */
  #trained: readonly Variable[] = [];
  #fields = '';
  #runs = 0;
  #fieldComparisons = 0;
  #isReported = false;
  /** Whether the present run has one batch, which nothing follows. */
  #isSingle = false;
  #ranEagerly = false;
  /** Whether recordings take too much to be kept, so that those of single batches would not be replayed. */
  #isLarge = false;
  /** Shapes of batches that ran alone, without being recorded. */
  readonly #shapes = new Set<string>();
  /** The state at the last trace; null if the step runs code of an app, too. */
  #state: string | null = null;
  /** Reports of captures that were freed. */
  #reports: readonly CaptureReport[] = [];
  readonly #creation: CreationWatch;

  constructor(
    private readonly model: StepModel,
    private readonly options: StepRunnerOptions<R>,
  ) {
    this.#creation = new CreationWatch(options.name);
  }

  /** Runs the step. The tensors that it returns are the caller's to free. */
  run(batch: AnyBatch): R {
    return atOnce(this.inPieces(batch));
  }

  /**
   * Begins a run of so many batches; null if that isn't known. Of a single batch nothing is recorded, unless one of the same shapes has
   * been run before.
   */
  begin(batches: number | null): void {
    this.#isSingle = batches === 1;
    if (this.#captured && this.#state !== null && this.#state !== this.options.state()) this.dispose();
  }

  /** Ends a run. Returns whether the next one may use this runner; otherwise dispose of it. */
  end(): boolean {
    this.#fieldComparisons = 0;
    if (!this.#captured) return true;
    const bytes = this.#captured.reports().reduce((total, report) => total + report.bytes, 0);
    this.#isLarge = bytes > maxKeptBytes;
    if (this.#isLarge) this.dispose();
    return this.#state !== null;
  }

  /** As `run`, in pieces: a step that is recorded has several. */
  *inPieces(batch: AnyBatch): Pieces<R> {
    let made: R;
    this.#ranEagerly = this.options.isEager() || this.#isFirst(batch);
    if (this.#ranEagerly) made = tidy(() => this.#step(batch));
    else {
      if (!this.#captured) {
        yield* this.#prepare(batch);
        yield;
      }
      made = yield* this.#compiled().inPieces(batch);
    }
    if (made !== undefined) for (const tensor of leavesOf<Tensor>(made)) keep(tensor);
    this.#runs++;
    if (settledRuns.includes(this.#runs)) this.#warnIfUncaptured();
    return made;
  }

  /**
   * Drops the capture if other weights are trainable now, and has it compared with a new trace if something may have
   * changed. Visits the whole model, so don't call it at every step.
   */
  refresh(): void {
    const { trainableWeights: now } = this.model;
    const before = this.#trained;
    if (now.length !== before.length || now.some((weight, i) => weight !== before[i])) this.dispose();
    else this.#compareFields();
  }

  /**
   * Call it after the steps of an epoch. After the last one, all values that the step has frozen are found. Errors:
   * ValueError for training steps that updated nothing.
   */
  endEpoch(isLast: boolean): void {
    this.options.endEpoch?.();
    if (isLast && this.options.isCustom()) this.#captured?.compareNow();
  }

  /** Reports what was captured, and if not, why. A capture that is in use is first compared with a new trace. */
  get reports(): readonly CaptureReport[] {
    if (this.#isSingle && this.#ranEagerly) return [ranOnce];
    return this.#captured?.explain() ?? this.#reports;
  }

  /** Frees the captures; the next run captures again. */
  dispose(): void {
    this.#reports = this.#captured?.reports() ?? this.#reports;
    this.#captured?.dispose();
    this.#captured = null;
  }

  /** Whether a run has this batch only, and a recording would not be replayed: none of its shapes came before. */
  #isFirst(batch: AnyBatch): boolean {
    if (!this.#isSingle) return false;
    if (this.#isLarge) return true;
    const shapes = shapesOf(batch);
    if (this.#shapes.has(shapes)) return !this.#captured && !this.options.isOwnCode();
    if (this.#shapes.size === maxShapes) this.#shapes.clear();
    this.#shapes.add(shapes);
    return true;
  }

  #step(batch: AnyBatch): R {
    try {
      // A tape that a failing step leaves open ends with the step.
      const step = () => withRecorders(activeRecorders(), () => this.options.step(batch));
      return this.#creation.run(step);
    } finally {
      // Losses added by layers hold intermediate tensors until they are cleared.
      this.model.clearLosses();
    }
  }

  /** Call it before the first captured run. */
  *#prepare(first: AnyBatch): Pieces<void> {
    this.#trained = this.model.trainableWeights;
    yield* this.options.prepare?.(first) ?? [];
  }

  #compiled(): ComparedFunction<[batch: AnyBatch], R> {
    if (this.#captured) return this.#captured;
    const { options } = this;
    const policy = { isScheduled: options.isCustom() };
    this.#captured = compileCompared((batch: AnyBatch) => this.#trace(batch), { name: options.name }, policy);
    return this.#captured;
  }

  /**
   * Returns the step as captures and comparisons run it. Fields that the step itself sets (when building layers, or counting)
   * don't count as changes.
   */
  #trace(batch: AnyBatch): R {
    const made = this.#step(batch);
    this.#fields = this.#visibleFields();
    const { isOwnCode, state } = this.options;
    this.#state = isOwnCode() ? state() : null;
    return made;
  }

  /** Callbacks may have changed a field of a layer. */
  #compareFields(): void {
    if (this.#fieldComparisons >= maxFieldComparisons) return;
    const fields = this.#visibleFields();
    if (fields === this.#fields) return;
    this.#fieldComparisons++;
    this.#captured?.compareNow();
  }

  #visibleFields(): string {
    return fieldsOf([this.model, ...this.model.layersInside]);
  }

  #warnIfUncaptured(): void {
    const reason = this.#captured?.givenUp() ?? null;
    if (reason === null || this.#isReported || this.#creation.hasWarned) return;
    this.#isReported = true;
    console.warn(
      `retrograd: the ${this.options.name} isn't captured, so every step runs all of its JavaScript: ${reason}. ` +
        'model.explainStep() says so, too; compile({ runEagerly: true }) turns capturing off.',
    );
  }
}

function shapesOf({ x, y, sampleWeight }: AnyBatch): string {
  const tensors = [x, y, sampleWeight].flatMap((part) => (part === null ? [] : leavesOf<Tensor>(part)));
  return tensors.map(({ shape, dtype }) => `${dtype}[${shape}]`).join();
}
