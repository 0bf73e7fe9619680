// @ts-check
/**
 * @file Writes the README's table of speedups from a result of the benchmark:
 * `node scripts/bench-figures.mjs [bench/results/chromium-swiftshader.json]`.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ROOT, runMain, SetupError } from './setup.mjs';

/** @typedef {import('../bench/result.ts').BenchResult} BenchResult */

/** Lines of the table, each with the rows that it spans. @type {readonly [workload: string, rows: RegExp][]} */
const groups = [
  ['matmul, dense layers', /^(matMul (?!.*vector)|dense)/],
  ['matrix–vector products', /^matMul .*vector/],
  ['conv2d, forward', /^conv \d.*, forward$/],
  ['conv2d, gradients', /^conv \d.*gradient$/],
  ['transposed, grouped and 1D convolutions', /^(transposed conv|conv1d|conv .*groups)/],
  ['gather, scatter-add, embedding training', /^(gather|scatter-add|embedding)/],
  ['attention, forward', /^causal attention [^,]*$/],
  ['attention, with gradient', /^causal attention .*gradient/],
  ['softmax, layer and batch normalization', /^(softmax|layerNorm|batchNorm)/],
  ['pooling gradients', /pool /],
  ['elementwise ops', /^(add|sin|where|bias|elementwise)/],
  ['reductions', /^(sum|mean|max) \d/],
  ['transpose, concat, pad, cumsum, sort, topK', /^(transpose |concat|pad|cumsum|sort|topK)/],
  ['training step, MLP', /^MLP/],
  ['training step, CNN', /^CNN/],
  ['training step, LSTM', /^LSTM/],
  ['training step, transformer', /^transformer/],
  ['perceptual loss through VGG19, with gradient', /^VGG19/],
  ['1,000 small ops, eager', /chained ops.*eager/],
  ['1,000 small ops, compiled', /chained ops.*compiled/],
  ['time from import to the first result', /^cold start/],
  ['first call with a new shape', /^new shape/],
  ['gzipped bundle of four ops with gradients, initial chunk', /^bundle, matMul.*initial/],
  ['gzipped bundle of four ops with gradients, all chunks', /^bundle, matMul.*total/],
];

/** The goals for all rows, and for eager single ops. */
const goals = [
  { rows: /chained ops.*eager/, minimum: 2 },
  { rows: /^/, minimum: 1 },
];

/** @param {readonly number[]} ratios */
function rangeOf(ratios) {
  if (ratios.length === 0) return '–';
  const [minimum, maximum] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(1));
  return minimum === maximum ? minimum : `${minimum} to ${maximum}`;
}

/** Returns the README's part between its marks. @param {BenchResult} result */
export function figures({ adapter, engine, date, versions, rows }) {
  const known = rows.flatMap(({ name, ratio }) => (ratio === null ? [] : [{ name, ratio }]));
  const lines = groups.map(([workload, pattern]) => {
    const range = rangeOf(known.filter(({ name }) => pattern.test(name)).map(({ ratio }) => ratio));
    return `| ${workload} | ${range} |`;
  });
  const missed = known.filter(({ name, ratio }) =>
    goals.some(({ rows, minimum }) => rows.test(name) && ratio < minimum),
  );
  const list = missed.map(({ name, ratio }) => `${name} (${ratio.toFixed(2)}×)`).join('; ');
  const browser = /(?:Firefox|Chrome)\/\d+/.exec(engine)?.[0].replace('/', ' ') ?? engine;
  return `The table shows how many times faster (or smaller) Retrograd is than the best of TF.js ${versions.tfjs}, jax-js ${versions.jaxjs} and ONNX Runtime Web ${versions.ort},
measured in the same page: headless ${browser}, ${adapter}, ${date}, version ${versions.retrograd}. A range spans the rows of a
workload ([all rows, with spreads and rooflines](bench/results/chromium-swiftshader.md)).

| workload | ratio (×) |
| --- | --- |
${lines.join('\n')}

Missed targets: ${list || 'none'}. The goal is 1× for every row and 2× for eager single ops.`;
}

const marks = /(<!-- figures -->\n)[\s\S]*?(\n<!-- \/figures -->)/;

async function main() {
  const file = path.resolve(ROOT, process.argv[2] ?? 'bench/results/chromium-swiftshader.json');
  if (!fs.existsSync(file)) throw new SetupError(`There is no result of the benchmark at ${file}.`);
  const readme = path.join(ROOT, 'README.md');
  const text = fs.readFileSync(readme, 'utf8');
  const part = figures(JSON.parse(fs.readFileSync(file, 'utf8')));
  fs.writeFileSync(
    readme,
    text.replace(marks, (_, before, after) => `${before}${part}${after}`),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runMain(main);
