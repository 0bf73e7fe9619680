/** @file docs/names.md against the functions of TF.js: each has the same name here, or a row. The alternatives in rows exist. */
import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { foldName } from '../../src/core/suggest.ts';
import * as core from '../../src/index.ts';
import * as inspector from '../../src/inspect/index.ts';
import * as io from '../../src/io/index.ts';
import * as keras from '../../src/keras/index.ts';
import * as show from '../../src/show/index.ts';

const page = readFileSync(new URL('../../docs/names.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.slice(2, -2).split(' | '));
const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const listed = new Set(rows.flatMap(([names]) => codeIn(names)));

/** Returns the functions of a module that users call: no classes, no registered kernels. */
const functionsOf = (module: object) =>
  Object.entries(module)
    .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name))
    .map(([name]) => name);

test('a function of TF.js has the same name, or is listed', () => {
  const { browser, image, linalg, losses, signal, sparse, string, train } = tf;
  const known = [...Object.keys(core), ...Object.keys(keras)];
  const missing = (module: object, prefix: string, ours: readonly string[] = []) => {
    const names = new Set([...known, ...ours].map(foldName));
    return functionsOf(module)
      .filter((name) => !names.has(foldName(name)))
      .map((name) => `${prefix}${name}`);
  };
  const theirs = [
    ...missing(tf, 'tf.', ['train']),
    ...missing(losses, 'tf.losses.', Object.keys(keras.losses)),
    ...missing(train, 'tf.train.', Object.keys(keras.optimizers)),
    ...Object.entries({ browser, image, linalg, signal, sparse, string }).flatMap(([name, module]) =>
      missing(module, `tf.${name}.`),
    ),
  ];
  expect(theirs.length).toBeGreaterThan(100);
  expect(theirs.filter((name) => !listed.has(name))).toEqual([]);
});

test('what is offered instead exists', () => {
  const ours: Record<string, unknown> = { ...io, ...inspector, ...show, ...keras, ...core };
  const lookUp = (name: string) =>
    name.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], ours);
  const calls = rows
    .flatMap(([, offered]) => codeIn(offered))
    .filter((code) => /^(?:await )?[a-z]\w*(?:\.\w+)*(?:\(|$)/.test(code));
  expect(calls.length).toBeGreaterThan(200);
  const names = calls.map((code) => /^(?:await )?([\w.]+)/.exec(code)?.[1] ?? '');
  // Words of JavaScript, methods of tensors, models and charts, and options.
  const others =
    /^(?:(?:x|net|chart)\.\w+|fetch|performance\.now|console\.log|requestAnimationFrame|if|seed|sampleWeight|fromLogits|clipvalue|globalClipnorm|torch\.save)$/;
  expect(names.filter((name) => !others.test(name) && lookUp(name) === undefined)).toEqual([]);
});

/**
 * What the 43 programs of github.com/tensorflow/tfjs-examples (2024) use besides functions of the core: of tfjs-vis, tfjs-node, utilities, layers,
 * data and types. Names of the sources' comments are left out.
 */
const inExamples: Record<string, readonly string[]> = {
  'tfvis.': [
    ...['metrics.confusionMatrix', 'render.confusionMatrix', 'render.heatmap', 'render.linechart', 'visor'],
    ...['render.scatterplot', 'show.fitCallbacks', 'show.history', 'show.layer', 'show.modelSummary'],
  ],
  'tf.util.': ['assert', 'assertShapesMatch', 'createShuffledIndices', 'now', 'shuffle', 'sizeFromShape'],
  'tf.node.': ['decodeImage', 'loadSavedModel', 'summaryFileWriter', 'tensorBoard'],
  'tf.': [
    ...['GraphModel', 'LayersModel', 'MathBackendWebGL', 'Rank', 'Sequential', 'SymbolicTensor', 'Tensor1D'],
    ...['Tensor2D', 'Tensor3D', 'Tensor4D', 'WebGPUBackend', 'io.IOHandler', 'io.browserHTTPRequest'],
    ...['io.listModels', 'io.removeModel', 'loadGraphModel', 'loadLayersModel', 'models.modelFromJSON'],
    ...['serialization.registerClass', 'test_util.expectArraysClose', 'data.webcam'],
  ],
};

test.each(Object.entries(inExamples))(
  'names of %s that examples of TF.js use are listed',
  (prefix, names) => {
    expect(names.map((name) => prefix + name).filter((name) => !listed.has(name))).toEqual([]);
  },
);

/** Of layers, optimizers and the like, the same name. */
const same: readonly (readonly [module: object, names: string])[] = [
  [
    keras.layers,
    'Layer activation batchNormalization bidirectional concatenate conv1d conv2d conv2dTranspose',
  ],
  [
    keras.layers,
    'dense dot dropout embedding flatten globalMaxPool1d gru inputLayer leakyReLU lstm maxPooling2d',
  ],
  [keras.layers, 'multiply repeatVector reshape simpleRNN timeDistributed'],
  [keras.callbacks, 'earlyStopping'],
  [keras.regularizers, 'l2'],
  [keras.losses, 'meanSquaredError'],
  [keras.metrics, 'binaryCrossentropy meanSquaredError precision recall'],
  [keras.optimizers, 'adam rmsprop sgd Optimizer'],
];

test('names of the Keras API that examples of TF.js use are the same', () => {
  const missing = same.flatMap(([module, names]) => names.split(' ').filter((name) => !(name in module)));
  expect(missing).toEqual([]);
});
