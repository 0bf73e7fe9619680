// @ts-check
/** @file A Vite plugin that compiles the library's shaders as for shipping, for pages that are built from the sources. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileShaders } from './shaders.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @returns {import('vite').Plugin} */
export function shippedShaders() {
  return {
    name: 'shipped-shaders',
    enforce: 'pre',
    transform(code, id) {
      const file = path.relative(ROOT, id).replaceAll(path.sep, '/');
      if (!/^(src|shaders)\/.*\.ts$/.test(file)) return null;
      const edited = compileShaders(code, file);
      return (
        edited && { code: edited.toString(), map: edited.generateMap({ source: id, hires: 'boundary' }) }
      );
    },
  };
}
