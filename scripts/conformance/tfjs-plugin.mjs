// @ts-check
/**
 * @file The bundler's view of TF.js's test files: their imports of TF.js become imports of the shim
 * (test/conformance/tfjs/shim), their helpers stay TF.js's own. Nothing of TF.js is copied.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from '../setup.mjs';

const require = createRequire(import.meta.url);

export const DIST = path.join(ROOT, 'node_modules', '@tensorflow', 'tfjs-core', 'dist');
const SHIM = path.join(ROOT, 'test', 'conformance', 'tfjs');

/** Helpers that don't use tensors; everything else that a test imports comes from the shim. */
const HELPERS = /((^|\/)util|_util|util_base|test_util|types|backend|flags|log)\.js$/;

const TESTS = '\0tfjs-tests';
const PLACEHOLDER = '\0tfjs-placeholder';

/** @returns {string[]} all test files, relative to DIST */
export function testFiles() {
  return fs
    .readdirSync(DIST, { recursive: true })
    .map((file) => String(file).replaceAll('\\', '/'))
    .filter((file) => file.endsWith('_test.js'))
    .sort();
}

/**
 * @param {string[]} files
 * @returns {import('vite').Plugin}
 */
export function tfjsPlugin(files) {
  return {
    name: 'tfjs-tests',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id === 'virtual:tfjs-tests') return TESTS;
      if (id === 'virtual:tfjs') return PLACEHOLDER;
      if (!id.startsWith('.') || !importer?.startsWith(DIST)) return null;
      const target = existing(path.resolve(path.dirname(importer), id));
      const name = path.relative(DIST, target).replaceAll('\\', '/');
      if (name === 'jasmine_util.js') return path.join(SHIM, 'jasmineUtil.ts');
      if (name.startsWith('public/chained_ops/')) return PLACEHOLDER; // The shim's tensors have their methods.
      if (name === 'engine.js') return path.join(SHIM, 'shim', 'engine.ts');
      if (name === 'environment.js') return path.join(SHIM, 'shim', 'environment.ts');
      if (name === 'index.js') return PLACEHOLDER;
      const fromTest = importer.endsWith('_test.js');
      if (fromTest && !HELPERS.test(name) && !name.endsWith('_test.js')) return PLACEHOLDER;
      return target;
    },
    load(id) {
      if (id === TESTS) return testsSource(files);
      if (id === PLACEHOLDER) return placeholderSource();
      return null;
    },
  };
}

/** @param {string} file */
function existing(file) {
  const candidates = [file, `${file}.js`, path.join(file, 'index.js')];
  return candidates.find((name) => fs.statSync(name, { throwIfNoEntry: false })?.isFile()) ?? file;
}

/** @param {string[]} files */
function testsSource(files) {
  const loads = files.map(
    (file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(path.join(DIST, file))})`,
  );
  return `
    export const methods = ${JSON.stringify(chainedOps())};
    export const files = { ${loads.join(',\n')} };
  `;
}

/** Returns all of TF.js's names: from the shim, or a placeholder that says that it isn't available. */
function placeholderSource() {
  /** @type {Record<string, object | undefined>} */
  const tf = require('@tensorflow/tfjs-core');
  const names = [...new Set([...Object.keys(tf), 'ENGINE', 'getGlobalTensorClass'])];
  const picks = names.map((name) => {
    if (name === 'util') return `export { util };`;
    if (name === 'test_util') return `export { test_util };`;
    const group = /^[a-z]/.test(name) && typeof tf[name] === 'object' ? tf[name] : null;
    const members = group && Object.keys(group);
    return `export const ${name} = pick(${JSON.stringify(name)}, ${JSON.stringify(members)});`;
  });
  return `
    import * as shim from ${JSON.stringify(path.join(SHIM, 'shim', 'index.ts'))};
    import { outside } from ${JSON.stringify(path.join(SHIM, 'shim', 'notOffered.ts'))};
    import * as util from ${JSON.stringify(path.join(DIST, 'util.js'))};
    import * as test_util from ${JSON.stringify(path.join(DIST, 'test_util.js'))};
    const known = { ...shim };
    const pick = (name, members) => {
      if (!members) return known[name] ?? outside(name);
      const group = { ...known[name] };
      for (const member of members) group[member] ??= outside(name + '.' + member);
      return group;
    };
    ${picks.join('\n')}
  `;
}

/** Returns the ops that TF.js's tensors have as methods. */
function chainedOps() {
  const folder = path.join(DIST, 'public', 'chained_ops');
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => /prototype\.(\w+)\s*=/.exec(fs.readFileSync(path.join(folder, file), 'utf8'))?.[1] ?? '')
    .filter(Boolean);
}
