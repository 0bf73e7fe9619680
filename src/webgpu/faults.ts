/**
 * @file The device's fault words. A validating launch takes a slot; every readback copies the slots taken since the
 * last one, in the same submission, and resolves their checks.
 */
import { decodeFault, wordsPerSlot } from '../../shaders/lib/fault.ts';
import { addToMessage } from '../core/errorMessage.ts';
import { NonFiniteError, type RetrogradError } from '../core/errors.ts';
import { type Check, type FaultReport, FaultTracker } from './faultTracker.ts';
import { BufferUsage } from './flags.ts';
import { adoptBuffer, type DeviceBuffer } from './deviceBuffer.ts';

export type { FaultReport } from './faultTracker.ts';

const slots = 256;

/** The part of the fault words that one readback copies. */
export interface Collection {
  /** Bytes of the slots taken since the last readback. The caller copies and clears them in the same stream. */
  readonly bytes: number;
  /** Receives the copied words; null if the readback failed. */
  resolve(words: Uint32Array | null): void;
  /** Resolves once these words, and those collected before them, are known. */
  readonly resolved: Promise<void>;
}

export class FaultWords {
  readonly buffer: DeviceBuffer;
  readonly tracker = new FaultTracker();
  #pending: Check[] = [];
  /** The checks that the last readback collected. */
  #collected: readonly Check[] = [];
  #slotsTaken = 0;
  #resolved: Promise<void> = Promise.resolve();

  constructor(device: GPUDevice) {
    this.buffer = adoptBuffer(
      device.createBuffer({
        label: 'retrograd fault words',
        size: slots * wordsPerSlot * 4,
        usage: BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST,
      }),
    );
  }

  /** True when the next `take` would find no slot. */
  get full(): boolean {
    return this.#slotsTaken === slots;
  }

  /** Returns a slot for one launch, and its check. */
  take(report: FaultReport): { slot: number; check: Check } {
    const check = this.tracker.begin(report);
    this.#pending.push(check);
    return { slot: this.#slotsTaken++, check };
  }

  /** Checks from `number` on, fewer than there are slots. */
  checksFrom(number: number): readonly Check[] {
    if (number === this.tracker.begun) return none;
    // They are the last ones: looking at all that are pending would make each call slower than the one before.
    return [...lastFrom(this.#collected, number), ...lastFrom(this.#pending, number)];
  }

  /** Checks that repeat those of `originals` that are open. */
  echo(originals: readonly Check[]): readonly Check[] {
    const open = originals.filter((check) => this.tracker.isOpen(check));
    const echoes = open.map((check) => this.tracker.begin(check.report, check));
    this.#pending.push(...echoes);
    return echoes;
  }

  /** Returns the slots taken since the last call. */
  collect(): Collection {
    const pending = this.#pending;
    const bytes = this.#slotsTaken * wordsPerSlot * 4;
    this.#pending = [];
    this.#collected = pending;
    this.#slotsTaken = 0;
    let resolve: Collection['resolve'] = () => {};
    const copied = new Promise<Uint32Array | null>((settle) => {
      resolve = settle;
    });
    if (bytes === 0) resolve(null);
    // In the order of the readbacks, so that checks are resolved in order.
    this.#resolved = Promise.all([copied, this.#resolved]).then(([words]) => this.#resolve(pending, words));
    return { bytes, resolve, resolved: this.#resolved };
  }

  #resolve(checks: readonly Check[], words: Uint32Array | null): void {
    let slot = 0;
    for (const check of checks) {
      const { number, report, echoOf } = check;
      const raise = echoOf ? echoOf.fault?.raise : words && decodeSlot(words, slot++, report);
      if (!raise) continue;
      check.fault = {
        number,
        raise,
        reported: false,
        settledAt: null,
        carriers: 0,
        echoOf: echoOf?.fault ?? null,
      };
    }
    this.tracker.resolve(checks);
  }
}

const none: readonly Check[] = [];

/** Of `checks`, in order, those from `number` on. */
function lastFrom(checks: readonly Check[], number: number): readonly Check[] {
  let first = checks.length;
  while (first > 0 && (checks[first - 1] as Check).number >= number) first--;
  return first === checks.length ? none : checks.slice(first);
}

/** Returns a function that makes the error of the fault in the copied words; null if there is none. */
function decodeSlot(
  words: Uint32Array,
  slot: number,
  { count, raise }: FaultReport,
): (() => RetrogradError) | null {
  const fault = decodeFault(words.subarray(slot * wordsPerSlot, (slot + 1) * wordsPerSlot), count);
  return fault && (() => raise(fault.position, fault.value));
}

/** The maximum number of errors named in the message of a joined error. */
const maxNamed = 8;

/** One error for several that arrived together: the first, which lists the rest in its message and its `others`. */
export function joinErrors(errors: readonly RetrogradError[]): RetrogradError | null {
  const [first, ...following] = withoutConsequences(errors);
  // Readbacks that wait together get the same errors of the device.
  const others = following.filter((error) => !first?.others.includes(error));
  if (!first || others.length === 0) return first ?? null;
  const named = others
    .slice(0, maxNamed)
    .map(({ op, rule }) => `\n    ${op ? `${op}: ` : ''}${rule.split('\n')[0]}`);
  const rest = others.length > maxNamed ? `\n    and ${others.length - maxNamed} more` : '';
  const count = others.length === 1 ? '1 more error' : `${others.length} more errors`;
  first.others = [...first.others, ...others];
  addToMessage(first, `\n  with ${count}, in \`others\`:${named.join('')}${rest}`);
  return first;
}

/** A NaN propagates to everything computed from it: only the first one is reported, since later ones repeat it. */
function withoutConsequences(errors: readonly RetrogradError[]): RetrogradError[] {
  const first = errors.findIndex((error) => error instanceof NonFiniteError);
  return errors.filter((error, i) => i <= first || !(error instanceof NonFiniteError));
}
