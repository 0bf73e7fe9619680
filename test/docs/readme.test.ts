/** @file The programs of the README, run in Node as it says: `node --import ./webgpu.js PROGRAM`. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder('readme');
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
const files = new Map(
  [...readme.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [file, code]),
);

function write(file: string): string {
  const written = path.join(folder, 'source', file);
  fs.writeFileSync(written, files.get(file) ?? '');
  return written;
}

beforeAll(() => {
  fs.mkdirSync(path.join(folder, 'source'), { recursive: true });
  write('webgpu.js');
});

/** Runs a program of the README on the sources of the library. Returns what it prints. */
async function run(file: string): Promise<string> {
  const program = await bundle({ entry: path.relative(root, write(file)), folder });
  const preload = path.join(folder, 'source', 'webgpu.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, program], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

test('the first program uses no syntax that Node 20 lacks', () => {
  expect(files.get('first.js')).not.toMatch(/\busing\b/);
});

test('the first program prints what the README says', async () => {
  const printed = await run('first.js');
  expect(printed).toContain('\nmean\n');
  expect(printed).toMatch(/^connected: .* through matMul → relu → matMul → sub → square → mean\.$/m);
  expect(printed).toContain('index 9 at position [1] of `indices` is outside [0, 8)');
}, 120_000);

test('the model of the README trains', async () => {
  expect(await run('model.js')).toMatch(/^\[ [\d., ]+ \]\n$/);
}, 180_000);
