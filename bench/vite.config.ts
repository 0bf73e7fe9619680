/** @file How the benchmark's pages are built: on the sources, with the peers beside them. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { packageAliases } from '../scripts/lib/aliases.mjs';
import { shippedShaders } from '../scripts/lib/shipped-shaders.mjs';
import { contenderVersions } from '../scripts/lib/bench-versions.mjs';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  base: './',
  plugins: [shippedShaders()],
  resolve: { alias: packageAliases(at('..')) },
  define: { BENCH_VERSIONS: JSON.stringify(contenderVersions()) },
  build: {
    outDir: at('../site/bench'),
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4096,
    rolldownOptions: { input: { index: at('index.html'), runner: at('runner.html') } },
  },
});
