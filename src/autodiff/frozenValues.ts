/**
 * @file Finds what a recording froze. The function is traced once more, without launching anything, and its commands are
 * compared with the recorded ones: a number, a constant or a branch that differs was computed from something outside that
 * has changed since.
 */
import type { Command, CopyCommand, PreparedLaunch } from '../webgpu/command.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import type { Device } from '../webgpu/device.ts';
import type { ExecutorHolder, StorageHolder } from '../webgpu/executor.ts';
import { DynamicScalar, type ParamValue } from '../webgpu/params.ts';
import { Storage } from '../webgpu/storage.ts';
import { Capture } from '../execution/capture.ts';
import { userFrame } from '../history/callSite.ts';
import { numberIn } from '../ops/define/scalars.ts';
import { detached } from '../ops/define/recorders.ts';
import { withoutLaunching } from '../ops/define/withoutLaunching.ts';

/** Something that differs between a recording and a later trace. */
export interface FrozenValue {
  readonly kind: 'number' | 'data' | 'tensor' | 'branch';
  /** A description of the difference, for reports. */
  readonly what: string;
  /** File and line of the call that differs. */
  readonly where: string | undefined;
}

/** The maximum number of differences reported: the first ones usually cause the others. */
const maxReported = 3;

/** Returns the differences between `recorded` and a new trace. Errors of the trace end it, and are not thrown. */
export function compareTrace(
  device: Device,
  recorded: Capture,
  trace: (capture: Capture) => void,
): FrozenValue[] {
  const found: FrozenValue[] = [];
  try {
    withoutLaunching(() => {
      const comparison = new Comparison(device, recorded, found);
      try {
        detached(() => trace(comparison));
        comparison.end();
      } finally {
        comparison.release();
      }
    });
  } catch {
    // The recording stays valid; report what was found up to here.
  }
  return found;
}

/** Records and compares each command with that of `recorded`. */
class Comparison extends Capture {
  readonly #recordedHolders: ReadonlyMap<Storage, StorageHolder>;
  readonly #holders = new Map<Storage, StorageHolder>();
  /** Whether the trace ran a different command than was recorded: those that follow can't be compared. */
  #hasDiverged = false;

  constructor(
    holder: ExecutorHolder,
    private readonly recorded: Capture,
    private readonly found: FrozenValue[],
  ) {
    super(holder);
    this.#recordedHolders = new Map([...recorded.variableSlots].map(([variable, slot]) => [slot, variable]));
  }

  override touch(holder: StorageHolder): void {
    super.touch(holder);
    this.#holders.set(this.variableSlots.get(holder) as Storage, holder);
  }

  override run(launch: PreparedLaunch): void {
    super.run(launch);
    this.#compare(launch);
  }

  override copy(source: BoundRange, target: BoundRange, bytes: number): void {
    super.copy(source, target, bytes);
    this.#compare(this.commands.at(-1) as CopyCommand);
  }

  /** Call it after the trace. */
  end(): void {
    if (!this.#hasDiverged && this.commands.length < this.recorded.commands.length)
      this.#diverge('fewer ops run now than were recorded', undefined);
  }

  #compare(now: Command): void {
    if (this.#hasDiverged) return;
    const before = this.recorded.commands[this.commands.length - 1];
    if (!before) this.#diverge(`${nameOf(now)} runs now and wasn't recorded`, userFrame());
    else if (!isSameCommand(before, now))
      this.#diverge(`${nameOf(before)} was recorded where ${nameOf(now)} runs now`, userFrame());
    else {
      if (before.kind === 'launch' && now.kind === 'launch') this.#compareParams(before, now);
      for (const [was, is] of rangesOfBoth(before, now)) this.#compareRange(now, was, is);
    }
  }

  #compareParams(before: PreparedLaunch, now: PreparedLaunch): void {
    for (const [name, is] of Object.entries(now.params)) {
      const was = before.params[name];
      if (show(was) === show(is)) continue;
      this.#noteNumber(now, was, is);
      return;
    }
  }

