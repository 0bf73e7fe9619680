/** @file Checks that prevent a version from being published. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { releaseFaults } from '../../scripts/release.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = {
  version: '1.2.0',
  repository: 'github:a/b',
  homepage: 'https://a.b',
  bugs: 'https://a.b/c',
};
const changelog = '# Changelog\n\n## 1.2.0\n\n*2030-01-02.*\n\n## 1.1.0\n\nThe first.\n';

test('a tree that is complete can be published', () => {
  expect(releaseFaults(manifest, changelog, '')).toEqual([]);
  const first = '# Changelog\n\n## 1.2.0\n\nThe first.\n';
  expect(releaseFaults(manifest, first, '\n')).toEqual([]);
});

test('whatever prevents a release is named', () => {
  expect(releaseFaults({ version: '1.2.0' }, changelog, '')).toEqual([
    'package.json lacks `repository`: npm links it, and checks the statement of provenance against it.',
    "package.json lacks `homepage`: the package's page on npm links it.",
    'package.json lacks `bugs`: `npm bugs` opens it, and the page on npm links it.',
  ]);
  expect(releaseFaults({ ...manifest, version: '1.1.0' }, changelog, '')).toEqual([
    'package.json has version 1.1.0, and CHANGELOG.md begins with 1.2.0.',
  ]);
  const open = changelog.replace('## 1.2.0', '## Unreleased');
  expect(releaseFaults(manifest, open, ' M a.ts\n')).toEqual([
    'CHANGELOG.md has a section "Unreleased": give it the version that package.json will have.',
    "there are changes that aren't committed:\n M a.ts",
  ]);
});

test('the package is published for all, with provenance', () => {
  const { publishConfig, scripts } = JSON.parse(fs.readFileSync(`${root}package.json`, 'utf8'));
  expect(publishConfig).toEqual({ access: 'public', provenance: true });
  expect(scripts.release).toBe('node scripts/release.mjs');
});

test('starters ask for the version of the package', () => {
  const { version } = JSON.parse(fs.readFileSync(`${root}package.json`, 'utf8'));
  const starters = fs.readdirSync(`${root}examples`).filter((name) => name.startsWith('starter-'));
  expect(starters.length).toBe(6);
  const asked = starters.flatMap((name) =>
    ['package.json', 'deno.json'].flatMap((file) => {
      const at = `${root}examples/${name}/${file}`;
      const text = fs.existsSync(at) ? fs.readFileSync(at, 'utf8') : '';
      return [...text.matchAll(/(?:"retrograd": "|npm:retrograd@)(\^[\d.]+)/g)].map(([, range]) => range);
    }),
  );
  expect(asked.length).toBe(6);
  expect(new Set(asked)).toEqual(new Set([`^${version}`]));
});
