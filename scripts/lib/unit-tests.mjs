// @ts-check
/** @file Runs some of the unit tests, for commands of their own. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { ROOT, setup } from '../setup.mjs';

/**
 * Runs the unit tests that `args` select, with `env` in addition; the exit code of the process becomes theirs.
 *
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
export function runUnitTests(args, env) {
  const ready = setup({ browser: false });
  const vitest = path.join('node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'unit', '--reporter=verbose', ...args],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...ready.env, ...env } },
  );
  process.exitCode = status ?? 1;
}
