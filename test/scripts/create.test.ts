/** @file `npx retrograd create`: copies a starter, and says what to do next. `npm run test:package` builds what it copies. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { starters } from '../../bin/create.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = path.join(root, 'bin/retrograd.mjs');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-create-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  execFileSync(process.execPath, [command, ...args], { cwd: folder, encoding: 'utf8' });

const filesOf = (place: string) =>
  fs
    .readdirSync(place, { recursive: true })
    .map(String)
    .filter((file) => fs.statSync(path.join(place, file)).isFile());

test('without a starter it lists them, and every folder of a starter is one', () => {
  for (const name of Object.keys(starters)) expect(run('create')).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
  const folders = fs.readdirSync(path.join(root, 'examples')).filter((name) => name.startsWith('starter-'));
  expect(folders.map((name) => name.replace('starter-', '')).sort()).toEqual(Object.keys(starters).sort());
  expect(run()).toBe(run('create'));
});

test.each(Object.keys(starters).filter((name) => name !== 'no-build'))('copies %s', (name) => {
  const said = run('create', name, `my-${name}`);
  const source = path.join(root, 'examples', `starter-${name}`);
  const made = path.join(folder, `my-${name}`);
  expect(filesOf(made).sort()).toEqual(['.gitignore', ...filesOf(source)].sort());
  for (const file of filesOf(source).filter((one) => one !== 'package.json'))
    expect(fs.readFileSync(path.join(made, file))).toEqual(fs.readFileSync(path.join(source, file)));
  expect(said).toMatch(new RegExp(`cd my-${name}\\n`));
  const manifest = path.join(made, 'package.json');
  if (fs.existsSync(manifest)) expect(JSON.parse(fs.readFileSync(manifest, 'utf8')).name).toBe(`my-${name}`);
});

test('an empty folder is filled, and the folder has the name of the starter by default', () => {
  fs.mkdirSync(path.join(folder, 'empty'));
  expect(run('create', 'node', 'empty')).toMatch(/^empty has a program for Node/);
  expect(run('create', 'node')).toMatch(/cd retrograd-node/);
});

test.each<[string, string[], RegExp]>([
  ['an unknown starter', ['create', 'angular'], /one of vite, react[\s\S]*'angular'/],
  ['a folder with files', ['create', 'vite', 'full'], /is empty[\s\S]*full, which has mine\.txt/],
  ['a file', ['create', 'vite', 'full/mine.txt'], /which is a file/],
  ['further arguments', ['create', 'vite', 'a', 'folder'], /a starter and a folder[\s\S]*quote/],
  ['another command', ['make', 'vite'], /the command is `create`/],
])('refuses %s, and writes nothing', (_, args, words) => {
  fs.mkdirSync(path.join(folder, 'full'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'full/mine.txt'), 'mine');
  const before = filesOf(folder);
  const { status, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(words)]);
  expect(stderr).not.toMatch(/at .*\.mjs/);
  expect(filesOf(folder)).toEqual(before);
});
