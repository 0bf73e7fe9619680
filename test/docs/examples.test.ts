/**
 * @file The examples of the reference (docs/examples), all run in one process. What they give is kept in docs/reference-examples.json,
 * from which the site is made: `npx vitest run --project unit test/docs/examples.test.ts -u` writes it again.
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
) => (...values: unknown[]) => Promise<unknown>;

async function run(code: string): Promise<string> {
  const { statements, expression } = parts(code);
  const body = `${statements.join('\n')}\nreturn format(${expression});`;
  const program = new AsyncFunction('format', ...Object.keys(scope), body);
  retrograd.setRandomSeed(1);
  return program(formatResult, ...Object.values(scope));
}

const kept = (): Record<string, { code: string; result: string }> =>
  fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};

/** Numbers may differ in their last digit from one adapter to another. */
function expectSame(name: string, result: string, promised: string | undefined): void {
  const number = /-?\d+(?:\.\d+)?(?:e-?\d+)?/g;
  expect([name, result.replace(number, '#')]).toEqual([name, promised?.replace(number, '#')]);
  const wanted = [...(promised ?? '').matchAll(number)].map(([digits]) => Number(digits));
  [...result.matchAll(number)].forEach(([digits], i) => {
    const off = Math.abs(Number(digits) - (wanted[i] ?? Number.NaN));
    expect([name, off <= 2e-3 * Math.max(1, Math.abs(wanted[i] ?? 0))]).toEqual([name, true]);
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
    .map(({ name }) => name);
  expect([...examples.keys()].sort()).toEqual([...Object.keys(facts), ...factories].sort());
});

test('all run, and give what the reference says', async () => {
  const results: Record<string, { code: string; result: string }> = {};
  const failed: string[] = [];
  for (const [name, code] of examples) {
    const result = IN_PAGES.includes(name)
      ? ''
      : await run(code).catch((error: Error) => {
          failed.push(`${name}: ${error.message}`);
          return '';
        });
    results[name] = { code, result };
  }
  expect(failed).toEqual([]);
  const isUpdate = expect.getState().snapshotState.snapshotUpdateState === 'all';
  if (isUpdate) fs.writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  const promised = kept();
  expect(Object.keys(promised)).toEqual(Object.keys(results));
  for (const [name, { code, result }] of Object.entries(results)) {
    expect([name, promised[name]?.code]).toEqual([name, code]);
    expectSame(name, result, promised[name]?.result);
  }
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
