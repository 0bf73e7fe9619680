/** @file Pages of examples for tests, as a host would serve them: built from the sources, into a separate folder. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { packageAliases } from '../../scripts/lib/aliases.mjs';
import { temporaryFolder } from '../../scripts/lib/bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds `examples/NAME/index.html`. Returns the folder to serve. */
export async function buildExamplePage(name: string): Promise<string> {
  const folder = temporaryFolder(`page-${name}`);
  await build({
    configFile: false,
    root: path.join(root, 'examples', name),
    base: './',
    logLevel: 'warn',
    resolve: { alias: packageAliases(root) },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      minify: false,
      reportCompressedSize: false,
    },
  });
  return folder;
}
