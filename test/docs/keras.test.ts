/**
 * @file docs/keras.md against Keras's own names (test/fixtures/keras/names.json): exactly the missing names are listed.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { foldName } from '../../src/core/suggest.ts';
import { applications, callbacks, layers, losses, metrics, ops, optimizers } from '../../src/keras/index.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const names: Record<string, string[]> = JSON.parse(read('../fixtures/keras/names.json'));
const page = read('../../docs/keras.md');

/** Returns the names in the tables of a section of the page. */
function listed(section: string): string[] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const rows = (text.split('\n## ')[0] as string).split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] as string).matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
  );
}

const modules = { ops, image: ops.image, layers, losses, metrics, optimizers, callbacks, applications };

test.each(Object.entries(modules))(
  'what of keras.%s is missing is listed in docs/keras.md',
  (module, offered) => {
    const known = new Set(Object.keys(offered).map(foldName));
    const missing = (names[module] as string[]).filter((name) => !known.has(foldName(name)));
    const section = module[0]?.toUpperCase() + module.slice(1);
    expect(listed(section).toSorted()).toEqual(missing.toSorted());
  },
);
