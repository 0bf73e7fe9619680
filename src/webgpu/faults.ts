/**
 * @file The device's fault words. A validating launch takes a slot; every readback copies the slots taken since the
 * last one, in the same submission, and turns what they hold into errors.
 */
import { decodeFault, wordsPerSlot } from '../../shaders/lib/fault.ts';
import { NonFiniteError, type RetrogradError } from '../core/errors.ts';
import { BufferUsage } from './flags.ts';
import { adoptBuffer, type DeviceBuffer } from './pool.ts';

/** What a validating launch leaves behind, so that its fault can be told. */
export interface FaultReport {
  /** Positions of the launch: the flat size of the indices. At most 2^31 - 1. */
  count: number;
  /** Builds the error for the flat position and the 32 bits of the offending value. */
  raise(position: number, value: number): RetrogradError;
}

const slots = 256;

export class FaultWords {
  readonly buffer: DeviceBuffer;
  #reports: FaultReport[] = [];

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
    return this.#reports.length === slots;
  }

  /** Bytes that hold reports not yet collected. */
  get bytesTaken(): number {
    return this.#reports.length * wordsPerSlot * 4;
  }

  /** A slot for one launch. */
  take(report: FaultReport): number {
    this.#reports.push(report);
    return this.#reports.length - 1;
  }

  /** Hands out the reports of the slots taken so far; the caller copies and clears the words in the same stream. */
  collect(): FaultReport[] {
    const reports = this.#reports;
    this.#reports = [];
    return reports;
  }
}

/** The errors that copied fault words hold, in launch order. */
export function decodeFaults(words: Uint32Array, reports: readonly FaultReport[]): RetrogradError[] {
  const errors: RetrogradError[] = [];
  reports.forEach((report, slot) => {
    const fault = decodeFault(words.subarray(slot * wordsPerSlot, (slot + 1) * wordsPerSlot), report.count);
    if (fault) errors.push(report.raise(fault.position, fault.value));
  });
  return errors;
}

/** Errors named in the message of one that stands for several. */
const maxNamed = 8;

/** One error for several that came at once: the first, which tells of the rest in its message and its `others`. */
export function joinErrors(errors: readonly RetrogradError[]): RetrogradError | null {
  const [first, ...others] = withoutConsequences(errors);
  if (!first || others.length === 0) return first ?? null;
  const named = others
    .slice(0, maxNamed)
    .map(({ op, rule }) => `\n    ${op ? `${op}: ` : ''}${rule.split('\n')[0]}`);
  const rest = others.length > maxNamed ? `\n    and ${others.length - maxNamed} more` : '';
  const count = others.length === 1 ? '1 more error' : `${others.length} more errors`;
  first.others = others;
  first.message += `\n  with ${count}, in \`others\`:${named.join('')}${rest}`;
  return first;
}

/** A NaN spoils all that is computed from it: the first finding is told, and those after it would only repeat it. */
function withoutConsequences(errors: readonly RetrogradError[]): RetrogradError[] {
  const first = errors.findIndex((error) => error instanceof NonFiniteError);
  return errors.filter((error, i) => i <= first || !(error instanceof NonFiniteError));
}
