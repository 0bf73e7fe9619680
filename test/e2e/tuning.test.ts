/** @file Tuning in a real page: what one visit measured is known to the next, on the page and in a worker. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('tuning');
await bundle({ entry: 'src/index.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });

type Library = typeof import('../../src/index.ts');

interface Visit {
  before: string | undefined;
  measured: number;
  known: number;
  after: string | undefined;
}

test('on a page', async () => {
  const visit = () =>
    chromium.run('/', async (): Promise<Visit> => {
      const { explainChoice, init, matMul, tune, tuning } = (await import(
        '/lib/index.js' as string
      )) as Library;
      await init({ tuning: tuning({ budget: 500 }) });
      const size = { shape: [96, 96] };
      const source = () => explainChoice(matMul, size, size).choices[0]?.source;
      const before = source();
      const { measured, known } = await tune(matMul, size, size);
      return { before, measured, known, after: source() };
    });
  expect(await visit()).toEqual({ before: 'selected', measured: 1, known: 0, after: 'measured' });
  expect(await visit()).toEqual({ before: 'measured', measured: 0, known: 1, after: 'measured' });
});

test('while calls do their work', async () => {
  const found = await chromium.run('/', async () => {
    const { compile, explainChoice, init, matMul, ones, tuning } = (await import(
      '/lib/index.js' as string
    )) as Library;
    await init({ tuning: tuning({ automatic: true, store: null }) });
    const size = { shape: [112, 96] };
    const [a, b] = [ones([112, 96]), ones([96, 112])];
    const multiply = compile(() => matMul(a, b));
    let isRight = true;
    const source = () => explainChoice(matMul, size, { shape: [96, 112] }).choices[0]?.source;
    for (let call = 0; call < 300 && source() !== 'measured'; call++) {
      const c = multiply();
      isRight &&= (await c.data()).every((value) => value === 96);
      c.dispose();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { isRight, source: source() };
  });
  expect(found).toEqual({ isRight: true, source: 'measured' });
});

/** A worker has no localStorage: a database serves it. */
const inWorker = `
  const { init, matMul, tune, tuning } = await import(\`\${self.name}/lib/index.js\`);
  await init({ tuning: tuning({ budget: 500 }) });
  const { measured, known } = await tune(matMul, { shape: [96, 80] }, { shape: [80, 96] });
  postMessage({ measured, known });
`;

test('in a worker', async () => {
  const visit = () =>
    chromium.run(
      '/',
      (source) => {
        const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
        const worker = new Worker(url, { type: 'module', name: location.origin });
        return new Promise((resolve) => {
          worker.onerror = ({ message }) => resolve(message);
          worker.onmessage = ({ data }) => {
            worker.terminate();
            resolve(data);
          };
        });
      },
      inWorker,
    );
  expect(await visit()).toEqual({ measured: 1, known: 0 });
  expect(await visit()).toEqual({ measured: 0, known: 1 });
});
