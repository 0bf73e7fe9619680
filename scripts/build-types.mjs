// @ts-check
/**
 * @file Writes the types of the package: dist/types/ as the compiler emits them, with imports that every version of
 * TypeScript resolves (`./x.js`), without declarations that no entry leads to, and dist/<entry>.d.ts for the entries.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { presentEntries } from './lib/entries.mjs';
import { pruneTypes } from './lib/pruneTypes.mjs';
import { shippedName, withShippedNames } from './lib/shipped-names.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPES = path.join(ROOT, 'dist', 'types');

/** @param {string} text */
export function rewriteImports(text) {
  return text.replace(/((?:\bfrom|\bimport\(|\bimport)\s*(['"])\.[^'"\n]*)\.ts\2/g, '$1.js$2');
}

const DOCS = /(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?/.source;
const CALLS = /\{\n((?: {4}\(.*\): .*;\n)+)\}/.source;
const CALL = /\(([^()]*)\) => ([\w<>]+)/.source;
const FACTORY = new RegExp(`^(${DOCS})export declare const (\\w+): (?:${CALLS}|${CALL});$`, 'gm');

/**
 * Declares constants that are only called, such as the factories of layers, as functions: editors then show each call with the name and
 * the documentation of the factory.
 *
 * @param {string} text
 */
export function declareFunctions(text) {
  return text.replace(FACTORY, (_, docs, name, calls, parameters, result) => {
    const all = calls ? calls.trim().split(/\s*\n\s*/) : [`(${parameters}): ${result};`];
    // An optional parameter may always be undefined.
    const shown = all.map((/** @type {string} */ call) =>
      call.replace(/(\w+\?: (?:[^(),<>]|<[^<>]*>|\([^()]*\))*?) \| undefined(?=, \w+\??: |\): )/g, '$1'),
    );
    return shown
      .map((/** @type {string} */ call) => `${docs}export declare function ${name}${call}`)
      .join('\n');
  });
}

/**
 * Writes declarations shorter: a level of indentation is one space, nothing is said for bundlers, which don't read them, and imports don't
 * say what is a type, which matters only where code is made.
 *
 * @param {string} text
 */
export function compact(text) {
  return text
    .replace(/^(?: {4})+/gm, (indentation) => ' '.repeat(indentation.length / 4))
    .replaceAll('/* @__PURE__ */ ', '')
    .replace(/^import \{[^}]*\} from/gm, (names) => names.replaceAll('type ', ''));
}

/** WebGPU's type aliases, which can't be declared twice as interfaces can. @type {Record<string, string>} */
const ALIASES = {
  GPUBufferUsageFlags: 'number',
  GPUErrorFilter: "'internal' | 'out-of-memory' | 'validation'",
  GPUFeatureName: 'string',
};

/** @param {string} text */
function expandAliases(text) {
  return text.replace(/\b(GPU\w+)\b/g, (name) => ALIASES[name] ?? name);
}

/**
 * Returns what the types need of TypeScript's libraries beyond ES2022 and DOM. If DOM declares WebGPU, its declarations are
 * merged with these empty ones; if not, apps that use no WebGPU types need no other package.
 *
 * @param {readonly string[]} texts the declarations
 */
function environment(texts) {
  const used = new Set(texts.flatMap((text) => text.match(/\bGPU(?:[A-Z]\w*)?\b/g) ?? []));
  const interfaces = [...used].sort().map((name) => `  interface ${name} {}`);
  return `/// <reference lib="esnext.disposable" />\ndeclare global {\n${interfaces.join('\n')}\n}\nexport {};\n`;
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  const names = fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)));
  return names.filter((name) => fs.statSync(name).isFile());
}

function buildTypes() {
  fs.rmSync(TYPES, { recursive: true, force: true });
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', path.join(ROOT, 'tsconfig.build.json')], { stdio: 'inherit' });
  for (const file of filesIn(TYPES))
    fs.writeFileSync(file, declareFunctions(expandAliases(rewriteImports(fs.readFileSync(file, 'utf8')))));

  /** @type {string[]} */
  const roots = [];
  for (const [name, source] of Object.entries(presentEntries(ROOT))) {
    const file = path.join(ROOT, 'dist', `${name}.d.ts`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const up = path.posix.relative(path.posix.dirname(name), 'types');
    const toTypes = up.startsWith('.') ? up : `./${up}`;
    const own = `${toTypes}/${shippedName(source)}.js`;
    fs.writeFileSync(file, `import '${toTypes}/environment.js';\nexport * from '${own}';\n`);
    roots.push(path.join(TYPES, source.replace(/\.ts$/, '.d.ts')));
  }
  const needed = pruneTypes(roots);
  fs.rmSync(TYPES, { recursive: true });
  fs.mkdirSync(TYPES);
  for (const [file, text] of needed) {
    const source = path.relative(TYPES, file).replaceAll(path.sep, '/');
    fs.writeFileSync(
      path.join(TYPES, `${shippedName(source)}.d.ts`),
      withShippedNames(compact(text), source),
    );
  }
  fs.writeFileSync(path.join(TYPES, 'environment.d.ts'), environment([...needed.values()]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildTypes();
  } catch {
    process.exitCode = 1; // The compiler has printed why.
  }
}
