/** @file What is lost when a submission did not run: what it should have written, and what was computed from that since. */
import type { RetrogradError } from '../core/errors.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultCarrier } from './faultSets.ts';
import { type Copy, entriesOf, isBuffer, type Launch, type Log, type Run, writtenBy } from './journalLog.ts';
import { type Loss, worseOf } from './losses.ts';
import type { Storage } from './storage.ts';

/** The values that are lost because one submission failed: those it should have written, and what was computed from them. */
export class Losses {
  readonly all = new Map<FaultCarrier, Loss>();
  readonly #undefined: Loss;
  readonly #older: Loss;
  /** Buffers released or held since then: whether a variable holds them. */
  readonly #ofVariables = new Map<DeviceBuffer, boolean>();
  readonly #ofRuns = new Map<Run, (values: Storage | DeviceBuffer) => Loss | null>();

  constructor(
    /** The submission that failed. */
    private readonly failed: number,
    cause: RetrogradError,
  ) {
    this.#undefined = { cause, leavesOlder: false };
    this.#older = { cause, leavesOlder: true };
  }

  /** Follows what was logged for submission `serial`. */
  follow(log: Readonly<Log>, serial: number): void {
    for (const entry of entriesOf(log)) {
      if (entry.kind === 'upload') this.all.delete(entry.target);
      else if (entry.kind === 'hold') this.#ofVariables.set(entry.target, true);
      else if (entry.kind === 'release') this.#release(entry.target);
      else if (entry.kind === 'run') this.#followRun(entry);
      else if (entry.kind === 'result') this.#add(entry.target, this.#ofRuns.get(entry.run)?.(entry.result));
      else if (serial === this.failed) this.#miss(entry);
      else if (entry.kind === 'copy') this.#followCopy(entry);
      else this.#followLaunch(entry);
    }
  }

  #lossOf(values: FaultCarrier): Loss | null {
    return this.all.get(values) ?? null;
  }

  #set(values: FaultCarrier, loss: Loss | null): void {
    if (loss) this.all.set(values, loss);
    else this.all.delete(values);
  }

  #add(values: FaultCarrier, loss: Loss | null = null): void {
    this.#set(values, worseOf(this.#lossOf(values), loss));
  }

  #release(buffer: DeviceBuffer): void {
    this.all.delete(buffer);
    this.#ofVariables.set(buffer, false);
  }

  /**
   * Returns what is lost where a write didn't happen. A variable holds its older values. Other tensors get their values only
   * once, if by several launches: without one of them, a sum lacks terms, and a concatenation has a gap.
   */
  #missed(values: DeviceBuffer | FaultCarrier): Loss {
    const isOlder = isBuffer(values) && (this.#ofVariables.get(values) ?? values.isVariable);
    return isOlder ? this.#older : this.#undefined;
  }

  /** Notes that `entry` did not run. */
  #miss(entry: Launch | Copy): void {
    for (const values of writtenBy(entry)) this.#add(values, this.#missed(values));
  }

  #followCopy({ source, target, isWhole }: Copy): void {
    const loss = this.#lossOf(source);
    if (isWhole) this.#set(target, loss);
    else this.#add(target, loss);
  }

  #followLaunch(launch: Launch): void {
    const loss = launch.buffers.map((buffer) => this.#lossOf(buffer)).reduce(worseOf, null);
    if (loss) for (const values of writtenBy(launch)) this.#add(values, loss);
  }

  /** A run fails as a whole. */
  #followRun(run: Run): void {
    const { work, first, last } = run;
    if (first > this.failed || last < this.failed) {
      const lossAfter = work.losses((values) => this.#lossOf(values));
      this.#ofRuns.set(run, lossAfter);
      for (const buffer of work.written) this.#set(buffer, lossAfter(buffer));
      return;
    }
    this.#ofRuns.set(run, () => this.#undefined);
    // Commands of the run after those that failed may have updated variables by undefined values.
    const isLast = last === this.failed;
    for (const buffer of work.written) this.#add(buffer, isLast ? this.#missed(buffer) : this.#undefined);
  }
}
