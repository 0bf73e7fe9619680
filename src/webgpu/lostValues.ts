/** @file What is lost when a submission did not run: what it should have written, and what was computed from that since. */
import type { RetrogradError } from '../core/errors.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultCarrier } from './faultSets.ts';
import { type Copy, entriesOf, isBuffer, type Launch, type Log, type Run, writtenBy } from './journalLog.ts';
import { type Loss, worseOf } from './losses.ts';
import type { Storage } from './storage.ts';

/** The values that are lost because submissions failed: those they should have written, and what was computed from them. */
export class Losses {
  readonly all = new Map<FaultCarrier, Loss>();
  /** Buffers released or held since then: whether a variable holds them. */
  readonly #ofVariables = new Map<DeviceBuffer, boolean>();
  readonly #ofRuns = new Map<Run, (values: Storage | DeviceBuffer) => Loss | null>();

  /** @param failures the numbers of the submissions that failed, and why */
  constructor(private readonly failures: ReadonlyMap<number, RetrogradError>) {}

  /** Follows what was logged for submission `serial`. */
  follow(log: Readonly<Log>, serial: number): void {
    for (const entry of entriesOf(log)) {
      if (entry.kind === 'upload') this.all.delete(entry.target);
      else if (entry.kind === 'hold') this.#ofVariables.set(entry.target, true);
      else if (entry.kind === 'release') this.#release(entry.target);
      else if (entry.kind === 'run') this.#followRun(entry);
      else if (entry.kind === 'result') this.#add(entry.target, this.#ofRuns.get(entry.run)?.(entry.result));
      else if (this.failures.has(serial)) this.#miss(entry, serial);
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
  #missed(values: DeviceBuffer | FaultCarrier, failed: number): Loss {
    const isOlder = isBuffer(values) && (this.#ofVariables.get(values) ?? values.isVariable);
    return this.#lossBy(failed, isOlder);
  }

  #lossBy(failed: number, leavesOlder: boolean): Loss {
    return { cause: this.failures.get(failed) as RetrogradError, leavesOlder };
  }

  /** Notes that `entry`, of submission `failed`, did not run. */
  #miss(entry: Launch | Copy, failed: number): void {
    for (const values of writtenBy(entry)) this.#add(values, this.#missed(values, failed));
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
    const serials = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const failed = serials.find((serial) => this.failures.has(serial));
    if (failed === undefined) {
      const lossAfter = work.losses((values) => this.#lossOf(values));
      this.#ofRuns.set(run, lossAfter);
      for (const buffer of work.written) this.#set(buffer, lossAfter(buffer));
      return;
    }
    const undefinedContents = this.#lossBy(failed, false);
    this.#ofRuns.set(run, () => undefinedContents);
    // Commands of the run after those that failed may have updated variables by undefined values.
    const areLast = serials.every((serial) => serial < failed || this.failures.has(serial));
    for (const buffer of work.written)
      this.#add(buffer, areLast ? this.#missed(buffer, failed) : undefinedContents);
  }
}
