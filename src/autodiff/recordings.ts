/** @file The recordings of a compiled function: one for each signature, and for each state of what recordings of it have read. */
import type { Nest } from '../core/nest.ts';
import { type HasTrainable, trainableChanges } from '../core/trainableReads.ts';
import type { Device } from '../webgpu/device.ts';
import { ambientText } from '../ops/define/ambient.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Captured } from './capturedCall.ts';
import { type CallSignature, deviceKey, identityOf } from './signature.ts';

/** A call of the function with its inputs replaced by `proxies`. */
export type CallBody = (proxies: readonly Tensor[]) => Nest<unknown>;

/** The state of one signature on one device. */
export interface Entry {
  readonly signature: string;
  /** The signature without what was not trainable. */
  readonly base: string;
  readonly ambient: string;
  captured: Captured | null;
  failures: number;
  reason: string | null;
  /** What was recorded, for comparisons. It holds none of the inputs. */
  body: CallBody;
  replays: number;
  /** The number of replays at which the next comparison is due. */
  nextComparison: number;
  /** The fields of the objects in the arguments when they were last compared, and how often they had changed. */
  fields: string;
  fieldChanges: number;
  frozen: readonly string[];
  /** The device's `selectionVersion` at the time of capture: which kernel variants were selected. */
  choices: number;
}

/** Whose `trainable` recordings of a signature have read. */
interface Readers {
  readonly owners: Set<HasTrainable>;
  /** Those that are not trainable, as text, and the count of changes when it was written. */
  text: string;
  at: number;
}

export class Recordings {
  readonly #entries = new Map<string, Entry>();
  readonly #readers = new Map<string, Readers>();

  /** `max`: the number of recordings to keep. `firstComparison`: the first replay to compare with a new trace. */
  constructor(
    private readonly max: number,
    private readonly firstComparison: number,
  ) {}

  get all(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Those that a call would find now: with others, `trainable` was something else. */
  get current(): readonly Entry[] {
    const ambient = ambientText();
    return this.all.filter(
      (entry) =>
        entry.ambient === ambient && this.#entries.get(entry.base + this.#frozenText(entry.base)) === entry,
    );
  }

  /** Returns the entry of a signature on `device`; it becomes the one used most recently. */
  find(device: Device, { text, obstacle }: CallSignature): Entry {
    const ambient = ambientText();
    const base = `${deviceKey(device)}, ${text}${ambient}`;
    const key = base + this.#frozenText(base);
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    for (const [other, { captured }] of this.#entries) if (captured?.isLost) this.#forget(other);
    const made: Entry = {
      signature: text,
      base,
      ambient,
      captured: null,
      failures: 0,
      reason: obstacle,
      body: () => null,
      replays: 0,
      nextComparison: this.firstComparison,
      fields: '',
      fieldChanges: 0,
      frozen: [],
      choices: 0,
    };
    this.#entries.set(key, made);
    if (this.#entries.size > this.max) this.#forget(this.#entries.keys().next().value as string);
    return made;
  }

  /** Notes which `trainable` properties a recording of `entry` has read, and what they were: from now on they belong to its key. */
  noteReads(entry: Entry, reads: ReadonlyMap<HasTrainable, boolean | null>): void {
    const { base } = entry;
    const { owners } = this.#readers.get(base) ?? { owners: new Set<HasTrainable>() };
    for (const [owner, value] of reads) if (value !== null) owners.add(owner);
    this.#readers.set(base, { owners, text: '', at: -1 });
    const old = [...this.#entries].find(([, other]) => other === entry)?.[0];
    const key = base + textOf(owners, (owner) => reads.get(owner) ?? owner.trainable);
    if (old === undefined || key === old) return;
    this.#entries.get(key)?.captured?.dispose();
    this.#entries.delete(old);
    this.#entries.set(key, entry);
  }

  dispose(): void {
    for (const { captured } of this.#entries.values()) captured?.dispose();
    this.#entries.clear();
    this.#readers.clear();
  }

  #frozenText(base: string): string {
    const readers = this.#readers.get(base);
    if (!readers) return '';
    if (readers.at !== trainableChanges()) {
      readers.at = trainableChanges();
      readers.text = textOf(readers.owners, (owner) => owner.trainable);
    }
    return readers.text;
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    entry?.captured?.dispose();
    this.#entries.delete(key);
    if (!this.all.some(({ base }) => base === entry?.base)) this.#readers.delete(entry?.base ?? '');
  }
}

/** Names the owners that are not trainable. A recording that has read fewer of them finds the same text where it holds. */
function textOf(owners: ReadonlySet<HasTrainable>, isTrainable: (owner: HasTrainable) => boolean): string {
  const frozen = [...owners].filter((owner) => !isTrainable(owner)).map(identityOf);
  return frozen.length > 0 ? `, not trainable: ${frozen.join()}` : '';
}
