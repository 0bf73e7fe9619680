/**
 * @file compile: a function of tensors whose launches are recorded once for each signature and then replayed. The
 * JavaScript between them, the tape's included, runs only when a call is recorded.
 */
import { DeviceError, TapeError } from '../core/errors.ts';
import { mapNest, type Nest } from '../core/nest.ts';
import { checkOptions, rejectExtraArguments } from '../core/options.ts';
import { atOnce, type Pieces } from '../core/pieces.ts';
import { describe, requireInteger } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { notingTrainable } from '../core/trainableReads.ts';
import { getDevice, withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { currentExecutor } from '../execution/currentExecutor.ts';
import { outputSearch } from '../ops/define/outputSearch.ts';
import { activeRecorders, isAbstract } from '../ops/define/recorders.ts';
import { isPromise } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { recordCall } from './capturedCall.ts';
import { frozenWarning } from './frozenValues.ts';
import { type CallBody, type Entry, Recordings } from './recordings.ts';
import { fieldsOf, signatureOf } from './signature.ts';

export interface CompileOptions {
  /** The function's name in errors and reports. Default: its own name. */
  name?: string;
  /** Recordings to keep: beyond that number, the one used least recently is freed. Default 16. */
  maxSignatures?: number;
}

/** The state of one signature of a compiled function. */
export interface CaptureReport {
  signature: string;
  captured: boolean;
  /** Why it isn't captured; null if it is. */
  reason: string | null;
  /** Launches of one run; 0 where it isn't captured. */
  launches: number;
  /** Bytes of intermediate results, as planned. */
  bytes: number;
  /** The maximum number of bytes of intermediate results in use at a time: the lower bound of any plan. */
  minBytes: number;
  /** Values of the recording that its JavaScript would now compute differently, as far as comparisons found any. */
  frozen: readonly string[];
}

/** A compiled function, called like the original. */
export interface CompiledFunction<A extends readonly unknown[], R> {
  (...args: A): R;
  /** What was captured, or why not. If the last call ran inside something that prevents capturing, the last entry says so. */
  explain(): CaptureReport[];
  /** Frees what the captures hold. The function can be called again, and is captured again. */
  dispose(): void;
  [Symbol.dispose](): void;
}

const nothingLaunched = { launches: 0, bytes: 0, minBytes: 0 };

/** After this many recordings that can't be replayed, calls of a signature run uncaptured. */
const maxAttempts = 3;

/** When replays are compared with a new trace. */
export interface ComparisonPolicy {
  /** Whether to compare at calls 2, 16, 64, 256 and so on; otherwise only when `compareNow` is called. */
  readonly isScheduled: boolean;
}

/** The comparison at call 2 finds values that change with every call; later ones find values that change occasionally. */
const firstComparisons = [1, 15] as const;
/** The growth of the interval between later comparisons: their share of the cost tends to zero. */
const comparisonGrowth = 4;
/** The maximum number of comparisons made because fields changed: fields that change at every call don't affect the recording. */
const maxFieldComparisons = 3;

/** A compiled function as the library uses it. */
export interface ComparedFunction<A extends readonly unknown[], R> extends CompiledFunction<A, R> {
  /** A call, in pieces: the first one runs the function, and if it is recorded, further ones prepare its replays. */
  inPieces(...args: A): Pieces<R>;
  /** Compares each recording that was replayed with a new trace. Findings are printed and included in `reports`. */
  compareNow(): void;
  /** The result of `explain`, without a comparison. */
  reports(): CaptureReport[];
  /** Why calls of some signature will never be captured; null if all are, or still may be. */
  givenUp(): string | null;
}

/**
 * Returns a function that computes what `fn` does, to the same bits, with almost no JavaScript: the launches of a call are
 * recorded once per signature and replayed with new inputs. `fn` takes and returns tensors, or arrays and plain objects
 * of them.
 *
 * The signature of a call is its device, the structure of its arguments with the names and the order of properties, the
 * shape and dtype of each tensor and which of them are the same tensor, the identity of variables, functions and objects
 * of classes (`this` included), and the value of everything else; also `trainable` of the variables and layers whose flag
 * `fn` reads, as tapes do, and the training flag of a layer call around it.
 *
 * Inside `fn`, variables stay live, including assignments to them. Other tensors from outside and host values are constants:
 * they stay as they were when the call was recorded, and so do numbers and branches. Calls 2, 16, 64, 256 and so on,
 * the first call after a visible field of an object of a class changed, and `explain()` run the JavaScript of `fn` once
 * more, without launching anything, and compare: a warning names each difference once, with its line. Random ops without
 * a seed draw new numbers at each call. A validated gather reports its faults as usual. JavaScript effects happen only
 * when a call is recorded or compared, except those in `onReplay`.
 * Results are new tensors: a result that shared the values of a variable keeps its values at the time of the call.
 *
 * `fn` runs uncaptured if it can't be replayed, and `explain()` says why: it creates variables, keeps tensors beyond the
 * call, computes on two devices, or takes a typed array, Map, Set or Date, whose contents may change. It also runs
 * uncaptured while an outer tape records, inside another compiled function, and under `checkNumerics`.
 * Errors: TapeError for an `fn` that isn't a function, that is async, or that reads values back; ValueError for invalid
 * options; DeviceError for arguments on two devices.
 */
export function compile<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  options: CompileOptions = {},
  ...extra: never[]
): CompiledFunction<A, R> {
  rejectExtraArguments('compile', extra, ['fn', 'options']);
  return compileCompared(fn, options, { isScheduled: true });
}

