// @ts-check
/** @file The lists of the reference: exports by purpose, and the table of ops. */
import { summaryOf } from './docstring.mjs';
import { escapeHtml } from './types.mjs';

/** @typedef {import('./api.mjs').Export} Export */
/** @typedef {{ file: string, title: string, description: string, html: string, pages: string[] }} ListPage */

/**
 * Lists other than the ops, by the exports that they contain.
 * @type {readonly { file: string, title: string, known: string, holds: (one: Export) => boolean, group?: Group }[]} `known` is what
 * the overview names: what is looked for most
 */
const LISTS = [
  {
    file: 'all-layers.html',
    title: 'Layers',
    known: 'dense, conv2d, lstm, dropout',
    holds: within('layers'),
    group: kindOfLayer,
  },
  {
    file: 'all-models.html',
    title: 'Models and inputs',
    known: 'sequential, model, input',
    holds: ({ entry, name }) => entry === 'retrograd/keras' && !name.includes('.'),
  },
  {
    file: 'all-keras-ops.html',
    title: 'keras.ops',
    known: 'the names and defaults of keras.ops',
    holds: within('ops'),
  },
  {
    file: 'all-losses.html',
    title: 'Losses',
    known: 'meanSquaredError, categoricalCrossentropy',
    holds: within('losses'),
  },
  { file: 'all-metrics.html', title: 'Metrics', known: 'accuracy, auc, f1Score', holds: within('metrics') },
  {
    file: 'all-optimizers.html',
    title: 'Optimizers',
    known: 'adam, sgd, adamW, cosineDecay',
    holds: within('optimizers'),
  },
  {
    file: 'all-callbacks.html',
    title: 'Callbacks',
    known: 'earlyStopping, modelCheckpoint, tensorBoard',
    holds: within('callbacks'),
  },
  {
    file: 'all-weights.html',
    title: 'Initializers, regularizers, constraints',
    known: 'glorotUniform, l2, maxNorm',
    holds: within('initializers', 'regularizers', 'constraints'),
  },
  {
    file: 'all-activations.html',
    title: 'Activations and applications',
    known: 'relu, gelu, mobileNetV2, resNet50',
    holds: within('activations', 'applications'),
  },
  {
    file: 'all-data.html',
    title: 'Datasets: retrograd/data',
    known: 'csv, imageDatasetFromDirectory, fromTensorSlices',
    holds: ({ entry }) => entry === 'retrograd/data',
  },
  {
    file: 'all-files.html',
    title: 'Files: retrograd/io',
    known: 'loadModel, loadWeights, loadCheckpoint',
    holds: ({ entry }) => entry === 'retrograd/io',
  },
  {
    file: 'all-show.html',
    title: 'Charts: retrograd/show',
    known: 'historyChart, confusionMatrix, images',
    holds: ({ entry }) => entry === 'retrograd/show',
  },
  {
    file: 'all-inspect.html',
    title: 'Inspector: retrograd/inspect',
    known: 'inspect, compareSteps, recordSteps',
    holds: ({ entry }) => entry === 'retrograd/inspect',
  },
  {
    file: 'all-hub.html',
    title: 'Pretrained networks: retrograd/hub',
    known: 'fromPretrained, loadTokenizer, savePretrained',
    holds: ({ entry }) => entry === 'retrograd/hub',
  },
  {
    file: 'all-kernels.html',
    title: 'Kernels in your encoder',
    known: 'encodeFunction, encodeKernel, conv2d',
    holds: ({ entry }) => entry === 'retrograd/kernels',
  },
];

/** What is neither an op nor of another entry. */
const CORE = {
  file: 'all-core.html',
  title: 'Device, tensors, tape, history',
  known: 'init, tensor, variable, GradientTape, vmap',
};

/** @typedef {(one: Export) => string} Group returns the heading under which an export is listed */

/** The kinds of layers, by the folders of src/keras/layers, in the order of Keras's own list. @type {Readonly<Record<string, string>>} */
const KINDS_OF_LAYERS = {
  core: 'Core',
  convolutional: 'Convolution',
  pooling: 'Pooling',
  rnn: 'Recurrent',
  recurrent: 'Recurrent',
  preprocessing: 'Preprocessing',
  normalization: 'Normalization',
  regularization: 'Regularization',
  attention: 'Attention',
  reshaping: 'Reshaping',
  merging: 'Merging',
  activations: 'Activation',
  wrappers: 'Wrappers',
};

/** @type {Group} */
function kindOfLayer({ file }) {
  const folder = /layers\/([^/]+)\/[^/]+$/.exec(file)?.[1] ?? '';
  return KINDS_OF_LAYERS[folder] ?? 'Other';
}

/** @param {...string} namespaces */
function within(...namespaces) {
  return (/** @type {Export} */ { entry, name }) =>
    entry === 'retrograd/keras' && namespaces.some((space) => name.startsWith(`${space}.`));
}

/** @param {import('./reference.mjs').Reference} reference @returns {ListPage[]} */
export function listPages(reference) {
  const { ops } = reference.additions;
  const isOp = (/** @type {Export} */ { entry, name }) => entry === 'retrograd' && name in ops;
  const lists = LISTS.map(({ file, title, known, holds, group }) =>
    listPage(reference, { file, title, known }, reference.all.filter(holds), group),
  );
  const core = reference.all.filter((one) => one.entry === 'retrograd' && !isOp(one));
  const all = [opsPage(reference, reference.all.filter(isOp)), listPage(reference, CORE, core), ...lists];
  return [indexPage(all, reference.all.length), ...all];
}

