/**
 * @file What the results of captured work depend on: which buffers from outside, and which of its own checks. Determined
 * once, at the recording, so that a replay propagates faults and losses without inspecting its launches.
 */
import type { Pieces } from '../core/pieces.ts';
import type { FaultReport } from '../webgpu/faults.ts';
import { type FaultCarrier, type FaultSet, setOf } from '../webgpu/faultSets.ts';
import type { Check, FaultTracker } from '../webgpu/faultTracker.ts';
import { type Command, commandsPerPiece, rangesOf, rangesWrittenBy } from '../webgpu/command.ts';
import type { Attachment, Capture } from './capture.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import type { ReplayedWork } from '../webgpu/journal.ts';
import { type Loss, worseOf } from '../webgpu/losses.ts';
import { replacesAll, Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

/** A buffer from outside, or a check. */
type Source = FaultCarrier | FaultReport;

/**
 * The index of a source, or of a union of earlier ones. Unions refer to each other, instead of listing their sources: all values of
 * a training step depend on all weights before them.
 */
type Sources = number;

/** Where values are: in a storage that the work makes, or in a buffer from outside. */
type Values = Storage | DeviceBuffer;

/** The faults that each result of a run depends on. */
export type FaultsOfRun = (result: Storage) => FaultSet | null;

export class Dependence implements ReplayedWork {
  /** In an order in which unions follow their parts. The first one is empty. */
  readonly #all: (Source | readonly Sources[])[] = [[]];
  readonly #known = new Map<Source, Sources>();
  readonly #sources = new Map<Values, Sources>();
  /** Buffers from outside that the work writes. */
  readonly written = new Set<DeviceBuffer>();

  private constructor() {}

  static *of({ commands, attachments, made }: Capture): Pieces<Dependence> {
    const found = new Dependence();
    const valuesOf = (range: BoundRange): Values =>
      range instanceof Storage && made.has(range) ? range : range.buffer;
    let next = 0;
    const attachUntil = (at: number) => {
      for (; (attachments[next]?.at ?? at + 1) <= at; next++)
        found.#attach(attachments[next] as Attachment, valuesOf);
    };
    for (const [at, command] of commands.entries()) {
      if (at % commandsPerPiece === commandsPerPiece - 1) yield;
      attachUntil(at);
      found.#follow(command, valuesOf);
    }
    attachUntil(commands.length);
    return found;
  }

  #follow(command: Command, valuesOf: (range: BoundRange) => Values): void {
    if (command.kind === 'copy' && replacesAll(command.target, command.bytes)) {
      this.#set(valuesOf(command.target), this.#sourcesOf(valuesOf(command.source)));
      return;
    }
    const parts = rangesOf(command).map((range) => this.#sourcesOf(valuesOf(range)));
    if (command.kind === 'launch' && command.fault) parts.push(this.#indexOf(command.fault));
    const all = this.#union(parts);
    for (const range of rangesWrittenBy(command)) this.#add(valuesOf(range), all);
  }

  #attach({ reports, storage }: Attachment, valuesOf: (range: BoundRange) => Values): void {
    for (const report of reports) this.#add(valuesOf(storage), this.#indexOf(report));
  }

  #add(values: Values, sources: Sources): void {
    this.#set(values, this.#union([this.#sourcesOf(values), sources]));
  }

  #set(values: Values, sources: Sources): void {
    this.#sources.set(values, sources);
    if (!(values instanceof Storage)) this.written.add(values);
  }

  #sourcesOf(values: Values): Sources {
    return this.#sources.get(values) ?? (values instanceof Storage ? none : this.#indexOf(values));
  }

  #indexOf(source: Source): Sources {
    const known = this.#known.get(source);
    if (known !== undefined) return known;
    this.#known.set(source, this.#all.length);
    return this.#all.push(source) - 1;
  }

  #union(parts: readonly Sources[]): Sources {
    const covered = new Set([none, ...parts.flatMap((part) => this.#partsOf(part))]);
    const rest = [...new Set(parts)].filter((part) => !covered.has(part));
    if (rest.length <= 1) return rest[0] ?? none;
    return this.#all.push(rest) - 1;
  }

  #partsOf(sources: Sources): readonly Sources[] {
    const one = this.#all[sources] as Source | readonly Sources[];
    return isUnion(one) ? one : [];
  }

  /** Propagates faults after a run that began `checks`: to the buffers it writes, and to its results by the returned function. */
  follow(tracker: FaultTracker, checks: ReadonlyMap<FaultReport, Check>): FaultsOfRun {
    const setOfSource = (source: Source) => {
      const check = checks.get(source as FaultReport);
      return check ? setOf(check) : 'faults' in source ? source.faults : null;
    };
    const setFor = this.#reduced(setOfSource, (a, b) => tracker.join(a, b));
    const written = [...this.written].map((carrier) => [carrier, setFor(this.#sourcesOf(carrier))] as const);
    for (const [carrier, set] of written) tracker.put(carrier, set);
    return (result) => setFor(this.#sources.get(result) ?? none);
  }

  losses(lossOf: (carrier: FaultCarrier) => Loss | null): (values: Values) => Loss | null {
    const lossFor = this.#reduced<Loss>((source) => ('faults' in source ? lossOf(source) : null), worseOf);
    return (values) => lossFor(this.#sources.get(values) ?? none);
  }

  /** Returns what `join` makes of the values of sources. Those are taken at once. */
  #reduced<T>(
    valueFor: (source: Source) => T | null,
    join: (a: T | null, b: T | null) => T | null,
  ): (sources: Sources) => T | null {
    const values: (T | null)[] = [];
    for (const one of this.#all)
      values.push(
        isUnion(one)
          ? one.reduce((all: T | null, part) => join(all, values[part] as T | null), null)
          : valueFor(one),
      );
    return (sources) => values[sources] as T | null;
  }
}

const none: Sources = 0;

function isUnion(one: Source | readonly Sources[]): one is readonly Sources[] {
  return Array.isArray(one);
}