/** `compile`, with a choice of when recordings are compared with a new trace. */
export function compileCompared<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  options: CompileOptions,
  policy: ComparisonPolicy,
): ComparedFunction<A, R> {
  requireFunction(fn);
  checkOptions('compile', options, ['name', 'maxSignatures']);
  const { name, maxSignatures = 16 } = options;
  requireInteger('compile', 'maxSignatures', maxSignatures, 1);
  const label = name ?? (fn.name || 'compiled');
  const recordings = new Recordings(maxSignatures, policy.isScheduled ? firstComparisons[0] : Infinity);
  let surroundings: string | null = null;

  /** Runs a call, in pieces if it has to be recorded. */
  function begin(self: unknown, args: A): { value: R } | Pieces<R> {
    const plainly = () => ({ value: requireSync(label, Reflect.apply(fn, self, args) as R) });
    const mode = currentExecutor()?.mode;
    surroundings = whatRunsAround(mode);
    if (surroundings) return plainly();
    const signature = signatureOf(self, args);
    // Mapped tensors can't be inputs of a recording. Compile outside of vmap instead: compile(vmap(f)).
    if (signature.tensors.some(isAbstract)) return plainly();
    const device = deviceOf(label, signature.tensors);
    const { inputs, objects } = signature;
    const record = () => {
      const template = templateOf(args, inputs);
      const body: CallBody = (proxies) =>
        requireSync(label, Reflect.apply(fn, self, fillIn(template, proxies))) as Nest<unknown>;
      const run = () => withDevice(device, () => recordCall(device, label, inputs, body));
      const { result, reads } = notingTrainable(run);
      return { body, reads, ...result };
    };
    // A dry run only collects the launches; there is nothing to replay.
    if (mode === 'dry run') return signature.obstacle ? plainly() : { value: record().value as R };
    const entry = recordings.find(device, signature);
    const choices = device.selectionVersion;
    if (entry.captured && entry.choices !== choices) {
      entry.captured.dispose();
      entry.captured = null;
    }
    if (entry.captured) {
      const { captured } = entry;
      const result = captured.run(inputs);
      if (result) {
        if (isComparisonDue(entry, objects)) compareWithTrace(label, entry);
        return result as { value: R };
      }
      // A variable shares its values with an outer tensor, so they must not be overwritten. Record again.
      captured.dispose();
      entry.captured = null;
    }
    if (signature.obstacle || isGivenUp(entry)) return plainly();
    return (function* () {
      const { value, preparation, obstacle, body, reads } = record();
      recordings.noteReads(entry, reads);
      Object.assign(entry, { body, choices, fields: fieldsOf(objects), reason: obstacle });
      if (preparation) entry.captured = yield* preparation;
      else entry.failures++;
      return value as R;
    })();
  }

  function call(this: unknown, ...args: A): R {
    const begun = begin(this, args);
    return 'value' in begun ? begun.value : atOnce(begun);
  }

  function* inPieces(...args: A): Pieces<R> {
    const begun = begin(undefined, args);
    return 'value' in begun ? begun.value : yield* begun;
  }

  const dispose = () => recordings.dispose();
  const reports = () => [
    ...recordings.all.map(({ signature, captured, reason, frozen }) => ({
      signature,
      captured: captured !== null,
      reason,
      ...(captured?.size ?? nothingLaunched),
      frozen,
    })),
    ...(surroundings
      ? [{ signature: 'any', captured: false, reason: surroundings, ...nothingLaunched, frozen: [] }]
      : []),
  ];
  const compareNow = () => {
    // While something else records, a trace would become part of that recording.
    if (currentExecutor()?.mode !== 'eager' || activeRecorders().length > 0) return;
    for (const entry of recordings.current) if (entry.replays > 0) compareWithTrace(label, entry);
  };
  const explain = () => {
    compareNow();
    return reports();
  };
  Object.defineProperty(call, 'name', { value: label });
  const givenUp = () => recordings.all.find(isGivenUp)?.reason ?? null;
  return Object.assign(call, {
    explain,
    reports,
    compareNow,
    givenUp,
    inPieces,
    dispose,
    [Symbol.dispose]: dispose,
  });
}

