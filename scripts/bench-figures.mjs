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

/** A line of the table: its text, and the rows of each of its ranges. @type {readonly [string, ...RegExp[]][]} */
const groups = [
  ['matmul, dense; matrix–vector', /^(matMul (?!.*vector)|dense)/, /^matMul .*vector/],
  ['conv2d forward; input and filter gradients', /^conv \d.*, forward$/, /^conv \d.*gradient$/],
  ['transposed, grouped and 1D convolutions', /^(transposed conv|conv1d|conv .*groups)/],
  ['gather, scatter-add, embedding training', /^(gather|scatter-add|embedding)/],
  ['attention: forward; with gradient', /^causal attention [^,]*$/, /^causal attention .*gradient/],
  ['softmax, layer and batch normalization; pooling gradients', /^(softmax|layerNorm|batchNorm)/, /pool /],
  ['elementwise; reductions', /^(add|sin|where|bias|elementwise)/, /^(sum|mean|max) \d/],
  ['transpose, concat, pad, cumsum, sort, topK', /^(transpose |concat|pad|cumsum|sort|topK)/],
  [
    'training step: MLP; CNN; LSTM; transformer; VGG19 perceptual loss',
    /^MLP/,
    /^CNN/,
    /^LSTM/,
    /^transformer/,
    /^VGG19/,
  ],
  ['1,000 small ops: eager; compiled', /chained ops.*eager/, /chained ops.*compiled/],
  ['time from import to first result; first call with a new shape', /^cold start/, /^new shape/],
  [
    'bundle size, four ops with gradients, gzipped: initial chunk; total',
    /^bundle, matMul.*initial/,
    /^bundle, matMul.*total/,
  ],
];

/** The goals for all rows, and for eager single ops. */
const goals = [
  { rows: /chained ops.*eager/, least: 2 },
  { rows: /^/, least: 1 },
];

/** @param {readonly number[]} ratios */
function rangeOf(ratios) {
  if (ratios.length === 0) return '–';
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(1));
  return least === most ? least : `${least} to ${most}`;
}

/** The README's part between its marks. @param {BenchResult} result */
export function figures({ adapter, engine, date, versions, rows }) {
  const known = rows.flatMap(({ name, ratio }) => (ratio === null ? [] : [{ name, ratio }]));
  const lines = groups.map(([title, ...patterns]) => {
    const ranges = patterns.map((pattern) =>
      rangeOf(known.filter(({ name }) => pattern.test(name)).map(({ ratio }) => ratio)),
    );
    return `| ${title} | ${ranges.join('; ')} |`;
  });
  const missed = known.filter(({ name, ratio }) =>
    goals.some(({ rows, least }) => rows.test(name) && ratio < least),
  );
  const list = missed.map(({ name, ratio }) => `${name} (${ratio.toFixed(2)}×)`).join('; ');
  const browser = /(?:Firefox|Chrome)\/\d+/.exec(engine)?.[0].replace('/', ' ') ?? engine;
  return `Speedup over the fastest of TF.js ${versions.tfjs}, jax-js ${versions.jaxjs} and ONNX Runtime Web ${versions.ort}, measured in the same page:
headless ${browser}, ${adapter}, ${date}, version ${versions.retrograd}. The ranges span the rows of a group ([all rows, with spreads and
rooflines](bench/results/chromium-swiftshader.md)).

| workload | speedup (×) |
| --- | --- |
${lines.join('\n')}

Missed targets: ${list || 'none'}. The goals are 2× for eager single ops, and 1× for every row. No GPU has been measured yet.`;
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
