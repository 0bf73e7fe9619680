/**
 * @file Gather, three ways: validated on the device (the default), unchecked, and through a new tensor created on the host.
 * For each: whether there is a history and a gradient, whether it is correct, what happens with a bad index, and the cost.
 */
import {
  explainHistory,
  freshTensor,
  GradientTape,
  gather,
  gatherOnHost,
  getDevice,
  IndexOutOfRangeError,
  init,
  mul,
  randomNormal,
  sum,
  type Tensor,
  tensor,
} from 'retrograd';

type Way = (x: Tensor, indices: Tensor) => Tensor | Promise<Tensor>;

export const ways: Record<string, Way> = {
  validated: (x, indices) => gather(x, indices),
  unchecked: (x, indices) => gather(x, indices, { validateIndices: false }),
  fresh: async (x, indices) => freshTensor(await gatherOnHost(x, indices)),
};

export interface Finding {
  way: string;
  history: string;
  gradient: string;
  badIndex: string;
  /** Milliseconds per gather (median), with the values on the device at the end. */
  milliseconds: number;
  /** Bytes that cross between device and host for one gather. */
  bytesToHost: number;
  bytesToDevice: number;
}

/** Sizes of the table, and of the look-up. */
export interface Sizes {
  rows: number;
  width: number;
  count: number;
}

/** The results of the example on this device. */
export async function findings(
  { rows, width, count }: Sizes = { rows: 4096, width: 64, count: 2048 },
): Promise<Finding[]> {
  await init();
  const x = randomNormal([rows, width], { seed: 1 });
  const picked = Array.from({ length: count }, (_, i) => (i * 7919) % rows);
  const indices = tensor(Int32Array.from(picked));
  const found: Finding[] = [];
  for (const [way, run] of Object.entries(ways)) {
    const throughHost = way === 'fresh';
    found.push({
      way,
      ...(await historyAndGradient(run, x, indices, picked)),
      badIndex: await withBadIndex(run, x),
      milliseconds: await timed(run, x, indices),
      bytesToHost: throughHost ? x.bytes + indices.bytes : 0,
      bytesToDevice: throughHost ? count * width * 4 : 0,
    });
  }
  return found;
}

async function historyAndGradient(
  run: Way,
  x: Tensor,
  indices: Tensor,
  picked: readonly number[],
): Promise<{ history: string; gradient: string }> {
  using tape = new GradientTape();
  tape.watch(x);
  const y = await run(x, indices);
  const loss = sum(mul(y, y));
  const gradient = tape.gradient(loss, x);
  const history = y.kerasHistory
    ? `made by '${y.kerasHistory.operation.name}'`
    : `none (${explainHistory(y).cause})`;
  if (!gradient) return { history, gradient: `null (${tape.explain(loss, x).disconnectedAt?.cause})` };
  const error = worstError(await x.data(), await gradient.data(), picked, x.shape[1] as number);
  return { history, gradient: error === 0 ? 'exact' : `right to ${error.toExponential(0)}` };
}

/** Error against float64, relative to the largest element: the gradient of Σ y² is 2 · (how often the row was read) · x. */
function worstError(
  x: ArrayLike<number>,
  gradient: ArrayLike<number>,
  picked: readonly number[],
  width: number,
): number {
  const reads = new Float64Array(x.length / width);
  for (const row of picked) reads[row] = (reads[row] as number) + 1;
  let worst = 0;
  let largest = 0;
  for (let i = 0; i < x.length; i++) {
    const exact = 2 * (reads[Math.floor(i / width)] as number) * (x[i] as number);
    worst = Math.max(worst, Math.abs(exact - (gradient[i] as number)));
    largest = Math.max(largest, Math.abs(exact));
  }
  return worst / largest;
}

/** Reads one row beyond the table, and describes the outcome. */
async function withBadIndex(run: Way, x: Tensor): Promise<string> {
  const rows = x.shape[0] as number;
  try {
    const y = await run(x, tensor([0, rows], { dtype: 'int32' }));
    const values = await y.data();
    const bad = Array.from(values.slice(values.length / 2));
    return bad.every((value) => value === 0) ? 'reads as zeros, silently' : `reads as ${bad[0]}`;
  } catch (error) {
    if (!(error instanceof IndexOutOfRangeError)) throw error;
    return `named: index ${error.index} at [${error.position}], range [0, ${error.limit})`;
  }
}

async function timed(run: Way, x: Tensor, indices: Tensor): Promise<number> {
  const device = getDevice();
  const times: number[] = [];
  // The first rounds compile the kernels.
  for (let round = 0; round < 13; round++) {
    const start = performance.now();
    const y = await run(x, indices);
    await device.sync();
    if (round >= 3) times.push(performance.now() - start);
    y.dispose();
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

/** The results as a table of lines. */
export function table(found: readonly Finding[]): string[] {
  const bytes = (n: number) => (n === 0 ? '0' : `${(n / 1024).toFixed(0)} KiB`);
  const head = ['', 'history', 'gradient', 'a bad index', 'ms', 'to host', 'to device'];
  const rows = found.map((f) => [
    f.way,
    f.history,
    f.gradient,
    f.badIndex,
    f.milliseconds.toFixed(2),
    bytes(f.bytesToHost),
    bytes(f.bytesToDevice),
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] as string).length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd(),
  );
}

export async function run(print: (line: string) => void, sizes?: Sizes): Promise<Finding[]> {
  const found = await findings(sizes);
  const { adapter } = getDevice();
  print(
    `gather, three ways, on ${[adapter.vendor, adapter.architecture, adapter.description].filter(Boolean).join(' ')}`,
  );
  print('');
  for (const line of table(found)) print(line);
  print('');
  print('What the library says of the fresh tensor:');
  using tape = new GradientTape();
  const x = tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { name: 'x' },
  );
  tape.watch(x);
  const h = mul(x, 2);
  const fresh = freshTensor(await gatherOnHost(h, tensor([1], { dtype: 'int32' })));
  for (const line of tape.explain(sum(fresh), x).text.split('\n')) print(`  ${line}`);
  return found;
}
