/**
 * @file LossWatch: says, once per run, that a loss is no longer finite: since which batch, and by which sample where it's the data.
 *
 * It looks at losses that are read anyway, and the mean of an epoch stays NaN or infinite once a batch was. Only then does it
 * read more: where the loss's tracker stopped counting, and the samples of that batch.
 */
import { identity } from '../../ops/arrangement/identity.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AnyBatch, Logs } from './batch.ts';
import { type BatchSource, samplesOf } from './data/batchSource.ts';
import type { Throttle } from './throttle.ts';
import type { TrainableModel } from './trainableModel.ts';

/** The largest number of batches whose data are searched where the first bad batch isn't known. */
const maxSearched = 1000;

/** The batch in which the loss became NaN. */
interface Beginning {
  /** The index of the batch. */
  readonly batch: number;
  /** Whether an earlier batch may have been the first. */
  readonly isLatest: boolean;
}

/** What the passes of one run report to. */
export class LossWatch {
  #hasSaid = false;

  constructor(
    readonly model: TrainableModel,
    readonly throttle: Throttle,
  ) {}

  /** How many samples counted up to the batch in which the loss stopped being finite. */
  get count(): Tensor {
    return this.model.trainer.requireCompiled('fit').lossTracker.count;
  }

  /** Begins a pass over `source`. */
  begin(source: BatchSource): LossPass {
    return new LossPass(this, source, this.throttle.where);
  }

  /** Prints what `describe` resolves to, the first time. */
  async say(describe: () => Promise<string>): Promise<void> {
    if (this.#hasSaid) return;
    this.#hasSaid = true;
    console.warn(`retrograd: ${await describe()}`);
  }
}

/** One pass over data, of training or of an evaluation. */
export class LossPass {
  /** The number of samples up to the end of each batch. */
  readonly #ends: number[] = [];
  /** The tracker's count at the end of the pass, since others may reset it. */
  #counted: Tensor | null = null;

  constructor(
    private readonly watch: LossWatch,
    private readonly source: BatchSource,
    private readonly where: string,
  ) {}

  /** Records that the step of a batch was launched. */
  ran({ x }: AnyBatch): void {
    this.#ends.push((this.#ends.at(-1) ?? 0) + samplesOf(x));
  }

  /** Checks what `read` resolves to. */
  watching(read: () => Promise<Logs>): () => Promise<Logs> {
    return async () => {
      const batches = this.#ends.length;
      const logs = await read();
      await this.check(logs, batches);
      return logs;
    };
  }

  /** Call it after the last batch, before metrics are reset. */
  end(): void {
    const { throttle, count } = this.watch;
    this.#counted = throttle.within(() => keep(tidy(() => identity(count))));
  }

  /** Checks the logs after `batches` batches. Default: all that ran. */
  async check(logs: Logs, batches: number = this.#ends.length): Promise<void> {
    const found = Object.entries(logs).find(
      ([name, value]) => /(^|_)loss$/.test(name) && !Number.isFinite(value),
    );
    if (found) await this.watch.say(() => this.#describe(found, batches));
  }

  dispose(): void {
    this.#counted?.dispose();
    this.#counted = null;
  }

  async #describe([name, value]: [name: string, value: number], batches: number): Promise<string> {
    const beginning = await this.#beginning(batches);
    const { batch, isLatest } = beginning;
    const what = name === 'loss' ? 'the loss' : `'${name}'`;
    const place = `${this.where}, batch ${batch + 1}${isLatest ? ' or before' : ''}`;
    const sample = await this.#sampleOf(beginning).catch(() => null);
    const cause =
      sample === null
        ? '. Lower the learning rate, clip gradients, or look at the data of this batch.'
        : `: ${sample}. Repair the data, or leave such samples out.`;
    return (
      `${what} of '${this.watch.model.name}' became ${value} in ${place}${cause} ` +
      "checkNumerics() before the run names the first op or sample with a value that isn't finite."
    );
  }

  async #beginning(batches: number): Promise<Beginning> {
    const { throttle, count } = this.watch;
    const counted = this.#counted ?? count;
    const [samples = 0] = await throttle.within(() => counted.data()).catch(() => [0]);
    const batch = this.#ends.findIndex((end) => end >= samples);
    // A step of the app may track no loss.
    if (samples > 0 && batch >= 0 && batch < batches) return { batch, isLatest: false };
    return { batch: Math.max(0, batches - 1), isLatest: true };
  }

  /** Looks at the batch, and at the one before it, by which weights may have become NaN without a trace in its loss. */
  async #sampleOf({ batch, isLatest }: Beginning): Promise<string | null> {
    const { throttle } = this.watch;
    const { source } = this;
    if (!source.samplesAt) return null;
    const all = Array.from({ length: Math.min(batch + 1, maxSearched) }, (_, i) => i);
    for (const at of isLatest ? all : [batch, Math.max(0, batch - 1)]) {
      throttle.check();
      const samples = source.samplesAt(at);
      const found = await throttle.within(() => samples.nonFinite());
      if (found) return found;
    }
    return null;
  }
}
