import {
  freshTensor,
  gather,
  gatherOnHost,
  getDevice,
  GradientTape,
} from 'retrograd';
import {
  explainHistory,
  init,
  mul,
  randomNormal,
  sum,
  tensor,
} from 'retrograd';
import { bars, table } from 'notebook';

const ways = {
  validated: (x, indices) => gather(x, indices),
  unchecked: (x, indices) => gather(x, indices, { validateIndices: false }),
  fresh: async (x, indices) => freshTensor(await gatherOnHost(x, indices)),
};

await init();
const [rows, width, count] = [4096, 64, 2048];
const x = randomNormal([rows, width], { seed: 1 });
const picked = Int32Array.from({ length: count }, (_, i) => (i * 7919) % rows);
const indices = tensor(picked);

const found = [];
for (const [way, run] of Object.entries(ways))
  found.push({ way, ...(await learn(run)), ms: await median(run) });

table(
  found,
  `${count} rows out of ${rows}, each of ${width} numbers, on this device`,
);
bars(
  found.map(({ way, ms }) => ({ name: way, value: ms })),
  'milliseconds, less is better',
);

/** The gradient of Σ y², which is 2 x for each time that a row was read. */
async function learn(run) {
  const tape = new GradientTape();
  try {
    tape.watch(x);
    const y = await run(x, indices);
    const loss = sum(mul(y, y));
    const gradient = tape.gradient(loss, x);
    const history =
      y.kerasHistory?.operation.name ?? `none: ${explainHistory(y).cause}`;
    if (!gradient) return { history, gradient: 'null', correct: '—' };
    return {
      history,
      gradient: 'there',
      correct: (await isRight(gradient)) ? 'yes' : 'no',
    };
  } finally {
    tape.dispose();
  }
}

async function isRight(gradient) {
  const reads = new Array(rows).fill(0);
  for (const row of picked) reads[row]++;
  const [values, given] = [await x.data(), await gradient.data()];
  return given.every((g, i) => {
    const exact = 2 * reads[Math.floor(i / width)] * values[i];
    return Math.abs(g - exact) <= 1e-5 * Math.abs(exact);
  });
}

async function median(run) {
  const times = [];
  for (let round = 0; round < 13; round++) {
    const start = performance.now();
    const y = await run(x, indices);
    await getDevice().sync();
    times.push(performance.now() - start);
    y.dispose();
  }
  // The first rounds compile the kernels.
  return times.slice(3).sort((a, b) => a - b)[5];
}
