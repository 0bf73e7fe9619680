/** @file The promises of SECURITY.md about the sources and the installed packages. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

function sources(): [string, string][] {
  return ['src', 'shaders'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true })
      .map((name) => path.join(folder, String(name)))
      .filter((file) => file.endsWith('.ts'))
      .map((file): [string, string] => [file, fs.readFileSync(path.join(root, file), 'utf8')]),
  );
}

/** Code without its comments. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

test.each([
  ['eval', /\beval\s*\(/],
  ['functions made of text', /\bnew Function\b|\bFunction\s*\(['"`]/],
  ['timers that take text', /\bset(Timeout|Interval)\s*\(\s*['"`]/],
  ['HTML made of text', /\.(innerHTML|outerHTML)\s*\+?=|insertAdjacentHTML|document\.write/],
  ['scripts that are added', /createElement\(\s*['"]script['"]/],
  ['requests of other kinds than fetch', /XMLHttpRequest|WebSocket|sendBeacon|EventSource/],
])('no source has %s', (_, forbidden) => {
  expect(
    sources()
      .filter(([, text]) => forbidden.test(codeOf(text)))
      .map(([file]) => file),
  ).toEqual([]);
});

test('only storage and the inspector, which apps ask to, call fetch', () => {
  const callers = sources()
    .filter(([, text]) => /(?<![.#\w(] ?)\bfetch\(/.test(codeOf(text)))
    .map(([file]) => file.split(path.sep)[1]);
  expect(callers.filter((folder) => folder !== 'storage' && folder !== 'inspect')).toEqual([]);
});

/** Licences that allow what the repository does with a package: use, and for those bundled into pages, redistribution. */
const allowed =
  /^\(?(MIT|MIT-0|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|MPL-2\.0|Unlicense|CC0-1\.0|CC-BY-4\.0|Python-2\.0|BlueOak-1\.0\.0|Zlib|LGPL-3\.0-or-later|SEE LICENSE IN .*)\b/;

test('every installed package has a licence that allows its use', () => {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const packages = Object.entries<{ license?: string; optional?: boolean }>(lock.packages).filter(([place]) =>
    place.startsWith('node_modules/'),
  );
  const licences = packages.flatMap(([place]) => {
    const file = path.join(root, place, 'package.json');
    // Optional packages of other platforms aren't installed.
    if (!fs.existsSync(file)) return [];
    const { license, licenses } = JSON.parse(fs.readFileSync(file, 'utf8'));
    const named = license?.type ?? license ?? licenses?.map((one: { type: string }) => one.type).join(' OR ');
    return [{ place, licence: String(named ?? 'none') }];
  });
  expect(licences.length).toBeGreaterThan(50);
  expect(licences.filter(({ licence }) => !allowed.test(licence))).toEqual([]);
});

test('every package is pinned by a checksum, and comes from the registry', () => {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  type Locked = { integrity?: string; resolved?: string; link?: boolean };
  const packages = Object.entries<Locked>(lock.packages).filter(
    ([place, { link }]) => place.includes('node_modules/') && !link,
  );
  const unpinned = packages.filter(
    ([, { integrity, resolved }]) =>
      !/^sha512-/.test(integrity ?? '') ||
      !/^https:\/\/registry\.npmjs\.org\//.test(resolved ?? 'https://registry.npmjs.org/'),
  );
  expect(unpinned.map(([place]) => place)).toEqual([]);
});

test('what continuous integration runs is this repository and its lock file', () => {
  const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
  const commands = read('.ci/run').replace(/^#.*$/gm, '');
  expect(commands).not.toMatch(/\b(curl|wget|npx|uses:)\b/);
  expect(read('scripts/setup.mjs')).toMatch(/\['ci', /);
  expect(fs.existsSync(path.join(root, '.github/workflows'))).toBe(false);
});