/** Returns what prevents capturing a call in its current context; null if nothing does. */
function whatRunsAround(mode: string | undefined): string | null {
  if (mode === 'captured') return 'it was called inside another compiled function';
  if (mode === 'encoded') return 'its launches went to the encoder of an app';
  if (activeRecorders().length > 0)
    return 'a tape outside recorded: make the tape inside the function, or dispose of it before the call';
  return outputSearch() ? 'checkNumerics or an inspection looked at every output' : null;
}

function isGivenUp({ failures }: Entry): boolean {
  return failures >= maxAttempts;
}

/** Returns whether the replay that has just run is to be compared with a new trace. */
function isComparisonDue(entry: Entry, objects: readonly object[]): boolean {
  const isDue = ++entry.replays === entry.nextComparison;
  if (isDue) entry.nextComparison = comparisonAfter(entry.replays);
  if (objects.length === 0 || entry.fieldChanges >= maxFieldComparisons) return isDue;
  const fields = fieldsOf(objects);
  if (fields === entry.fields) return isDue;
  entry.fields = fields;
  entry.fieldChanges++;
  return true;
}

/** Returns the number of the next replay to compare, after replay `replays`. The first call isn't a replay. */
function comparisonAfter(replays: number): number {
  const [first, second] = firstComparisons;
  return replays === first ? second : comparisonGrowth * (replays + 1) - 1;
}

/** Reports what the recording of `entry` froze. Once something was reported, it isn't compared again. */
function compareWithTrace(label: string, entry: Entry): void {
  const { captured, body } = entry;
  if (!captured || captured.isLost || entry.frozen.length > 0) return;
  const found = captured.findFrozen(body);
  if (found.length === 0) return;
  entry.frozen = found.map(({ what, where }) => (where ? `${what}, at ${where}` : what));
  console.warn(`retrograd: ${frozenWarning(label, found)}`);
}

/** Placeholder for an input in the arguments of a call. */
class InputPlace {
  constructor(readonly index: number) {}
}

/** Returns the arguments without the tensors that each call rebinds, which a recording must not keep alive. */
function templateOf(args: readonly unknown[], inputs: readonly Tensor[]): Nest<unknown> {
  const places = new Map<unknown, InputPlace>(inputs.map((input, i) => [input, new InputPlace(i)]));
  return mapNest(args as Nest<unknown>, (leaf) => places.get(leaf) ?? leaf);
}

function fillIn(template: Nest<unknown>, proxies: readonly Tensor[]): readonly unknown[] {
  const given = mapNest(template, (leaf) => (leaf instanceof InputPlace ? proxies[leaf.index] : leaf));
  return given as readonly unknown[];
}

/**
 * Returns the device of a call's tensors, or the current one where it has none. Errors: DeviceError for tensors of two devices.
 */
function deviceOf(label: string, tensors: readonly Tensor[]): Device {
  const { device } = tensors[0] ?? { device: getDevice() };
  const foreign = tensors.find((tensor) => tensor.device !== device);
  if (!foreign) return device;
  throw new DeviceError({
    op: label,
    rule: 'the tensors of one call must live on one device.',
    received: `${formatSpec(tensors[0] as Tensor)} and ${formatSpec(foreign)} on two devices`,
    hint: 'read the values of one and upload them to the device of the other.',
  });
}

function requireFunction(fn: unknown): void {
  if (typeof fn === 'function') return;
  throw new TapeError({
    op: 'compile',
    rule: 'it compiles a function of tensors.',
    received: describe(fn),
    hint: 'call compile((x) => ...).',
  });
}

function requireSync<R>(label: string, value: R): R {
  if (!isPromise(value)) return value;
  throw new TapeError({
    op: label,
    rule: 'a compiled function is synchronous: its launches are replayed without waiting.',
    received: 'a function that returned a Promise',
    hint: 'return tensors, and await their values outside.',
  });
}
