/**
 * @file Runs one random gather through the library and lists the differences from the oracle. It uses no test runner, because
 * a page runs it, too.
 */
import {
  type GatherOptions,
  GradientTape,
  gather,
  IndexOutOfRangeError,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { expectGather, fillValue, type GatherCase } from './gatherCases.ts';

/** Returns the differences, in words; empty if there are none. */
export async function checkGather(sample: GatherCase): Promise<string[]> {
  const expected = expectGather(sample);
  const differences: string[] = [];
  const held: Tensor[] = [];
  const make = (t: Tensor) => {
    held.push(t);
    return t;
  };
  const x = make(tensor(Float32Array.from(sample.x), { shape: sample.xShape }) as Tensor);
  const indices = make(
    tensor(Float64Array.from(sample.indices), { shape: sample.indexShape, dtype: sample.dtype }),
  );
  const cotangent = make(tensor(Float32Array.from(sample.cotangent), { shape: expected.shape }) as Tensor);
  try {
    const tape = new GradientTape();
    tape.watch(x);
    const y = make(gather(x, indices, optionsOf(sample)));
    const gradient = make(tape.gradient(y, x, { outputGradients: cotangent }) as Tensor);
    if (y.shape.join() !== expected.shape.join())
      differences.push(`shape [${y.shape}] for [${expected.shape}]`);
    if (y.kerasHistory?.operation.name !== 'gather') differences.push('no history');
    await compareFault(sample, expected, y, differences);
    compare('values', await y.data(), expected.values, differences);
    // Eighths up to 8, at most a few dozen of them in a row: exact in float32, in any order.
    compare('gradient', await gradient.data(), expected.gradient, differences);
  } finally {
    for (const t of held) t.dispose();
  }
  return differences;
}

function optionsOf({ axis, batchDims, mode }: GatherCase): GatherOptions {
  if (mode === 'validated') return { axis, batchDims };
  if (mode === 'unchecked') return { axis, batchDims, validateIndices: false };
  return { axis, batchDims, mode, ...(mode === 'fill' ? { fillValue } : {}) };
}

/** The first readback reports the fault, if there is one; later ones are clean. */
async function compareFault(
  { mode }: GatherCase,
  { fault, shape }: ReturnType<typeof expectGather>,
  y: Tensor,
  differences: string[],
): Promise<void> {
  const found = await y.data().then(
    () => null,
    (error: unknown) => error,
  );
  // If there is nothing to gather, nothing is launched, and no fault is found.
  const empty = shape.includes(0);
  if (!fault || (empty && found === null)) {
    if (found) differences.push(`found ${String(found)} in mode ${mode}`);
    return;
  }
  if (!(found instanceof IndexOutOfRangeError)) {
    differences.push(`found ${String(found)} instead of the fault at [${fault.position}]`);
    return;
  }
  const { position, index, limit, axis } = found;
  const report = JSON.stringify({ position, index, limit, axis });
  if (report !== JSON.stringify(fault))
    differences.push(`found ${report} instead of ${JSON.stringify(fault)}`);
}

function compare(
  what: string,
  actual: ArrayLike<number>,
  expected: readonly number[],
  differences: string[],
): void {
  if (actual.length !== expected.length) {
    differences.push(`${what}: ${actual.length} for ${expected.length}`);
    return;
  }
  for (let i = 0; i < expected.length; i++) {
    if (actual[i] !== expected[i] && !(actual[i] === 0 && expected[i] === 0)) {
      differences.push(`${what}[${i}]: ${actual[i]} for ${expected[i]}`);
    }
  }
}