/** @param {ListPage[]} lists @param {number} count @returns {ListPage} */
function indexPage(lists, count) {
  const items = lists.map(
    ({ file, title, description, pages }) =>
      `<li><p class="title"><a href="./${file}">${title}</a> <span class="count">${pages.length}</span></p><p>${description}</p></li>`,
  );
  const html = `<h1>Reference</h1>
<p class="lead">All ${count.toLocaleString('en')} public exports. Press <kbd>/</kbd> to search by name.</p>
<ul class="cards">${items.join('\n')}</ul>`;
  return {
    file: 'index.html',
    title: 'Overview',
    description: 'Every public export of Retrograd.',
    html,
    pages: [],
  };
}

/**
 * @param {import('./reference.mjs').Reference} reference
 * @param {{ file: string, title: string, known: string }} list
 * @param {Export[]} exported
 * @param {Group} [group]
 * @returns {ListPage}
 */
function listPage(reference, { file, title, known }, exported, group) {
  const pages = [...new Set(exported.map(({ page }) => page))];
  // A factory stands for its class.
  const first = pages.flatMap((page) => reference.pages.get(page)?.slice(0, 1) ?? []);
  const values = first.filter(({ kind }) => kind !== 'interface' && kind !== 'type');
  const types = first.filter((one) => !values.includes(one));
  const isClass = (/** @type {Export} */ { kind }) => kind === 'class';
  const makers = group ? values.filter((one) => !isClass(one)) : values;
  const classes = group ? values.filter(isClass) : [];
  const html = [
    `<h1>${title}</h1>`,
    group ? groupsHtml(makers, group) : listHtml(makers),
    classes.length > 0 ? `<h2 id="classes">Classes</h2>${listHtml(classes)}` : '',
    types.length > 0 ? `<h2 id="types">Types</h2>${listHtml(types)}` : '',
  ].join('');
  return { file, title, description: `${known} …`, html, pages };
}

/** @param {Export[]} exported @param {Group} group */
function groupsHtml(exported, group) {
  const order = [...new Set(Object.values(KINDS_OF_LAYERS))];
  const names = [...new Set(exported.map(group))].toSorted((a, b) => place(order, a) - place(order, b));
  return names
    .map((name) => {
      const own = exported.filter((one) => group(one) === name);
      return `<h2 id="${name.toLowerCase()}">${name}</h2>${listHtml(own)}`;
    })
    .join('');
}

/** What isn't in the order comes last. @param {string[]} order @param {string} name */
const place = (order, name) => (order.includes(name) ? order.indexOf(name) : order.length);

/** @param {Export[]} exported one for each page */
function listHtml(exported) {
  const rows = exported.map(
    ({ page, name, doc }) =>
      `<div><dt><a href="./${page}"><code>${escapeHtml(name)}</code></a></dt><dd>${inline(summaryOf(doc))}</dd></div>`,
  );
  return `<dl class="list">${rows.join('\n')}</dl>`;
}

/** @param {import('./reference.mjs').Reference} reference @param {Export[]} exported @returns {ListPage} */
function opsPage({ additions }, exported) {
  const names = Object.keys(additions.ops);
  const groups = [...new Set(Object.values(additions.ops).map(({ group }) => group))];
  const sections = groups.map((group) => {
    const rows = names
      .filter((name) => additions.ops[name]?.group === group)
      .map((name) => {
        const one = exported.find((other) => other.name === name);
        const facts = additions.ops[name];
        if (!one || !facts) return '';
        return `<tr><th scope="row"><a href="./${one.page}"><code>${escapeHtml(name)}</code></a></th><td>${inline(summaryOf(one.doc))}</td>${labelled('gradient', facts.gradient)}${labelled('second gradient', facts.second)}${labelled('kernels', facts.kernels.join(', '))}${labelled('dtypes', facts.dtypes.join(', '))}</tr>`;
      });
    const head = ['op', 'result', 'gradient', 'second gradient', 'kernels', 'dtypes']
      .map((label) => `<th scope="col">${label}</th>`)
      .join('');
    return `<h2 id="${group.toLowerCase().replaceAll(/[^a-z]+/g, '-')}">${escapeHtml(group)}</h2><div class="table" tabindex="0"><table class="ops"><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
  });
  const html = `<h1>Ops</h1>
<p class="lead">The gradients of each op, the kernels that it launches on a GPU, and the dtypes that it takes. The table is generated by
a dry run of each op on its test samples.</p>
<p>“by its formula”: the op is composed of other ops, which have gradients. “zero”: the second gradient is zero, because the first one
doesn't depend on the inputs (a linear op).</p>
${sections.join('\n')}`;
  return {
    file: 'all-ops.html',
    title: 'Ops',
    description: 'matMul, conv2d, gather, softmax …',
    html,
    pages: [...new Set(exported.map(({ page }) => page))],
  };
}

/** Returns a cell that names its column on narrow screens. @param {string} label @param {string} value */
const labelled = (label, value) =>
  value === '' ? '<td></td>' : `<td data-label="${label}">${escapeHtml(value)}</td>`;

/** Code in backticks, nothing else. @param {string} text */
const inline = (text) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
