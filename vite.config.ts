/**
 * @file Builds the library: one ES module for each package entry, with shared chunks between them, so that
 * `retrograd/keras` and `retrograd` hold the same tensors. `wgsl-preprocessor` is bundled: the core has no
 * run-time dependency.
 *
 * Pages (the demo, the benchmark, the notebook) are built with configurations of their own, beside them:
 * `vite build --config examples/<page>/vite.config.ts`.
 */
import { existsSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Package entry -> source; the first file that exists is taken, an entry without one is left out. */
const ENTRIES: Record<string, string[]> = {
  index: ['src/index.ts'],
  kernels: ['src/kernels/index.ts', 'src/kernels.ts'],
  keras: ['src/keras/index.ts'],
  io: ['src/io/index.ts'],
};

const entry = Object.fromEntries(
  Object.entries(ENTRIES).flatMap(([name, files]) =>
    files
      .filter(existsSync)
      .slice(0, 1)
      .map((file) => [name, file]),
  ),
);

export default defineConfig({
  build: {
    target: 'es2022',
    sourcemap: true,
    minify: false,
    lib: { entry, formats: ['es'] },
    rolldownOptions: {
      external: [/^node:/],
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
});
