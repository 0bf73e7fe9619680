/** @file `npm run example travel`, with the Python of `npm run test:keras`. The example itself compares the curves. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test.runIf(process.env.RETROGRAD_KERAS_PYTHON)(
  'a training goes from a page to Keras on eight devices and back, on the same curve',
  { timeout: 300_000 },
  () => {
    const options = { cwd: root, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/example.mjs', 'travel'],
      options,
    );
    expect(stderr + stdout).toMatch(/on jax, 8 devices[\s\S]*The curves are at most/);
    expect(status).toBe(0);
  },
);
