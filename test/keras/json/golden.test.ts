/** @file Models outside of the other fixtures: their JSON and summaries, read and built here, equal Keras's key by key. */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init } from '../../../src/index.ts';
import { modelFromJSON } from '../../../src/keras/loading/modelFromJSON.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import { modelToConfig } from '../../../src/keras/json/write.ts';
import { clearSession } from '../../../src/keras/index.ts';
import { goldenModels } from './goldenModels.ts';

const folder = new URL('../../fixtures/configs/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const namesIn = (at: URL) => readdirSync(at).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
const names = namesIn(folder);
/** Models with arguments by name, nested outputs and mixed precision. */
const rare = new URL('../../fixtures/keras/rare/', import.meta.url);
const rareNames = namesIn(rare);

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

/** Counts are 64 bits with Keras on TensorFlow, as here, and 32 with JAX, which wrote the files. */
const withoutBytes = (text: string) => text.trimEnd().replace(/\(\d[\d.]* [KM]?B\)/g, '');

/** Keras stores some options, such as those of L1, in float32 tensors. */
const plain = (text: string) =>
  JSON.parse(text, (_, value: unknown) =>
    typeof value === 'number' ? Math.fround(value) : value,
  ) as unknown;

function requireSame(net: AnyModel, json: string, summary: string) {
  expect(plain(JSON.stringify(modelToConfig(net)))).toEqual(plain(json));
  expect(withoutBytes(net.summary({ print: () => {} }))).toBe(withoutBytes(summary));
  net.dispose();
}

describe.each(names)('%s', (name) => {
  const json = read(`${name}.json`);
  const summary = read(`${name}.summary.txt`);

  test('read', () => requireSame(modelFromJSON(json), json, summary));
  test('built here', () => requireSame((goldenModels[name] as () => AnyModel)(), json, summary));
});

test.each(rareNames)('%s, read', (name) => {
  const [json, summary] = [`${name}.json`, `${name}.summary.txt`].map((file) =>
    readFileSync(new URL(file, rare), 'utf8'),
  ) as [string, string];
  requireSame(modelFromJSON(json), json, summary);
});
