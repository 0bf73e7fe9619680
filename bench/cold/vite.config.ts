/** @file How the pages of the cold start are built: apart from the benchmark, so that they load nothing of it. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { packageAliases } from '../../scripts/lib/aliases.mjs';
import { shippedShaders } from '../../scripts/lib/shipped-shaders.mjs';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  base: './',
  plugins: [shippedShaders()],
  resolve: { alias: packageAliases(at('../..')) },
  build: {
    outDir: at('../../site/bench/cold'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4096,
    rolldownOptions: { input: { cold: at('cold.html') } },
  },
});
