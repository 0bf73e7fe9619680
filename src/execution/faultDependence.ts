/**
 * @file What the results of captured work depend on: which buffers from outside, and which of its own checks. Determined
 * once, at the recording, so that a replay propagates faults and losses without inspecting its launches.
 */
import type { FaultReport } from '../webgpu/faults.ts';
import {
  type Check,
  type FaultCarrier,
  type FaultSet,
  type FaultTracker,
  setOf,
} from '../webgpu/faultSets.ts';
import { type Command, rangesOf, rangesWrittenBy } from '../webgpu/command.ts';
import type { Attachment, Capture } from './capture.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import type { ReplayedWork } from '../webgpu/journalLog.ts';
import { type Loss, worseOf } from '../webgpu/losses.ts';
import { replacesAll, Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

/** Sources of values, one bit each. */
type Sources = bigint;

/** Where values are: in a storage that the work makes, or in a buffer from outside. */
type Values = Storage | DeviceBuffer;

/** The faults that each result of a run depends on. */
export type FaultsOfRun = (result: Storage) => FaultSet | null;

export class Dependence implements ReplayedWork {
  /** Buffers from outside and checks, in the order of their bits. */
  readonly #order: (FaultCarrier | FaultReport)[] = [];
  readonly #bits = new Map<FaultCarrier | FaultReport, Sources>();
  readonly #sources = new Map<Values, Sources>();
  /** Buffers from outside that the work writes. */
  readonly written = new Set<DeviceBuffer>();

  constructor({ commands, attachments, made }: Capture) {
    const valuesOf = (range: BoundRange): Values =>
      range instanceof Storage && made.has(range) ? range : range.buffer;
    let next = 0;
    const attachUntil = (at: number) => {
      for (; (attachments[next]?.at ?? at + 1) <= at; next++)
        this.#attach(attachments[next] as Attachment, valuesOf);
    };
    commands.forEach((command, at) => {
      attachUntil(at);
      this.#follow(command, valuesOf);
    });
    attachUntil(commands.length);
  }

  #follow(command: Command, valuesOf: (range: BoundRange) => Values): void {
    if (command.kind === 'copy' && replacesAll(command.target, command.bytes)) {
      this.#set(valuesOf(command.target), this.#sourcesOf(valuesOf(command.source)));
      return;
    }
    let all = command.kind === 'launch' && command.fault ? this.#bitOf(command.fault) : 0n;
    for (const range of rangesOf(command)) all |= this.#sourcesOf(valuesOf(range));
    for (const range of rangesWrittenBy(command)) this.#add(valuesOf(range), all);
  }

  #attach({ reports, storage }: Attachment, valuesOf: (range: BoundRange) => Values): void {
    for (const report of reports) this.#add(valuesOf(storage), this.#bitOf(report));
  }

  #add(values: Values, sources: Sources): void {
    this.#set(values, this.#sourcesOf(values) | sources);
  }

  #set(values: Values, sources: Sources): void {
    this.#sources.set(values, sources);
    if (!(values instanceof Storage)) this.written.add(values);
  }

  #sourcesOf(values: Values): Sources {
    return this.#sources.get(values) ?? (values instanceof Storage ? 0n : this.#bitOf(values));
  }

  #bitOf(source: FaultCarrier | FaultReport): Sources {
    const known = this.#bits.get(source);
    if (known !== undefined) return known;
    const bit = 1n << BigInt(this.#order.length);
    this.#order.push(source);
    this.#bits.set(source, bit);
    return bit;
  }

  /** Propagates faults after a run that began `checks`: to the buffers it writes, and to its results by the returned function. */
  follow(tracker: FaultTracker, checks: ReadonlyMap<FaultReport, Check>): FaultsOfRun {
    const sets = this.#order.map((source) => {
      const check = checks.get(source as FaultReport);
      return check ? setOf(check) : 'faults' in source ? source.faults : null;
    });
    // Most results depend on the same sources, so they share a set.
    const known = new Map<Sources, FaultSet | null>();
    const setFor = (sources: Sources) => {
      const found = known.get(sources);
      if (found !== undefined) return found;
      const joined = sets.reduce(
        (all, set, i) => ((sources >> BigInt(i)) & 1n ? tracker.join(all, set) : all),
        null as FaultSet | null,
      );
      known.set(sources, joined);
      return joined;
    };
    for (const carrier of this.written) tracker.put(carrier, setFor(this.#sourcesOf(carrier)));
    return (result) => setFor(this.#sources.get(result) ?? 0n);
  }

  losses(lossOf: (carrier: FaultCarrier) => Loss | null): (values: Values) => Loss | null {
    const known = this.#order.map((source) => ('faults' in source ? lossOf(source) : null));
    return (values) => {
      const sources = this.#sources.get(values) ?? 0n;
      return known.reduce(
        (worst, loss, i) => ((sources >> BigInt(i)) & 1n ? worseOf(worst, loss) : worst),
        null,
      );
    };
  }
}
