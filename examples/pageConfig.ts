/** @file How a page of an example is built: on the built library, into site/NAME. */
import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The configuration of `examples/NAME/`: `vite build --config examples/NAME/vite.config.ts`. */
export function pageConfig(name: string): UserConfig {
  return defineConfig({
    root: at(name),
    base: './',
    resolve: {
      alias: [
        { find: /^retrograd$/, replacement: at('../dist/index.js') },
        { find: /^retrograd\/(\w+)$/, replacement: at('../dist/$1.js') },
      ],
    },
    build: {
      outDir: at(`../site/${name}`),
      emptyOutDir: true,
      target: 'es2022',
      sourcemap: true,
      reportCompressedSize: false,
    },
  });
}
