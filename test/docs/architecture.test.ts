/** @file The walks of docs/architecture.md name what the sources have. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = fs.readFileSync(`${root}docs/architecture.md`, 'utf8');
const walks = text.split(/^## (?=Walk)/m).slice(1);
const read = (file: string) => fs.readFileSync(root + file, 'utf8');

/** Everything in src/, by file. */
const sources = fs
  .readdirSync(`${root}src`, { recursive: true })
  .map((name) => `src/${String(name).replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts') && !file.includes('/generated/'))
  .map(read);

const hasWord = (source: string, word: string) => new RegExp(`\\b${word}\\b`).test(source);

describe.each(walks.map((walk) => ({ title: walk.slice(0, walk.indexOf('\n')), walk })))(
  '$title',
  ({ walk }) => {
    test('a name is in the file given after it', () => {
      const named = [...walk.matchAll(/`(?:\w+\.)?(\w+)`[^`().]*\(`(src\/[\w/]+\.ts)`\)/g)];
      expect(named.length).toBeGreaterThan(3);
      const wrong = named.filter(([, name, file]) => !hasWord(read(file as string), name as string));
      expect(wrong.map(([found]) => found)).toEqual([]);
    });

    test('a class has the member that is named with it', () => {
      const named = [...walk.matchAll(/`([A-Z]\w+)\.(\w+)`/g)];
      const wrong = named.filter(
        ([, owner, member]) =>
          !sources.some((source) => hasWord(source, `class ${owner}`) && hasWord(source, member as string)),
      );
      expect(wrong.map(([found]) => found)).toEqual([]);
    });
  },
);
