/**
 * @file Builds the library: one ES module for each package entry, with shared chunks between them, so that
 * `retrograd/keras` and `retrograd` hold the same tensors. `wgsl-preprocessor` is bundled: the core has no
 * run-time dependency.
 *
 * Pages (the demo, the benchmark, the notebook) are built with configurations of their own, beside them:
 * `vite build --config examples/<page>/vite.config.ts`.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { presentEntries } from './scripts/lib/entries.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root,
  build: {
    target: 'es2022',
    sourcemap: true,
    minify: false,
    lib: { entry: presentEntries(root), formats: ['es'] },
    rolldownOptions: {
      external: [/^node:/],
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
});
