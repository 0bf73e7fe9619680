/** @file Builds the page on the built library: `vite build --config examples/gather-three-ways/vite.config.ts`. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  base: './',
  resolve: {
    alias: [
      { find: /^retrograd$/, replacement: at('../../dist/index.js') },
      { find: /^retrograd\/(\w+)$/, replacement: at('../../dist/$1.js') },
    ],
  },
  build: {
    outDir: at('../../site/gather-three-ways'),
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
    reportCompressedSize: false,
  },
});
