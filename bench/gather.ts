/**
 * @file Gather: validated on the device, unchecked, and through a new tensor created on the host, forward and with gradient.
 * Tables of 1 k to 1 M rows, widths of 1 to 1024, uniform, Zipf and equal indices.
 */
import {
  freshTensor,
  GradientTape,
  gather,
  gatherOnHost,
  getDevice,
  randomNormal,
  type Tensor,
  tensor,
  tidy,
} from 'retrograd';
import { seeded } from './host.ts';
import type { Timed } from './measure.ts';
import type { PreparedComparison, ComparisonRow, Workload } from './comparison.ts';

type Distribution = 'uniform' | 'zipf' | 'equal';

interface Sizes {
  rows: number;
  width: number;
  count: number;
}

/** The largest number of bytes that a gather should move, so that a software adapter finishes all rows in minutes. */
const maxBytes = 8 * 2 ** 20;
/** Larger tables don't fit on all devices. */
const largestTable = 128 * 2 ** 20;

const tables: Sizes[] = [1_000, 32_000, 1_000_000].flatMap((rows) =>
  [1, 16, 64, 1024]
    .filter((width) => rows * width * 4 <= largestTable)
    .map((width) => ({ rows, width, count: Math.min(65_536, Math.floor(maxBytes / (width * 4))) })),
);

/** Zipf with exponent 1, by inverting its (continuous) distribution function: rank = rows^u. */
function draw(distribution: Distribution, { rows, count }: Sizes): Int32Array {
  const random = seeded(rows + count);
  return Int32Array.from({ length: count }, () => {
    if (distribution === 'equal') return rows >> 1;
    if (distribution === 'zipf') return Math.min(rows - 1, Math.floor(rows ** random()) - 1);
    return Math.floor(random() * rows);
  });
}

const wait = () => getDevice().sync();

function forward(x: Tensor, indices: Tensor, validateIndices: boolean): Timed {
  return { run: () => gather(x, indices, { validateIndices }).dispose(), wait };
}

function withGradient(x: Tensor, indices: Tensor, validateIndices: boolean): Timed {
  const run = () =>
    tidy(() => {
      const tape = new GradientTape();
      tape.watch(x);
      tape.gradient(gather(x, indices, { validateIndices }), x);
    });
  return { run, wait };
}

/** There is no gradient on this path, so its row with gradient is left out. */
function fresh(x: Tensor, indices: Tensor): Timed {
  return { run: async () => freshTensor(await gatherOnHost(x, indices)).dispose(), wait };
}

async function check(x: Tensor, indices: Tensor, picked: Int32Array, { width }: Sizes): Promise<void> {
  const [table, read] = [await x.data(), await gather(x, indices).data()];
  for (let i = 0; i < read.length; i++) {
    const expected = table[(picked[Math.floor(i / width)] as number) * width + (i % width)];
    if (read[i] !== expected) throw new Error(`gather is wrong at ${i}: ${read[i]} for ${expected}`);
  }
}

function row(sizes: Sizes, distribution: Distribution, backward: boolean): ComparisonRow {
  const { rows, width, count } = sizes;
  return {
    name: `gather ${rows}x${width}, ${count} ${distribution}${backward ? ', with gradient' : ''}`,
    async prepare(): Promise<PreparedComparison> {
      const picked = draw(distribution, sizes);
      const x = randomNormal([rows, width], { seed: 1 });
      const indices = tensor(picked);
      await check(x, indices, picked, sizes);
      const make = backward ? withGradient : forward;
      return {
        alternatives: {
          unchecked: make(x, indices, false),
          validated: make(x, indices, true),
          ...(backward ? {} : { fresh: fresh(x, indices) }),
        },
        facts: { MiB: ((count * width * 8) / 2 ** 20).toFixed(2) },
        dispose() {
          x.dispose();
          indices.dispose();
        },
      };
    },
  };
}

export const gatherComparison: Workload = {
  name: 'gather, three alternatives',
  baseline: 'unchecked',
  rows: tables.flatMap((sizes) =>
    (['uniform', 'zipf', 'equal'] as const).flatMap((distribution) => [
      row(sizes, distribution, false),
      row(sizes, distribution, true),
    ]),
  ),
};
