// @ts-check
/**
 * @file `npm run test:faults`: devices that are lost at random points of training runs, on one engine. Each run must end with one
 * typed error, and continue on a new device to the same bits.
 *
 *     npm run test:faults -- [--losses 200] [--from 0] [--engine node|chromium|firefox|deno]
 *
 * Closes with `N passed, N failed` on a line of its own; the exit code is 1 if a run failed.
 */
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { engineNames, openBuilt } from './lib/engines.mjs';
import { runMain, SetupError, setup } from './setup.mjs';

const usage = `npm run test:faults -- [--losses 200] [--from 0] [--engine ${engineNames.join('|')}]`;
/** Number of losses in one process: engines don't free everything that a lost device held. */
const batch = 20;

function options() {
  const { values } = readArguments(
    {
      options: {
        losses: { type: 'string', default: '200' },
        from: { type: 'string', default: '0' },
        engine: { type: 'string', default: 'node' },
      },
    },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [from, losses, engine] = [Number(values.from), Number(values.losses), String(values.engine)];
  if (!Number.isInteger(from) || !Number.isInteger(losses) || from < 0 || losses < 1)
    throw new SetupError(`--from and --losses take integers.\nUsage: ${usage}`);
  if (!engineNames.includes(engine))
    throw new SetupError(`--engine is one of ${engineNames.join(', ')}.\nUsage: ${usage}`);
  return { from, to: from + losses, engine };
}

await runMain(async () => {
  const { from, to, engine: name } = options();
  const { env } = setup({ browser: name === 'chromium' });
  const folder = temporaryFolder('faults');
  const built = await bundle({ entry: 'test/support/deviceLoss.ts', folder, external: [/^webgpu$/] });
  let failed = 0;
  for (let first = from; first < to; first += batch) {
    const last = Math.min(to, first + batch);
    const engine = await openBuilt(name, built, env);
    try {
      /** @type {string[]} */
      const failures = await engine.call('loseDevices', first, last);
      failed += failures.length;
      for (const failure of failures) process.stdout.write(`${failure}\n`);
    } finally {
      await engine.close();
    }
    process.stderr.write(`${last - from} of ${to - from}\n`);
  }
  process.stdout.write(`${Math.max(0, to - from - failed)} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
});
