/** @file Trials: the launches of a probe on scratch memory, to be timed. */
import { compileAhead } from '../webgpu/compileAhead.ts';
import { copyWith } from '../webgpu/copyWith.ts';
import type { Device } from '../webgpu/device.ts';
import { bindingsOf, isReadOnly } from '../webgpu/kernel.ts';
import { type Command, type PreparedLaunch, rangesOf } from '../webgpu/command.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

/** Memory that trials share. Only inputs have defined values: noise. */
export class Scratch {
  readonly #all: Storage[] = [];
  readonly #inputs: Storage[] = [];
  readonly #free: Storage[] = [];
  #noise: Storage | null = null;

  constructor(private readonly device: Device) {}

  /** Returns a range of `bytes` with noise, reused by every trial. */
  input(bytes: number, position: number): Storage {
    const known = this.#inputs[position];
    if (known && known.bytes >= bytes) return known;
    const made = this.#make(bytes);
    this.#fill(made);
    this.#inputs[position] = made;
    return made;
  }

  take(bytes: number): Storage {
    const fits = this.#free.findIndex(
      (storage) => storage.bytes >= bytes && storage.bytes <= 2 * bytes + 4096,
    );
    return fits < 0 ? this.#make(bytes) : (this.#free.splice(fits, 1)[0] as Storage);
  }

  give(storage: Storage): void {
    this.#free.push(storage);
  }

  release(): void {
    for (const storage of this.#all.splice(0)) storage.release();
  }

  #make(bytes: number): Storage {
    const storage = this.device.eager.allocate(bytes, 'tune');
    this.#all.push(storage);
    return storage;
  }

  #fill(target: Storage): void {
    const { stream } = this.device;
    if (!this.#noise) {
      this.#noise = this.device.upload(noise(), 'tune');
      this.#all.push(this.#noise);
    }
    for (let at = 0; at < target.bytes; at += noiseBytes) {
      const bytes = Math.min(noiseBytes, target.bytes - at) & ~3;
      if (bytes > 0)
        stream.copy(this.#noise.buffer, this.#noise.offset, target.buffer, target.offset + at, bytes);
    }
  }
}

const noiseBytes = 2 ** 18;

/** Words that are numbers of both signs near 1, both as float32 and as two float16. */
function noise(): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(noiseBytes / 4);
  let state = 1;
  for (let i = 0; i < words.length; i++) {
    // Numerical Recipes, a linear congruential generator: the upper bits are good enough to multiply by.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const float16 = 0x3c00 | ((state >>> 31) << 15) | ((state >>> 16) & 0x3ff);
    words[i] = (float16 << 16) | float16;
  }
  return words;
}

/** Returns whether `commands` can run on scratch memory: those that report faults can't, since no call would own the fault. */
export function canTry(commands: readonly Command[]): boolean {
  return commands.every((command) => command.kind === 'copy' || !command.fault);
}

/** The launches of one candidate, ready to run. */
export class Trial {
  constructor(
    readonly name: string,
    private readonly device: Device,
    private readonly commands: readonly Command[],
  ) {}

  /** Compiles missing pipelines, and allocates memory for the launches. */
  static async prepare(
    device: Device,
    scratch: Scratch,
    name: string,
    commands: readonly Command[],
  ): Promise<Trial> {
    await compileAll(device, commands);
    return new Trial(name, device, assigned(device, scratch, commands));
  }

  /** Appends the launches to the device's stream. */
  run(): void {
    const { device } = this;
    for (const command of this.commands) {
      if (command.kind === 'launch') device.eager.run(command);
      else copyWith(device.eager, command.source, command.target, command.bytes);
    }
  }
}

/** Compiles the pipelines of `commands` in parallel. Errors: DeviceError for a kernel that doesn't compile. */
async function compileAll(device: Device, commands: readonly Command[]): Promise<void> {
  const compiling: Promise<void>[] = [];
  for (const command of commands) {
    if (command.kind === 'copy') continue;
    compileAhead(device.pipelines, command.kernel, command.options, (ready) => compiling.push(ready));
  }
  await Promise.all(compiling);
}

/** Returns the commands on scratch memory. Ranges that aren't in use at the same time share it. */
function assigned(device: Device, scratch: Scratch, commands: readonly Command[]): Command[] {
  const lastUse = new Map<string, number>();
  const keys = new RangeKeys();
  commands.forEach((command, i) => {
    for (const range of rangesOf(command)) lastUse.set(keys.of(range), i);
  });
  const assignments = new Map<string, { storage: Storage; isInput: boolean }>();
  let inputs = 0;
  const rangeOf = (range: BoundRange, isRead: boolean): BoundRange => {
    const key = keys.of(range);
    const known = assignments.get(key);
    const assignment = known ?? {
      storage: isRead ? scratch.input(range.bytes, inputs++) : scratch.take(range.bytes),
      isInput: isRead,
    };
    assignments.set(key, assignment);
    return { buffer: assignment.storage.buffer, offset: assignment.storage.offset, bytes: range.bytes };
  };
  const result = commands.map((command, i): Command => {
    let made: Command;
    if (command.kind === 'copy') {
      const { source, target } = command;
      made = { ...command, source: rangeOf(source, true), target: rangeOf(target, false) };
    } else {
      made = assignedLaunch(device, command, rangeOf);
    }
    for (const range of rangesOf(command)) {
      const key = keys.of(range);
      const assignment = assignments.get(key);
      if (!assignment || assignment.isInput || lastUse.get(key) !== i) continue;
      scratch.give(assignment.storage);
      lastUse.delete(key);
    }
    return made;
  });
  // Candidates run one after the other, so the next one may use the same memory.
  return result;
}

function assignedLaunch(
  { pipelines }: Device,
  launch: PreparedLaunch,
  rangeOf: (range: BoundRange, isRead: boolean) => BoundRange,
): PreparedLaunch {
  const { kernel, options } = launch;
  const types = Object.values(bindingsOf(kernel, options));
  const pipeline = pipelines.get(kernel, options);
  const ranges = launch.ranges.map((range, i) => rangeOf(range, isReadOnly(types[i] as never)));
  return { ...launch, pipeline, ranges, attribution: null };
}

/** Keys of ranges. Placeholders all have the same id, so ranges are identified by their buffer objects. */
class RangeKeys {
  readonly #buffers = new Map<object, number>();

  of({ buffer, offset }: BoundRange): string {
    const number = this.#buffers.get(buffer) ?? this.#buffers.size;
    this.#buffers.set(buffer, number);
    return `${number}+${offset}`;
  }
}