  #compareRange(now: Command, was: BoundRange, is: BoundRange): void {
    if (was === is || (this.recorded.made.has(was as Storage) && this.made.has(is as Storage))) return;
    if (!(was instanceof Storage && is instanceof Storage)) {
      if (was.buffer !== is.buffer || was.offset !== is.offset) this.#noteTensor(now);
      return;
    }
    const [before, after] = [numberIn(was), numberIn(is)];
    if (before !== undefined && after !== undefined) {
      if (!Object.is(before, after)) this.#noteNumber(now, before, after);
      return;
    }
    const variable = this.#recordedHolders.get(was);
    if (variable && variable === this.#holders.get(is)) return;
    const digest = this.recorded.uploads.get(was);
    if (digest === undefined || !this.uploads.has(is)) this.#noteTensor(now);
    else if (digest !== this.uploads.get(is))
      this.#note('data', `host values that ${nameOf(now)} takes: others in the recording than now`);
  }

  #noteNumber(now: Command, was: ParamValue | undefined, is: ParamValue): void {
    this.#note(
      'number',
      `a number that ${nameOf(now)} takes: ${show(was)} in the recording, ${show(is)} now`,
    );
  }

  #noteTensor(now: Command): void {
    this.#note(
      'tensor',
      `a tensor from outside that ${nameOf(now)} takes: another one in the recording than now`,
    );
  }

  #diverge(what: string, where: string | undefined): void {
    this.#hasDiverged = true;
    // Numbers that differ usually change which launches follow.
    if (this.found.length === 0) this.found.push({ kind: 'branch', what: `a branch: ${what}`, where });
  }

  #note(kind: FrozenValue['kind'], what: string): void {
    if (this.found.length >= maxReported) return;
    const where = userFrame();
    if (!this.found.some((known) => known.kind === kind && known.where === where))
      this.found.push({ kind, what, where });
  }
}

/** What a command runs. A copy has neither; together they say how many ranges are bound. */
type Program = Pick<Command, 'kind'> & Partial<Pick<PreparedLaunch, 'kernel' | 'options'>>;

const isSameCommand = (a: Program, b: Program): boolean =>
  a.kernel === b.kernel && JSON.stringify(a.options) === JSON.stringify(b.options);

function rangesOfBoth(a: Command, b: Command): (readonly [BoundRange, BoundRange])[] {
  const [first, second] = [a, b].map((command) =>
    command.kind === 'launch' ? command.ranges : [command.source, command.target],
  ) as [readonly BoundRange[], readonly BoundRange[]];
  return first.map((range, i) => [range, second[i] as BoundRange] as const);
}

/** Equal for parameters that don't differ: a DynamicScalar may have another value at each replay. */
function show(value: ParamValue | undefined): string {
  if (value instanceof DynamicScalar) return 'a DynamicScalar';
  if (typeof value === 'object') return `[${value.join(', ')}]`;
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Returns the op of a command, and the layer in which it runs. */
function nameOf(command: Command): string {
  if (command.kind === 'copy') return 'a copy';
  const call = command.attribution?.calls[0];
  if (!call) return `'${command.kernel.name}'`;
  const op = call.backward ? `the gradient of '${call.op}'` : `'${call.op}'`;
  return call.layer ? `${op} in layer '${call.layer}'` : op;
}

const fixes: Record<FrozenValue['kind'], string> = {
  number:
    'keep a number that changes in a variable (rate.assign(tensor(0.1))), or pass it as an argument: as a tensor, or as a number, for each of which the function is recorded again; a kernel of your own takes a DynamicScalar',
  data: 'pass host values that change as an argument: tensor(values)',
  tensor: 'pass a tensor that changes as an argument, or keep it in a variable',
  branch:
    'select by values with where(condition, a, b); pass a condition of your own as an argument, for each value of which the function is recorded again',
};

/** Returns the warning about what was frozen in the function `label`. */
export function frozenWarning(label: string, found: readonly FrozenValue[]): string {
  const lines = found.map(({ what, where }) => `  ${what}${where ? `, at ${where}` : ''}`);
  const hints = [...new Set(found.map(({ kind }) => fixes[kind]))];
  return [
    `${label}: its launches were recorded, and each call replays them with what was computed then. Its JavaScript would now compute otherwise:`,
    ...lines,
    `  hint: ${hints.join('; ')}. Host state that changes with each run belongs in onReplay.`,
  ].join('\n');
}
