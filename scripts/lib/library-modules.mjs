// @ts-check
/**
 * @file Writes the package's modules: dist/modules/ holds the sources one by one, with types removed and shaders
 * compiled, so that a bundler includes only what an app uses. dist/<entry>.js re-exports an entry by names. Before that it
 * imports dist/moduleOrder.js, by which bundlers put similar modules next to each other.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { minifySync, transformWithOxc } from 'vite';
import { presentEntries } from './entries.mjs';
import { readImports } from './imports.mjs';
import { compileShaders } from './shaders.mjs';
import { shippedName, withShippedNames } from './shipped-names.mjs';

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

/**
 * Writes all of dist/, and returns the module of each entry.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function writeLibrary() {
  fs.rmSync(DIST, { recursive: true, force: true });
  const entries = presentEntries(ROOT);
  const compiled = await compileAll(Object.values(entries));
  for (const [source, code] of compiled)
    write(placeOf(source), compact(withShippedNames(code, source), source));
  write('moduleOrder.js', moduleOrder([...compiled.keys()]));
  for (const [name, source] of Object.entries(entries))
    write(`${name}.js`, await entryModule(name, placeOf(source)));
  process.stdout.write(`dist/: ${compiled.size} modules\n`);
  return Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, path.join(DIST, placeOf(source))]),
  );
}

/** Returns where a module is, relative to dist/. @param {string} source relative to the repository, with `/` */
const placeOf = (source) => `modules/${shippedName(source)}.js`;

/**
 * Returns the module of an entry. It names what it re-exports: with `export *`, webpack 5.112 rejects apps that import a name
 * without using it.
 *
 * @param {string} name
 * @param {string} shipped what it re-exports, relative to dist/
 */
async function entryModule(name, shipped) {
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
 * Compiles `sources` and what they import.
 *
 * @param {string[]} sources relative to the repository, with `/`
 */
async function compileAll(sources) {
  /** @type {Map<string, string>} */
  const compiled = new Map();
  const reached = new Set(sources);
  for (const file of reached) {
    const code = await compile(file);
    compiled.set(file, code);
    for (const { specifier } of readImports(code)) {
      if (specifier.startsWith('.')) reached.add(path.posix.join(path.posix.dirname(file), specifier));
    }
  }
  return compiled;
}

/**
 * Returns a module that imports those of the lower layers, by layer and path. Bundlers
 * order modules by when they would be evaluated, and drop imports of modules that nothing uses, because the package declares its modules
 * free of side effects.
 *
 * @param {readonly string[]} sources relative to the repository, with `/`
 */
export function moduleOrder(sources) {
  const ordered = ORDERED_LAYERS.flatMap((layer) =>
    sources.filter((file) => file.startsWith(`${layer}/`)).sort(),
  );
  return ordered.map((file) => `import './${placeOf(file)}';\n`).join('');
}

/** Returns a module without types, and with compiled shaders. @param {string} file */
async function compile(file) {
  const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const code = compileShaders(source, file)?.toString() ?? source;
  const options = { lang: /** @type {const} */ ('ts'), target: 'es2022', sourcemap: false };
  const made = await transformWithOxc(code, path.join(ROOT, file), options);
  const helpers = Object.keys(made.helpersUsed ?? {});
  if (helpers.length > 0)
    throw new Error(`${file} needs helpers that are not shipped: ${helpers.join(', ')}`);
  return made.code;
}

/**
 * Returns JavaScript as it is shipped: with the names of functions, classes, exports and properties, but with short ones of local variables,
 * and without white space and comments, except those by which bundlers drop what isn't used. The printer drops these, too: meanwhile they
 * are assignments. It also writes strings as templates; tools look for imports with quotes.
 *
 * @param {string} code
 * @param {string} file
 */
export function compact(code, file) {
  const marked = code
    .replace(/\/\* @__(PURE|NO_SIDE_EFFECTS)__ \*\/(?!\s*(?:export|async|function)\b)/g, '$$$1=')
    .replaceAll('/* @__NO_SIDE_EFFECTS__ */', '$NO_SIDE_EFFECTS;');
  const { code: printed, errors } = minifySync(file.replace(/\.ts$/, '.js'), marked, {
    compress: false,
    module: true,
    mangle: { toplevel: false, keepNames: true },
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return printed
    .replace(/\$(PURE|NO_SIDE_EFFECTS)[=;]/g, '/*@__$1__*/')
    .replace(/\bimport\(`([^`$]*)`\)/g, 'import("$1")');
}

/** @param {string} place relative to dist/ @param {string} text */
function write(place, text) {
  const file = path.join(DIST, place);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
