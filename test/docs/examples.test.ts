/**
 * @file The examples of the reference (docs/examples), all run in one process. Their results are stored in
 * docs/reference-examples.json, from which the site is built: `npx vitest run --project unit test/docs/examples.test.ts -u`
 * writes it again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { publicExports } from '../../scripts/lib/exports.mjs';
import {
  IN_PAGES,
  needsExample,
  parts,
  programOf,
  readExamples,
} from '../../scripts/lib/reference-examples.mjs';
import * as retrograd from '../../src/index.ts';
import * as keras from '../../src/keras/index.ts';
import { formatResult } from '../../website/playground/runner/formatResult.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = path.join(root, 'docs/reference-examples.json');
const examples = readExamples(root);
const scope = { ...retrograd, ...keras };

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...values: unknown[]) => Promise<string>;

async function run(code: string): Promise<string> {
  const { statements, expression } = parts(code);
  const body = `${statements.join('\n')}\nreturn format(${expression});`;
  const program = new AsyncFunction('format', ...Object.keys(scope), body);
  retrograd.setRandomSeed(1);
  keras.clearSession();
  return program(formatResult, ...Object.values(scope));
}

const kept = (): Record<string, { code: string; result: string }> =>
  fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};

/** Returns whether two results are the same except the last digit of their numbers, which adapters may round differently. */
function areSame(a: string, b: string): boolean {
  const number = /-?\d+(?:\.\d+)?(?:e-?\d+)?/g;
  if (a.replace(number, '#') !== b.replace(number, '#')) return false;
  const wanted = [...b.matchAll(number)].map(([digits]) => Number(digits));
  return [...a.matchAll(number)].every(([digits], i) => {
    const exact = wanted[i] ?? Number.NaN;
    return Math.abs(Number(digits) - exact) <= 2e-3 * Math.max(1, Math.abs(exact));
  });
}

beforeAll(() => retrograd.init());

test('every op, layer, loss, metric, optimizer and callback has one', () => {
  const facts = JSON.parse(fs.readFileSync(path.join(root, 'docs/op-facts.json'), 'utf8'));
  const factories = publicExports(path.join(root, 'src/keras/index.ts'))
    .filter(
      ({ name, kind }) =>
        ['function', 'const'].includes(kind) && needsExample('retrograd/keras', name, false),
    )
    // Not of what was exported before by another name.
    .filter(
      (one, i, all) => all.findIndex(({ file: of, text }) => of === one.file && text === one.text) === i,
    )
    .map(({ name }) => name);
  expect([...examples.keys()].sort()).toEqual([...Object.keys(facts), ...factories].sort());
});

test('all run, and give what the reference says', async () => {
  const results: Record<string, { code: string; result: string }> = {};
  const failed: string[] = [];
  const before = kept();
  for (const [name, code] of examples) {
    const result = IN_PAGES.includes(name) ? '' : await run(code).catch((error: Error) => error);
    if (typeof result !== 'string') {
      failed.push(`${name}: ${result.message}`);
      continue;
    }
    const known = before[name]?.result;
    results[name] = { code, result: known !== undefined && areSame(result, known) ? known : result };
  }
  expect(failed).toEqual([]);
  await expect(`${JSON.stringify(results, null, 1)}\n`).toMatchFileSnapshot(file);
});

test('their programs import what they use', () => {
  const exported = new Set(Object.keys(retrograd));
  expect(programOf(examples.get('layers.dense') ?? '', exported)).toBe(
    `import { init, tensor } from 'retrograd';
import { layers } from 'retrograd/keras';
import { show } from 'playground';

await init();
await show(layers.dense({ units: 2, kernelInitializer: 'ones' }).apply(tensor([[1, 2, 3]])));
`,
  );
});
