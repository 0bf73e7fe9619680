// @ts-check
/** @file Packs the package as npm does. */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs `npm pack`, and returns the name of the archive, its bytes, and the files in it, with `/`.
 *
 * @param {string[]} options of `npm pack`
 * @returns {{ filename: string, size: number, files: string[] }}
 */
export function pack(...options) {
  const npm = process.env.npm_execpath;
  const [file, ...args] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const answer = execFileSync(
    /** @type {string} */ (file),
    [...args, 'pack', '--json', '--ignore-scripts', ...options],
    {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32' && file === 'npm',
    },
  );
  const parsed = JSON.parse(answer);
  const [{ filename, size, files }] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  return { filename, size, files: files.map((/** @type {{ path: string }} */ each) => each.path) };
}
