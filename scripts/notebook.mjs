// @ts-check
/** @file `npm run notebook`: serves the notebook live from the sources. `--port N` sets the port. */
import path from 'node:path';
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

await runMain(async () => {
  const options = /** @type {const} */ ({ port: { type: 'string', default: '5173' } });
  const { values } = readArguments({ options }, (message) => new SetupError(message));
  setup({ browser: false });
  const { createServer } = await import('vite');
  const server = await createServer({
    configFile: path.join(ROOT, 'vite.config.ts'),
    mode: 'notebook',
    server: { port: Number(values.port) },
  });
  await server.listen();
  const [url] = server.resolvedUrls?.local ?? [];
  process.stdout.write(`${url} — open it in a browser with WebGPU; Ctrl-C ends.\n`);
});
