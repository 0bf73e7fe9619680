// @ts-check
/**
 * @file Checks the layers: reads every import in src/ and shaders/ and fails on imports from a higher layer, imports of a
 * package entry from inside, packages where none are allowed, two imports of one module in a file, and cycles of files.
 * Imports of types and `import()` count like any other.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ENTRY_SOURCES } from './lib/entries.mjs';
import { readImports } from './lib/imports.mjs';

/**
 * Layer -> the layers that it may import, besides itself. A layer is the longest prefix of a file's path that
 * is named here. Layers of keras call ops, never kernels; the graph and the tape never meet.
 *
 * @type {Record<string, string[]>}
 */
export const MAY_IMPORT = {
  shaders: [],
  'src/core': [],
  'src/history': ['src/core'],
  'src/webgpu': ['src/core', 'shaders'],
  'src/execution': ['src/webgpu', 'src/core', 'shaders'],
  'src/tensor': ['src/execution', 'src/webgpu', 'src/core', 'src/history'],
  'src/kernels': ['src/tensor', 'src/execution', 'src/webgpu', 'src/core', 'src/history', 'shaders'],
  'src/ops': ['src/kernels', 'src/tensor', 'src/execution', 'src/webgpu', 'src/core', 'src/history'],
  // Captured launches are fused, which is up to the kernels.
  'src/autodiff': [
    'src/kernels',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
  // Dry-runs calls, and launches their kernels in all variants.
  'src/autotune': [
    'src/autodiff',
    'src/ops',
    'src/kernels',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
    'shaders',
  ],
  // Runs each variant of the kernels, with gradients, and records wrong ones in the autotuner's store.
  'src/verify': [
    'src/autotune',
    'src/autodiff',
    'src/ops',
    'src/kernels',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
  // File formats know tensors and bytes, but no models.
  'src/formats': ['src/tensor', 'src/core', 'src/history'],
  // Where the bytes of files come from and go to.
  'src/storage': ['src/formats', 'src/core'],
  // Datasets, of files too. They know no models: `fit` takes them as iterables.
  'src/data': ['src/storage', 'src/formats', 'src/ops', 'src/tensor', 'src/core'],
  // Draws numbers and the values of tensors. It knows no models: a history is numbers by name.
  'src/show': ['src/formats', 'src/tensor', 'src/core'],
  // Watches a step from the tape down to its launches, and computes statistics of its own.
  'src/inspect': [
    'src/show',
    'src/autodiff',
    'src/ops',
    'src/kernels',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/storage',
    'src/core',
    'src/history',
    'shaders',
  ],
  'src/keras': [
    'src/keras/graph',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
  // Graphs of TensorFlow's operations, which have no layers; their files are read as those of layers models.
  'src/graphModel': [
    'src/keras/json',
    'src/keras/saving',
    'src/storage',
    'src/formats',
    'src/ops',
    'src/tensor',
    'src/webgpu',
    'src/core',
  ],
  'src/keras/graph': [
    'src/keras',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
  // A step writes variables in place, which ops don't do: optimizers launch kernels of their own.
  'src/keras/optimizers': [
    'src/keras',
    'src/kernels',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
  ],
  'src/keras/applications': [
    'src/keras/models',
    'src/keras/graph',
    'src/keras',
    'src/ops',
    'src/tensor',
    'src/core',
  ],
  // Models know the graph and are trained by modules that know the tape; no layer knows both. They save themselves.
  'src/keras/models': [
    'src/keras',
    'src/keras/callbacks',
    'src/keras/graph',
    'src/keras/json',
    'src/keras/saving',
    'src/keras/training',
    'src/keras/optimizers',
    'src/inspect',
    'src/storage',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
  // Some callbacks write checkpoints.
  'src/keras/callbacks': [
    'src/keras',
    'src/keras/saving',
    'src/ops',
    'src/tensor',
    'src/core',
    'src/history',
  ],
  'src/keras/training': [
    'src/keras',
    'src/keras/callbacks',
    'src/keras/optimizers',
    'src/autodiff',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
  // Descriptions of models and their parts. Models are written without importing their classes.
  'src/keras/json': ['src/keras', 'src/keras/graph', 'src/ops', 'src/tensor', 'src/core'],
  // Weights and checkpoints of models, written in a file format. Values are uploaded to the device of their weight, and put
  // in its order there, in place, which ops never do.
  'src/keras/saving': [
    'src/keras',
    'src/keras/json',
    'src/keras/optimizers',
    'src/storage',
    'src/formats',
    'src/ops',
    'src/kernels',
    'src/tensor',
    'src/webgpu',
    'src/core',
  ],
  // Creates models from descriptions and files.
  'src/keras/loading': [
    'src/keras',
    'src/keras/json',
    'src/keras/saving',
    'src/keras/models',
    'src/keras/graph',
    'src/keras/optimizers',
    'src/storage',
    'src/formats',
    'src/tensor',
    'src/core',
  ],
  // Encodes tables by layers, as a graph too, and saves itself.
  'src/keras/featureSpace': [
    'src/keras',
    'src/keras/graph',
    'src/keras/json',
    'src/keras/loading',
    'src/keras/saving',
    'src/storage',
    'src/formats',
    'src/ops',
    'src/tensor',
    'src/core',
  ],
  'src/keras/utils': ['src/keras', 'src/keras/featureSpace', 'src/ops', 'src/tensor', 'src/core'],
  // Transformers, made of layers of Keras, and the checkpoints of others.
  'src/hub': [
    'src/keras',
    'src/keras/json',
    'src/keras/models',
    'src/keras/saving',
    'src/storage',
    'src/formats',
    'src/autodiff',
    'src/ops',
    'src/tensor',
    'src/core',
  ],
  'src/io': [
    'src/keras',
    'src/keras/loading',
    'src/keras/saving',
    'src/keras/json',
    'src/keras/models',
    'src/keras/graph',
    'src/keras/optimizers',
    'src/keras/training',
    'src/keras/applications',
    'src/storage',
    'src/formats',
    'src/autodiff',
    'src/ops',
    'src/tensor',
    'src/execution',
    'src/webgpu',
    'src/core',
    'src/history',
  ],
};

/**
 * Layer -> packages that it may import.
 *
 * @type {Record<string, RegExp>}
 */
const MAY_IMPORT_PACKAGES = { shaders: /^wgsl-preprocessor(\/|$)/ };

/** Entries collect exports and are above every layer. The entry of Keras's layers is only the index of its own folder. */
const ENTRIES = Object.values(ENTRY_SOURCES).filter((file) => file !== 'src/keras/layers/index.ts');

/** @typedef {{ file: string, line: number, message: string }} Violation */

/**
 * @param {Map<string, string>} sources path (relative, with `/`) -> text of every file in src/ and shaders/
 * @returns {Violation[]}
 */
export function checkLayers(sources) {
  /** @type {Violation[]} */
  const violations = [];
  for (const [file, text] of sources) {
    const imports = readImports(text);
    for (const { specifier, line } of repeatedImports(imports)) {
      violations.push({ file, line, message: `imports '${specifier}' a second time: merge the two imports` });
    }
    for (const found of imports) {
      const target = found.specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), found.specifier)
        : null;
      const message =
        target === null ? packageFault(file, found.specifier) : importFault(file, target, sources);
      if (message) violations.push({ file, line: found.line, message });
    }
  }
  for (const cycle of findCycles(importGraph(sources))) {
    violations.push({ file: cycle[0] ?? '', line: 1, message: `imports itself: ${cycle.join(' -> ')}` });
  }
  for (const file of sources.keys()) {
    if (layerOf(file) === null && !ENTRIES.includes(file)) {
      const message = 'is in no layer: move it into one, or add its layer to scripts/check-layers.mjs';
      violations.push({ file, line: 1, message });
    }
  }
  return violations;
}

/**
 * Returns the imports of a module that the file already imports further up.
 *
 * @param {import('./lib/imports.mjs').Import[]} imports
 */
function repeatedImports(imports) {
  const atLoad = imports.filter(({ dynamic, reexport }) => !dynamic && !reexport);
  return atLoad.filter(({ specifier }, i) => atLoad.findIndex((other) => other.specifier === specifier) < i);
}

/**
 * File -> the files that it imports, by types and by `import()` included.
 *
 * @param {Map<string, string>} sources
 */
function importGraph(sources) {
  /** @param {string} file @param {string} text */
  const imported = (file, text) =>
    readImports(text)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => path.posix.join(path.posix.dirname(file), specifier));
  return new Map([...sources].map(([file, text]) => [file, imported(file, text)]));
}

/** @param {string} file @param {string} specifier */
function packageFault(file, specifier) {
  const layer = layerOf(file);
  const allowed = layer === null ? undefined : MAY_IMPORT_PACKAGES[layer];
  if (allowed?.test(specifier)) return null;
  return `imports the package '${specifier}', which ${layer ?? 'an entry'} must not import`;
}

/**
 * @param {string} file
 * @param {string} target
 * @param {Map<string, string>} sources
 */
function importFault(file, target, sources) {
  if (!sources.has(target)) return `imports '${target}', which is not a file in src/ or shaders/`;
  if (isEntry(file)) return null;
  if (isEntry(target)) return `imports the package entry ${target}; import the file that has what you need`;
  const [from, to] = [layerOf(file), layerOf(target)];
  if (from === null || to === null || from === to || MAY_IMPORT[from]?.includes(to)) return null;
  const allowed = MAY_IMPORT[from]?.join(', ') || 'nothing';
  return `${from} must not import ${to} (${target}); in addition to itself it may import: ${allowed}`;
}

/** @param {string} file */
function isEntry(file) {
  return ENTRIES.includes(file);
}

/** @param {string} file */
function layerOf(file) {
  const layers = Object.keys(MAY_IMPORT).filter(
    (layer) => file.startsWith(`${layer}/`) || file === `${layer}.ts`, // A layer may begin as a single file.
  );
  return layers.sort((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * One cycle for each strongly connected component of files that import each other (Tarjan 1972).
 *
 * @param {Map<string, string[]>} graph
 * @returns {string[][]}
 */
export function findCycles(graph) {
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const marks = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const cycles = [];
  /** @param {string} file */
  const visit = (file) => {
    const mark = { index: marks.size, low: marks.size, open: true };
    marks.set(file, mark);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      const seen = marks.get(next);
      if (!seen) mark.low = Math.min(mark.low, visit(next).low);
      else if (seen.open) mark.low = Math.min(mark.low, seen.index);
    }
    if (mark.low === mark.index) {
      const component = new Set(stack.splice(stack.indexOf(file)));
      for (const member of component) /** @type {{ open: boolean }} */ (marks.get(member)).open = false;
      if (component.size > 1 || graph.get(file)?.includes(file))
        cycles.push(shortestCycle(file, component, graph));
    }
    return mark;
  };
  for (const file of graph.keys()) if (!marks.has(file)) visit(file);
  return cycles;
}

/** @param {string} start @param {Set<string>} component @param {Map<string, string[]>} graph */
function shortestCycle(start, component, graph) {
  /** @type {string[][]} */
  const paths = [[start]];
  const seen = new Set();
  for (const prefix of paths) {
    for (const next of graph.get(prefix[prefix.length - 1] ?? start) ?? []) {
      if (next === start) return [...prefix, start];
      if (!component.has(next) || seen.has(next)) continue;
      seen.add(next);
      paths.push([...prefix, next]);
    }
  }
  return [start, start];
}

/**
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function readSources(root) {
  const files = ['src', 'shaders']
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true })
        .map((name) => path.join(folder, String(name))),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort();
  return new Map(
    files.map((file) => [file.replaceAll('\\', '/'), fs.readFileSync(path.join(root, file), 'utf8')]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sources = readSources(fileURLToPath(new URL('..', import.meta.url)));
  const violations = checkLayers(sources);
  for (const { file, line, message } of violations) process.stderr.write(`${file}:${line}: ${message}\n`);
  process.stdout.write(`${sources.size} files, ${violations.length} forbidden imports\n`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
