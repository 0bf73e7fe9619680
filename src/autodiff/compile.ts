/**
 * @file compile: a function of tensors whose launches are recorded once for each signature, and replayed. The JavaScript
 * between them, the tape's included, runs at the recording alone.
 */
import { TapeError } from '../core/errors.ts';
import { leavesOf, mapNest, type Nest } from '../core/nest.ts';
import { describe } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { type Device, getDevice, withDevice } from '../webgpu/device.ts';
import { activeRecording } from '../webgpu/activeRecording.ts';
import { outputSearch } from '../ops/outputSearch.ts';
import { activeRecorders } from '../ops/recorders.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { type Captured, captureCall } from './capture.ts';

export interface CompileOptions {
  /** What errors and reports call the function. Default: its own name. */
  name?: string;
  /** Signatures that are kept; beyond it the one used least recently is let go. Default 16. */
  maxSignatures?: number;
}

/** What became of one signature of a compiled function. */
export interface CaptureReport {
  signature: string;
  captured: boolean;
  /** Why it runs without being captured; null where it is. */
  reason: string | null;
  /** Launches of one run; 0 where it isn't captured. */
  launches: number;
  /** Bytes of what the launches hand to each other, as planned. */
  bytes: number;
  /** The most bytes that are needed at once: no plan does with less. */
  leastBytes: number;
}

/** A compiled function: called like the one that it was made of. */
export interface CompiledFunction<A extends readonly unknown[], R> {
  (...args: A): R;
  /** What was captured, and why not where it wasn't. */
  explain(): CaptureReport[];
  /** Frees what the captures hold. The function can be called again, and captures anew. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A signature of which so many recordings failed runs without them from then on. */
const maxAttempts = 3;

interface Entry {
  captured: Captured | null;
  failures: number;
  reason: string | null;
  /** Of the choices between variants that it was captured under. */
  choices: number;
}

/**
 * A function that computes what `fn` does with almost no JavaScript: the launches of a call are recorded once per
 * signature (shapes and dtypes of the tensors in its arguments, everything else by value) and replayed with new inputs.
 * `fn` takes and returns tensors, or arrays and plain objects of them; its other arguments and results are constants of
 * the signature.
 *
 * Inside `fn`: variables stay live, their assignments included; other tensors from outside, and host values, are
 * constants as they were at the recording; random ops without a seed draw anew at every call; a validated gather reports
 * its faults as ever. JavaScript effects happen at the recording alone, but for those inside `onReplay`.
 *
 * Runs `fn` plainly where it can't be replayed, and `explain()` says why: it makes variables, keeps tensors beyond the
 * call, or computes on two devices. Also while a tape outside records, inside another compiled function, and under
 * `checkNumerics`.
 * Errors: TapeError for an `fn` that isn't a function, that is async, or that reads values back.
 */
export function compile<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  { name, maxSignatures = 16 }: CompileOptions = {},
): CompiledFunction<A, R> {
  requireFunction(fn);
  const label = name ?? (fn.name || 'compiled');
  const entries = new Map<string, Entry>();

  const call = (...args: A): R => {
    const leaves = leavesOf(args as Nest<unknown>);
    const recording = activeRecording();
    if (recording?.isCapture || activeRecorders().length > 0 || outputSearch()) {
      return requireSync(label, fn(...args));
    }
    const device = deviceOf(leaves);
    const inputs = leaves.filter(isInput);
    const capture = () => {
      const body = (proxies: readonly Tensor[]) => {
        let next = 0;
        const given = mapNest(args as Nest<unknown>, (leaf) => (isInput(leaf) ? proxies[next++] : leaf));
        return requireSync(label, fn(...(given as unknown as A)));
      };
      return withDevice(device, () =>
        captureCall(device, label, inputs, body as (proxies: readonly Tensor[]) => Nest<unknown>),
      );
    };
    // A dry run wants to know which launches there would be. Nothing comes of it that could be replayed.
    if (recording) return capture().value as R;
    const entry = entryOf(entries, signatureOf(leaves), maxSignatures);
    const choices = device.chooser?.version ?? 0;
    if (entry.captured && entry.choices !== choices) {
      entry.captured.dispose();
      entry.captured = null;
    }
    if (entry.captured) {
      const result = entry.captured.run(inputs);
      if (result) return result.value as R;
      // A variable shares its values with a tensor outside: they must not be overwritten. Record anew.
      entry.captured.dispose();
      entry.captured = null;
    }
    if (entry.failures >= maxAttempts) return requireSync(label, fn(...args));
    const { value, captured, obstacle } = capture();
    entry.captured = captured;
    entry.choices = choices;
    entry.reason = obstacle;
    if (!captured) entry.failures++;
    return value as R;
  };

  const dispose = () => {
    for (const { captured } of entries.values()) captured?.dispose();
    entries.clear();
  };
  const explain = () =>
    [...entries].map(([signature, { captured, reason }]) => ({
      signature,
      captured: captured !== null,
      reason,
      ...(captured?.size ?? { launches: 0, bytes: 0, leastBytes: 0 }),
    }));
  return Object.assign(call, { explain, dispose, [Symbol.dispose]: dispose });
}

/** Tensors are rebound at each call; variables are themselves. */
function isInput(leaf: unknown): leaf is Tensor {
  return leaf instanceof Tensor && !(leaf instanceof Variable);
}

function deviceOf(leaves: readonly unknown[]): Device {
  const first = leaves.find((leaf) => leaf instanceof Tensor);
  return first ? (first as Tensor).device : getDevice();
}

/** Objects that aren't nests count by identity. */
const identities = new WeakMap<object, number>();
let nextIdentity = 1;

function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  identities.set(value, nextIdentity);
  return nextIdentity++;
}

function signatureOf(leaves: readonly unknown[]): string {
  let inputs = 0;
  return leaves
    .map((leaf) => {
      if (leaf instanceof Variable) return `variable ${leaf.id}`;
      if (isInput(leaf)) return `${inputs++}: ${formatSpec(leaf)}`;
      if ((typeof leaf === 'object' && leaf !== null) || typeof leaf === 'function')
        return `object ${identityOf(leaf)}`;
      return `${typeof leaf} ${String(leaf)}`;
    })
    .join(', ');
}

function entryOf(entries: Map<string, Entry>, signature: string, max: number): Entry {
  const known = entries.get(signature) ?? { captured: null, failures: 0, reason: null, choices: 0 };
  // The latest stands last.
  entries.delete(signature);
  entries.set(signature, known);
  if (entries.size > max) {
    const [oldest, entry] = entries.entries().next().value as [string, Entry];
    entry.captured?.dispose();
    entries.delete(oldest);
  }
  return known;
}

function requireFunction(fn: unknown): void {
  if (typeof fn === 'function') return;
  throw new TapeError({
    op: 'compile',
    rule: 'what is compiled is a function of tensors.',
    received: describe(fn),
    hint: 'call compile((x) => ...).',
  });
}

function requireSync<R>(label: string, value: R): R {
  if (!(value instanceof Promise)) return value;
  throw new TapeError({
    op: label,
    rule: 'a compiled function is synchronous: its launches are replayed without waiting.',
    received: 'a function that returned a Promise',
    hint: 'return tensors, and await their values outside.',
  });
}
