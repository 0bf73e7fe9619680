/** @file The built library under a strict policy: nothing but its own scripts, no text as code, Trusted Types required. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildLibrary } from '../../scripts/lib/pages.mjs';
import { type Browser, openPage, type StaticServer, serveFolder } from '../../scripts/lib/browser.mjs';
import { sharedBrowser } from '../support/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// The tests' own script is evaluated by the browser's protocol, which no policy applies to.
const policy =
  "default-src 'none'; script-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'";

let server: StaticServer;
let browser: Browser;
beforeAll(async () => {
  buildLibrary({}, () => {});
  server = await serveFolder(null, {
    mounts: { '/lib/': path.join(root, 'dist', 'browser') },
    headers: { 'Content-Security-Policy': policy },
  });
  browser = await sharedBrowser('chromium');
});
afterAll(async () => {
  await server.close();
});

test('a model trains, and nothing is requested from elsewhere', async () => {
  const elsewhere: string[] = [];
  const { page, errors } = await openPage(browser, server.url, {
    prepare: async (fresh) => {
      fresh.on('request', (request) => {
        if (!request.url().startsWith(server.url)) elsewhere.push(request.url());
      });
    },
  });
  // As text: the test runner would rewrite the imports.
  const losses = await page.evaluate(`(async () => {
    const { init, tensor, compile, matMul } = await import('${server.url}lib/index.js');
    const { layers, sequential } = await import('${server.url}lib/keras.js');
    await init();
    const net = sequential([layers.dense({ units: 4, activation: 'tanh' }), layers.dense({ units: 1 })]);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const x = tensor([[0, 0], [0, 1], [1, 0], [1, 1]]);
    const history = await net.fit(x, tensor([[0], [1], [1], [0]]), { epochs: 3, verbose: 0 });
    const square = compile((a) => matMul(a, a));
    for (let i = 0; i < 2; i++) await square(tensor([[1, 2], [3, 4]])).data();
    return history.history.loss.length;
  })()`);
  expect(losses).toBe(3);
  expect(elsewhere).toEqual([]);
  expect(errors).toEqual([]);
  // The policy is in force.
  const isBlocked = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<p>text</p>';
      return false;
    } catch (error) {
      return error instanceof TypeError;
    }
  });
  expect(isBlocked).toBe(true);
  await page.close();
});
