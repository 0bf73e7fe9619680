/**
 * @file docs/keras.md against Keras's own names (test/fixtures/keras/names.json): exactly the missing names are listed.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { init, tensor, variable } from '../../src/index.ts';
import { foldName } from '../../src/core/suggest.ts';
import * as keras from '../../src/keras/index.ts';
import { applications, callbacks, layers, losses, metrics, ops, optimizers } from '../../src/keras/index.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const fixture: Record<string, unknown> = JSON.parse(read('../fixtures/keras/names.json'));
const names = fixture as Record<string, string[]>;
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

const x = keras.input({ shape: [2] });
/** An object of each class. */
const examples: Readonly<Record<string, () => object>> = {
  Callback: () => callbacks.earlyStopping(),
  KerasTensor: () => x,
  Layer: () => layers.dense({ units: 1 }),
  LearningRateSchedule: () =>
    optimizers.schedules.exponentialDecay({ initialLearningRate: 1, decaySteps: 1, decayRate: 1 }),
  Loss: () => losses.meanSquaredError(),
  Metric: () => metrics.meanSquaredError(),
  Model: () => keras.model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(x) }),
  Optimizer: () => optimizers.sgd(),
  Sequential: () => keras.sequential([layers.dense({ units: 1 })]),
  Variable: () => variable(tensor([1])),
};

/** The names of the members of an object and of its class, those that are inherited among them. */
function membersOf(object: object): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at: object | null = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) found.add(foldName(name));
  for (let at: object = object.constructor; at !== Function.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) found.add(foldName(name));
  return found;
}

test('the methods and properties that classes lack are listed in docs/keras.md', async () => {
  await init();
  const { members } = fixture as unknown as { members: Record<string, string[]> };
  const [, text = ''] = page.split('\n## Methods and properties\n');
  const rows = (text.split('\n## ')[0] as string).split('\n').filter((line) => line.startsWith('| `'));
  const listedIn = (row: string) =>
    [...(row.split('|')[2] as string).matchAll(/`(\w+)`/g)].map(([, name]) => name);
  for (const [name, known] of Object.entries(members)) {
    const offered = membersOf((examples[name] as () => object)());
    const missing = known.filter((member) => !offered.has(foldName(member)));
    const written = rows.filter((row) => row.startsWith(`| \`${name}\` |`)).flatMap(listedIn);
    expect(written.toSorted(), name).toEqual(missing.toSorted());
  }
});

/** A row has modules, what they lack, and what to use instead. */
test('what other modules lack is listed in docs/keras.md', () => {
  const { others } = fixture as unknown as { others: Record<string, string[]> };
  const [, text = ''] = page.split('\n## Other modules\n');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
  for (const [module, known] of Object.entries(others)) {
    const offered = new Set(Object.keys(offeredAs[module] ?? {}).map(foldName));
    const missing = known.filter((name) => !offered.has(foldName(name)) && !common.has(name));
    const cells = rows.map((row) => row.split('|')).filter(([, of]) => namesIn(of).includes(module));
    const isWhole = cells.some(([, , lacking]) => lacking?.trim() === 'all');
    const written = isWhole ? missing : cells.flatMap(([, , lacking]) => namesIn(lacking));
    // Rows of several modules have names that one of them lacks.
    const unlisted = missing.filter((name) => !written.includes(name));
    expect(unlisted, module).toEqual([]);
    expect(
      written.filter((name) => known.includes(name) && !missing.includes(name)),
      module,
    ).toEqual([]);
  }
});

/** What is here of modules that have another place. */
const offeredAs: Readonly<Record<string, object>> = {
  ...(keras as Record<string, object>),
  keras,
  preprocessing: keras.utils,
  schedules: optimizers.schedules,
};

/** Left out of the table: the page's text says what is there instead. */
const common = new Set(['get', 'serialize', 'deserialize']);
