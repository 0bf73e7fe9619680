import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ChoiceReport, explainChoice, init, matMul, tune, tuning } from '../../src/index.ts';
import { version } from '../../src/core/version.ts';
import { pageStore } from '../../src/autotune/store.ts';
import { readTable, writeTable } from '../../src/autotune/winners.ts';
import manifest from '../../package.json' with { type: 'json' };
import { memoryStore, size, tunedDevices } from './support.ts';

const tunedDevice = tunedDevices();

/** What a first visit leaves in `store`. */
async function firstVisit(store: ReturnType<typeof memoryStore>): Promise<void> {
  await using _ = await tunedDevice({ steps: 1 }, { store });
  await tune(matMul, size, size);
}

/** A store as a first visit left it; all tests have the same one. */
function usedStore(): ReturnType<typeof memoryStore> {
  const store = memoryStore();
  for (const [name, text] of used.texts) store.texts.set(name, text);
  return store;
}

const used = memoryStore();
beforeAll(() => firstVisit(used));

/** What a new visit takes, with `store` behind its device and nothing measured. */
async function newVisit(store: ReturnType<typeof memoryStore>): Promise<ChoiceReport> {
  await using own = await tunedDevice({});
  await init({ device: own.gpu, tuning: tuning({ store }) });
  return explainChoice(matMul, size, size).choices[0] as ChoiceReport;
}

/** Changes the one text in `store`. */
function edit(store: ReturnType<typeof memoryStore>, change: (text: string) => string): void {
  for (const [name, text] of store.texts) store.texts.set(name, change(text));
}

test('the version is that of the package', () => {
  expect(version).toBe(manifest.version);
});

test('a new page starts with the stored measurements and measures nothing', async () => {
  const store = usedStore();
  expect(await newVisit(store)).toMatchObject({ taken: 'steps', source: 'measured' });
  await using own = await tunedDevice({ scalars: 1 }, { store });
  expect(await tune(matMul, size, size)).toMatchObject({ measured: 0, known: 1 });
  expect(own.timed).toEqual([]);
});

test('what a visit does not ask stays in the store', async () => {
  const store = usedStore();
  const [before] = [...store.texts.values()].map((text) => Object.keys(JSON.parse(text).winners));
  await using _ = await tunedDevice({}, { store });
  await tune(matMul, { shape: [160, 96] }, size);
  const [after] = [...store.texts.values()].map((text) => Object.keys(JSON.parse(text).winners));
  expect(after).toHaveLength(2);
  expect(after).toEqual(expect.arrayContaining(before as string[]));
});

describe('ignored, with nothing lost', () => {
  let selected: ChoiceReport;
  beforeAll(async () => {
    selected = await newVisit(memoryStore());
  });

  test.each<[string, (text: string) => string]>([
    ['what is no JSON', (text) => text.slice(0, 40)],
    ['another kind of JSON', () => '[1, null]'],
    ['null', () => 'null'],
    ['another version of the library', (text) => text.replace(`"${version}"`, '"0.0.1"')],
    ['another format', (text) => text.replace('"format":2', '"format":1')],
    ['another adapter', (text) => text.replace('"vendor":"', '"vendor":"x')],
    ['other programs', (text) => text.replace(/"sources":"[^"]*"/, '"sources":"row 1"')],
    ['a variant that is not there', (text) => text.replace('"variant":"steps"', '"variant":"huge"')],
    ['times that are no numbers', (text) => text.replace(/"steps":1/, '"row":"1"')],
    ['winners of another kind', (text) => text.replace(/"winners":\{.*$/, '"winners":{"a":3}}')],
  ])('%s', async (_, change) => {
    const store = usedStore();
    edit(store, change);
    expect(await newVisit(store)).toEqual(selected);
  });

  test('and written over by what is measured then', async () => {
    const store = usedStore();
    edit(store, (text) => text.slice(0, 40));
    await using own = await tunedDevice({ scalars: 1 }, { store });
    await tune(matMul, size, size);
    expect(own.timed.length).toBeGreaterThan(0);
    expect(await newVisit(store)).toMatchObject({ taken: 'scalars', source: 'measured' });
  });

  test('a store that fails', async () => {
    const failing = {
      read: () => Promise.reject(new Error('denied')),
      write: () => {
        throw new Error('full');
      },
    };
    await using own = await tunedDevice({ scalars: 1 }, { store: failing });
    await tune(matMul, size, size);
    expect(own.timed).toContain('scalars');
    expect(explainChoice(matMul, size, size).choices).toMatchObject([{ taken: 'scalars' }]);
  });
});

describe('the store of a page', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test('is the local storage', async () => {
    const texts = new Map<string, string>();
    vi.stubGlobal('window', {});
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => texts.get(name) ?? null,
      setItem: (name: string, text: string) => texts.set(name, text),
    });
    const store = pageStore();
    await store?.write('a', 'b');
    expect(texts.get('a')).toBe('b');
    expect(await store?.read('a')).toBe('b');
    expect(await store?.read('c')).toBe(null);
  });

  test('is null where the page may not use it', () => {
    vi.stubGlobal('window', {});
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    });
    expect(pageStore()).toBe(null);
    Reflect.deleteProperty(globalThis, 'localStorage');
  });

  test('is null in Node', () => {
    expect(pageStore()).toBe(null);
  });
});

test('text and back', () => {
  const stamp = { version: '1', adapter: { vendor: 'v' } };
  const winners = new Map([['key', { variant: 'a', milliseconds: { a: 1, b: 2.5 }, sources: 's' }]]);
  expect(readTable(writeTable(winners, stamp), stamp)).toEqual(winners);
});
