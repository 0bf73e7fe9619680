// @ts-check
/**
 * @file A Vite plugin that writes the package's modules: dist/ holds the sources one by one, with types removed and shaders
 * compiled, so that a bundler includes only what an app uses. dist/<entry>.js re-exports an entry by names. Before that it
 * imports dist/moduleOrder.js, by which bundlers put similar modules next to each other.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync, transformWithOxc } from 'vite';
import { rewriteImports } from '../build-types.mjs';
import { presentEntries } from './entries.mjs';
import { readImports } from './imports.mjs';
import { compileShaders } from './shaders.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = path.join(ROOT, 'dist');

/**
 * The folders whose modules come first in a bundle, from the lowest layer up. gzip finds repetitions only within 32 kB, and
 * WGSL repeats WGSL. Higher layers keep the order of their imports: they would be loaded at once where nothing bundles.
 */
const ORDERED_LAYERS = [
  'shaders',
  'src/core',
  'src/history',
  'src/webgpu',
  'src/execution',
  'src/tensor',
  'src/kernels',
];

/** @returns {import('vite').Plugin} */
export function libraryModules() {
  return {
    name: 'library-modules',
    apply: 'build',
    async buildStart() {
      fs.rmSync(DIST, { recursive: true, force: true });
      const entries = presentEntries(ROOT);
      const modules = await writeModules(Object.values(entries));
      write(path.join(DIST, 'moduleOrder.js'), moduleOrder(modules));
      for (const [name, source] of Object.entries(entries)) {
        write(path.join(DIST, `${name}.js`), await entryModule(name, source));
      }
      process.stdout.write(`dist/: ${modules.length} modules\n`);
    },
  };
}

/**
 * Returns the module of an entry. It names what it re-exports: with `export *`, webpack 5.112 rejects apps that import a name
 * without using it.
 *
 * @param {string} name
 * @param {string} source
 */
async function entryModule(name, source) {
  const shipped = source.replace(/\.ts$/, '.js');
  /** @param {string} file */
  const relative = (file) => {
    const to = path.posix.relative(path.posix.dirname(name), file);
    return to.startsWith('.') ? to : `./${to}`;
  };
  // The address differs for every build, since Node keeps modules.
  const address = `${pathToFileURL(path.join(DIST, shipped)).href}?${Date.now()}`;
  const names = Object.keys(await import(address));
  const list = names.map((exported) => `  ${exported},\n`).join('');
  return `import '${relative('moduleOrder.js')}';\nexport {\n${list}} from '${relative(shipped)}';\n`;
}

/**
 * Writes `sources` and what they import.
 *
 * @param {string[]} sources relative to the repository, with `/`
 * @returns {Promise<string[]>} the sources of all modules
 */
async function writeModules(sources) {
  const reached = new Set(sources);
  for (const file of reached) {
    const code = await compile(file);
    write(path.join(DIST, file.replace(/\.ts$/, '.js')), code);
    for (const { specifier } of readImports(code)) {
      if (!specifier.startsWith('.')) continue;
      reached.add(path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts'));
    }
  }
  return [...reached];
}

/**
 * Returns a module that imports those of the lower layers, by layer and the names of files: files of a family begin alike. Bundlers order modules by when they would be
 * evaluated, and drop imports of modules that nothing uses, because the package declares its modules free of side effects.
 *
 * @param {readonly string[]} sources relative to the repository, with `/`
 */
export function moduleOrder(sources) {
  const ordered = ORDERED_LAYERS.flatMap((layer) =>
    sources.filter((file) => file.startsWith(`${layer}/`)).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
  );
  return ordered.map((file) => `import './${file.replace(/\.ts$/, '.js')}';\n`).join('');
}

/** Shaders are ordered by their folders, which compresses better by 0.1 kB. @param {string} file */
const orderOf = (file) => (file.startsWith('shaders/') ? file : path.posix.basename(file));

/**
 * Returns a module as it is shipped: readable, so that it needs no source map, and without comments, which the types and the
 * sources have.
 *
 * @param {string} file
 */
async function compile(file) {
  const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const code = compileShaders(source, file)?.toString() ?? source;
  const options = { lang: /** @type {const} */ ('ts'), target: 'es2022', sourcemap: false };
  const made = await transformWithOxc(code, path.join(ROOT, file), options);
  const helpers = Object.keys(made.helpersUsed ?? {});
  if (helpers.length > 0)
    throw new Error(`${file} needs helpers that are not shipped: ${helpers.join(', ')}`);
  return rewriteImports(withoutComments(made.code));
}

/** Comments that tools read: what may be dropped if its result is unused, and imports that bundlers leave alone. */
const ANNOTATION = /[@#]__|@vite-ignore|webpackIgnore/;

/**
 * Returns JavaScript without its comments and the lines that only they filled.
 *
 * @param {string} code
 */
export function withoutComments(code) {
  let kept = '';
  let end = 0;
  for (const comment of parseSync('module.js', code).comments) {
    if (ANNOTATION.test(comment.value)) continue;
    const before = code.slice(end, comment.start);
    const isWholeLine = /(?:^|\n)[\t ]*$/.test(before) && /^[\t ]*(?:\n|$)/.test(code.slice(comment.end));
    kept += isWholeLine ? before.replace(/[\t ]*$/, '') : before;
    end = isWholeLine ? code.indexOf('\n', comment.end) + 1 || code.length : comment.end;
  }
  return kept + code.slice(end);
}

/** @param {string} file @param {string} text */
function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
