// @ts-check
/**
 * @file `npm run soak -- [--minutes 60] [--engine node]`: runs a mixed load for that long, and checks whether anything grows.
 * After a warm-up of a fifth of the time, tensors, buffers, pools, pipelines and the JS heap must stay flat, and there must
 * be no uncaptured GPU errors.
 */
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { engineNames, openEngine } from './lib/engines.mjs';
import { runMain, SetupError, setup } from './setup.mjs';

const usage = `npm run soak -- [--minutes 60] [--engine ${engineNames.join('|')}]`;
/** Number of rounds between two samples. */
const batch = 10;
/** The growth since the warm-up that still counts as flat: the variation due to garbage and the shapes of a round. */
const slack = { tensors: 20, bytes: 2 ** 20, pooledBytes: 2 ** 22, pipelines: 8, heap: 8 * 2 ** 20 };

/** @typedef {import('../test/support/soak.ts').Sample & { uncaptured: number }} Sample */
/** @typedef {keyof typeof slack} Figure */

/** @param {readonly Sample[]} samples @param {Figure} figure */
const median = (samples, figure) => {
  const sorted = samples.map((sample) => Number(sample[figure] ?? 0)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/**
 * Returns the quantities that grew from the first to the last third of the samples.
 *
 * @param {readonly Sample[]} samples the samples after the warm-up
 */
function findGrowth(samples) {
  const third = Math.ceil(samples.length / 3);
  const figures = /** @type {Figure[]} */ (Object.keys(slack));
  return figures.map((figure) => {
    const [before, after] = [median(samples.slice(0, third), figure), median(samples.slice(-third), figure)];
    return { figure, before, after, grows: after > before + slack[figure] };
  });
}

async function main() {
  const { values } = readArguments(
    { options: { minutes: { type: 'string', default: '60' }, engine: { type: 'string', default: 'node' } } },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [minutes, name] = [Number(values.minutes), String(values.engine)];
  if (!(minutes > 0)) throw new SetupError(`--minutes takes a number above 0.\nUsage: ${usage}`);
  if (!engineNames.includes(name))
    throw new SetupError(`--engine is one of ${engineNames.join(', ')}.\nUsage: ${usage}`);
  const { env } = setup({ browser: name === 'chromium' });
  const engine = await openEngine(name, 'test/support/soak.ts', env);
  const start = performance.now();
  const isOver = (share = 1) => performance.now() - start >= share * minutes * 60_000;
  /** @type {Sample[]} */
  const samples = [];
  let rounds = 0;
  try {
    while (!isOver()) {
      for (let i = 0; i < batch; i++) await engine.call('round', rounds++);
      const sample = await engine.call('sample');
      if (isOver(0.2)) samples.push(sample);
      process.stderr.write(`${rounds} rounds: ${JSON.stringify(sample)}\n`);
    }
  } finally {
    await engine.close();
  }
  const took = ((performance.now() - start) / 60_000).toFixed(1);
  process.stdout.write(
    `${rounds} rounds in ${took} minutes in ${name}, ${samples.length} samples after warm-up\n`,
  );
  const growth = findGrowth(samples);
  for (const { figure, before, after, grows } of growth)
    process.stdout.write(`${figure.padEnd(12)} ${before} → ${after}${grows ? '  GROWS' : ''}\n`);
  const uncaptured = samples.at(-1)?.uncaptured ?? 0;
  process.stdout.write(`uncaptured   ${uncaptured}\n`);
  const failed = growth.filter(({ grows }) => grows).length + (uncaptured > 0 ? 1 : 0);
  process.stdout.write(`${growth.length + 1 - failed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || samples.length < 3 ? 1 : 0;
}

await runMain(main);
