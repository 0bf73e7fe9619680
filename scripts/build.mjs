// @ts-check
/**
 * @file Builds the library: dist/ holds the sources module by module, with types removed and shaders compiled, so that a
 * bundler takes from it what an app uses and nothing else; dist/<entry>.js stands on top. dist/browser/ holds the same
 * in a few minified files, for pages without a bundler. There is no run-time dependency.
 *
 * Pages (the demo, the benchmark, the notebook) are built by Vite, with configurations beside them.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { transformWithOxc } from 'vite';
import { rewriteImports } from './build-types.mjs';
import { entryModule, presentEntries } from './lib/entries.mjs';
import { readImports } from './lib/imports.mjs';
import { compileShaders } from './lib/shaders.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = path.join(ROOT, 'dist');

/**
 * A module as it is shipped, and its map.
 *
 * @param {string} file relative to the repository, with `/`
 */
async function compile(file) {
  const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const shaders = compileShaders(source, file);
  const code = shaders?.toString() ?? source;
  const before = shaders?.generateMap({ source: file, includeContent: true, hires: 'boundary' });
  const options = { lang: /** @type {const} */ ('ts'), target: 'es2022', sourcemap: true };
  const made = await transformWithOxc(code, path.join(ROOT, file), options, before);
  const helpers = Object.keys(made.helpersUsed ?? {});
  if (helpers.length > 0)
    throw new Error(`${file} needs helpers that are not shipped: ${helpers.join(', ')}`);
  return { code: rewriteImports(made.code), map: made.map };
}

/** @param {string} file @param {string} text */
function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

async function build() {
  const entries = presentEntries(ROOT);
  fs.rmSync(DIST, { recursive: true, force: true });
  const waiting = Object.values(entries);
  const reached = new Set(waiting);
  for (const file of waiting) {
    const { code, map } = await compile(file);
    const shipped = file.replace(/\.ts$/, '.js');
    const mapFile = `${path.posix.basename(shipped)}.map`;
    const up = path.posix.relative(path.posix.dirname(`dist/${file}`), '.');
    write(path.join(DIST, shipped), `${code}//# sourceMappingURL=${mapFile}\n`);
    write(
      path.join(DIST, `${shipped}.map`),
      JSON.stringify({ ...map, file: undefined, sources: [`${up}/${file}`] }),
    );
    for (const { specifier } of readImports(code)) {
      if (!specifier.startsWith('.')) continue;
      const target = path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
      if (!reached.has(target)) waiting.push(target);
      reached.add(target);
    }
  }
  for (const [name, source] of Object.entries(entries)) {
    write(path.join(DIST, `${name}.js`), entryModule(name, source.replace(/\.ts$/, '.js')));
  }
  await bundleForPages(Object.keys(entries));
  process.stdout.write(`dist/: ${reached.size} modules\n`);
}

/** @param {string[]} names */
async function bundleForPages(names) {
  const input = Object.fromEntries(names.map((name) => [name, path.join(DIST, `${name}.js`)]));
  const bundle = await rolldown({ input });
  await bundle.write({
    dir: path.join(DIST, 'browser'),
    format: 'esm',
    minify: true,
    sourcemap: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
