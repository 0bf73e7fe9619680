// @ts-check
/**
 * @file Generated parts of the landing page: programs with what the library says of them, the pages with their pictures, the figures
 * of a GPU.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, SetupError } from '../setup.mjs';
import { pages } from '../lib/pages.mjs';
import { galleryPrograms } from './examples.mjs';
import { fillImports } from './fillImports.mjs';
import { highlight } from './markdown.mjs';
import { hasPicture, pictureHtml, thumbnailHtml } from './thumbnails.mjs';
import { escapeHtml } from './types.mjs';

/** Line width of the program at the top, in characters. */
const WIDTH = 88;

/** The document of the figures, and where the site has it. */
const FIGURES = { file: 'bench/results/kernels-nvidia-h100.md', page: 'figures/kernels-nvidia-h100.html' };
/** Families of kernels that have a bar: their rows in the document. @type {readonly (readonly [row: string, title: string])[]} */
const BARS = [
  ['convolution', 'Convolutions'],
  ['normalization', 'Normalizations'],
  ['matMul', 'Matrix products'],
  ['attention', 'Attention'],
];
/** What the width of the figure shows, as a ratio. */
const WIDEST = 7;

/** Programs of the playground that are shown: those that draw. */
const DRAWN = [
  'gpt',
  'digits',
  'field',
  'style',
  'spirals',
  'bars',
  'kernel',
  'inspect',
  'null-gradient',
  'line',
  'learning-rates',
  'forecast',
];
/** What is shown first: where most is to be seen. */
const FIRST = ['webgpu-app', 'fine-tune', 'gpt', 'digits', 'field', 'notebook', 'style'];

const REPORT = 'A report of a step: its totals, and a finding, that a layer answers 0 to every picture';

const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** By the name of the comment that each replaces. @returns {Promise<Record<string, string>>} */
export async function landingFragments() {
  const recorded = JSON.parse(read('website/landing/shown/recorded.json'));
  return {
    badIndex: saidHtml('badIndex', recorded.badIndex),
    lostGradient: saidHtml('lostGradient', recorded.lostGradient),
    deadLayer: excerptHtml('examples/playground/inspect.ts', '// With such a bias'),
    report: `<a class="shot" href="./playground/index.html#program=inspect">${pictureHtml('report', REPORT, { width: 582, height: 780 })}</a>`,
    trial: programHtml('examples/playground/line.ts'),
    program: `<figure class="code"><pre tabindex="0"><code>${highlight(fillImports(read('website/landing/field.ts'), WIDTH).trim())}</code></pre></figure>`,
    pages: await galleryHtml(),
    figures: figuresHtml(read(FIGURES.file)),
  };
}

/** @param {string} file */
const programHtml = (file) =>
  `<figure class="code"><pre tabindex="0"><code>${highlight(fillImports(read(file), WIDTH).trim())}</code></pre></figure>`;

/** A program from a line that begins with `from` on. @param {string} file @param {string} from */
function excerptHtml(file, from) {
  const text = read(file);
  const start = text.indexOf(`\n${from}`);
  if (start < 0) throw new SetupError(`${file} needs a line that begins with "${from}".`);
  return `<figure class="code excerpt"><pre tabindex="0"><code>${highlight(text.slice(start).trim())}</code></pre></figure>`;
}

/** A program, and what the library says of it. @param {string} name @param {string} said */
function saidHtml(name, said) {
  const [, shown = ''] =
    /^ *\/\/ shown\n([\s\S]*?)^ *\/\/ end$/m.exec(read(`website/landing/shown/${name}.ts`)) ?? [];
  const indent = /^ */.exec(shown)?.[0] ?? '';
  const code = shown.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd();
  const [first = '', ...rest] = said.split('\n');
  const [, kind = '', words = first] = /^(\w+): (.*)$/.exec(first) ?? [];
  return `<figure class="code excerpt"><pre tabindex="0"><code>${highlight(code)}</code></pre></figure>
<pre class="message" tabindex="0"><strong>${kind}</strong>: ${escapeHtml([words, ...rest].join('\n'))}</pre>`;
}

/** Returns the HTML of all pages and programs that run, with their own descriptions. */
async function galleryHtml() {
  const own = pages
    .filter(({ name }) => name !== 'playground')
    .map(({ name, folder }) => {
      const html = read(`${folder}/index.html`);
      const title = (/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? name).split(/ [—·] Retrograd/)[0] ?? name;
      const words = /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? '';
      return { name, title, words, href: `${name}/index.html` };
    });
  const programs = (await galleryPrograms()).filter(({ name }) => DRAWN.includes(name) && hasPicture(name));
  const all = [...own, ...programs];
  const place = (/** @type {{ name: string }} */ { name }) =>
    FIRST.includes(name)
      ? FIRST.indexOf(name)
      : FIRST.length + (own.some((page) => page.name === name) ? 0 : 1);
  return all
    .sort((a, b) => place(a) - place(b))
    .map((example) => thumbnailHtml(example))
    .join('\n');
}

/** Returns bars of how many times as fast each family is. @param {string} document */
function figuresHtml(document) {
  const cells = (/** @type {string} */ row) => {
    const line = document.split('\n').find((text) => text.startsWith(`| ${row} |`));
    if (!line) throw new SetupError(`${FIGURES.file} needs a row "${row}" in its table of families.`);
    return line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  };
  const gpu = /^# Kernel times: (.+)$/m.exec(document)?.[1] ?? '';
  const date = /^\d+ \w+ \d{4}/m.exec(document)?.[0] ?? '';
  const rows = BARS.map(([row, title]) => {
    const ratio = Number.parseFloat(cells(row)[2] ?? '');
    return `<li><span class="name">${title}</span><svg viewBox="0 0 ${WIDEST} 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${ratio}" height="1" /><line x1="1" x2="1" y2="1" /></svg><span class="ratio">${ratio.toFixed(1)}×</span></li>`;
  });
  const [, comparisons, median = '', least = '', below] = cells('all');
  return `<figure class="bars"><ul>${rows.join('')}</ul>
<figcaption>How many times as fast as the fastest of TF.js, jax-js and ONNX Runtime Web (the line): times of the kernels on an ${escapeHtml(gpu)}, ${date}, medians of each family. In the median of all ${comparisons} comparisons it is ${Number.parseFloat(median).toFixed(1)}×; ${below} are below 1×, the least ${Number.parseFloat(least).toFixed(1)}×. <a href="./${FIGURES.page}">All figures</a></figcaption></figure>`;
}
