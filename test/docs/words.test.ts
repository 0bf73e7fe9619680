/**
 * @file The code and the docs use the field's terms. Each banned word is listed with its replacement; every line that
 * contains one is reported as `file:line: word → replacement`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Files and folders that are checked. */
const CHECKED = [
  'src',
  'shaders',
  'bench',
  'examples',
  'scripts',
  'website',
  'test',
  'docs',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

/** Recorded data, and what isn't the library's own text. */
const SKIPPED = [
  'bench/results',
  'docs/images',
  'examples/fine-tune/public',
  'examples/super-resolution/public',
  'examples/tagger/public',
];

/** Words that are gone, as patterns of whole words, and the field's term. Identifiers are split into their words. */
const GONE: readonly (readonly [word: string, replacement: string])[] = [
  ['mend(s|ed|ing)?', 'hint'],
  ['halves', 'float16 (values), or ties in rounding'],
  ['live numbers?', 'dynamic scalar (DynamicScalar)'],
  ['eachRun', 'onReplay'],
  ['charged call', 'ProfiledCall'],
  ['(keep|keeps|kept) (an |one )?account', 'attribute, count'],
  ['chooser', 'autotuner'],
  ['rehears\\w*', 'dry run, tracing'],
  [
    'stand-?ins?|stand (in|ins)(?= (for|of|source)\\b|s\\b)',
    'placeholder, fallback, symbolic input, substitute',
  ],
  ['quiet run', 'DryRun'],
  ['for real', 'untraced, executed'],
  ['diversion', 'executor, command target'],
  ['recorded device', 'Executor'],
  ['minimal filtering', 'Winograd convolution'],
  ['folded convolutions?', 'GEMM + col2im'],
  ['anew', 'again'],
  ['in vain', 'unused, without effect'],
  ['whoever', 'the caller, any reader'],
  ['told', 'reported, distinguished, passed'],
  ['beside', 'next to, with, in addition to, concurrently with'],
  ['aside', 'cached, separately'],
  ['matrix units?', 'subgroup matrix'],
  ['condemned', 'pending destruction'],
  ['provenances?', 'origin'],
  ['(?<!negative )slopes?', 'derivative'],
  ['at rest', 'idle'],
  ['(tall|narrow) quads?', 'subgroup-quad tiles'],
  ['afresh', 'again, from the start'],
  ['thereof|whereof|wherein|thereby', 'plain English'],
  ['spools?', 'temporary file, cache'],
  ['kept reads', 'ReadCache'],
  ['import part', 'lazyImport'],
  ['habits?', 'names in other libraries, unsupported properties'],
  ['stray (properties|variables?|hint)|strays', 'unknown properties, untracked variables'],
  ['missing methods', 'method hints'],
  ['surplus', 'extra, unexpected (arguments); false positives'],
  ['junk', 'invalid values'],
  ['ledgers?', 'counter, accounting of bytes'],
  ['abreast', 'lines per loop, together'],
  ['doom(s|ed)?', 'fail, mark as failed'],
  ['lent', 'borrowed, passed'],
  ['(un|not )held steps?|held steps?', 'retained steps'],
  ['unseen (tensors?|calls?|work)', 'unobserved, hidden'],
  ['(most|least) (bytes|work|part|turns|iterations|invocations|parts|lanes|rows|rounds|repeats)', 'max, min'],
  ['but for (the|that|those|its)', 'except'],
  ['whole numbers?', 'integer'],
  ['avoidances?', 'blocklist'],
  ['companions?', 'attachment, attached tensor'],
  ['without turns', 'argument reduction'],
  ['seldom', 'rarely'],
  [
    '(normal|regular|initial|optim|quant|real|minim|maxim)is(e|es|ed|ing|ation)|rasteris(er|ed|ation)',
    'the spelling with -ize',
  ],
  ['(buffers|pipelines|files|gradients|launches|names|methods|properties) of their own', 'separate, custom'],
];

/** Legitimate uses, by file, each with its reason. */
const ALLOWED: readonly { file: RegExp; word: RegExp; reason: string }[] = [
  {
    file: /rectifiers?\.ts$|prelu\.ts$/,
    word: /^slopes?$/i,
    reason: "a leaky rectifier's slope",
  },
  {
    file: /activationFunctions\.ts$/,
    word: /^slope$/i,
    reason: "the slope of Keras's relu below its threshold",
  },
  {
    file: /layers\/recurrent\//,
    word: /^halves$/i,
    reason: 'the two halves of a bidirectional state or of a gate matrix',
  },
  { file: /^CHANGELOG\.md$/, word: /./, reason: 'the table of renamed exports' },
  {
    file: /metrics\/(auc|reference\.test)\.ts$/,
    word: /^slope$/i,
    reason: 'the slope of a segment of a curve',
  },
  { file: /samples\/activations\.ts$/, word: /^slope$/i, reason: "a leaky rectifier's slope" },
  {
    file: /release(\.test)?\.(mjs|ts)$|^CONTRIBUTING\.md$/,
    word: /^provenance$/i,
    reason: "npm's name for the statement of where a package was built",
  },
  { file: /^test\/website\/questions\.ts$/, word: /is(?:e|ation)$/i, reason: 'as visitors type it' },
  { file: /^test\/docs\/words\.test\.ts$/, word: /./, reason: 'the list itself' },
];

const patterns = GONE.map(([word, replacement]) => ({
  pattern: new RegExp(`\\b(?:${word})\\b`, 'i'),
  replacement,
}));

/** Any of them: most files and lines have none, and are read once. */
const anyGone = new RegExp(`\\b(?:${GONE.map(([word]) => word).join('|')})\\b`, 'i');

/** A line as it is, and with its identifiers split: `takesHalves` holds the word "halves". */
function readings(line: string): readonly string[] {
  return [line, line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')];
}

const isIn = (file: string, places: readonly string[]) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

function* filesIn(place: string): Generator<string> {
  const full = path.join(root, place);
  if (!fs.existsSync(full) || isIn(place, SKIPPED)) return;
  if (fs.statSync(full).isDirectory()) {
    for (const name of fs.readdirSync(full).sort()) yield* filesIn(`${place}/${name}`);
  } else if (/\.(ts|mjs|js|md)$/.test(place)) yield place;
}

function hitsIn(file: string): string[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  const hasSome = (part: string) => readings(part).some((reading) => anyGone.test(reading));
  if (!hasSome(text)) return [];
  return text.split('\n').flatMap((line, i) => {
    if (!hasSome(line)) return [];
    return patterns.flatMap(({ pattern, replacement }) => {
      const found = readings(line).map((reading) => pattern.exec(reading)?.[0]);
      const hit = found.find((match) => match !== undefined);
      if (hit === undefined) return [];
      if (ALLOWED.some((allowed) => allowed.file.test(file) && allowed.word.test(hit))) return [];
      return [`${file}:${i + 1}: ${hit} → ${replacement}`];
    });
  });
}

test('no text has words that are gone', () => {
  expect(CHECKED.flatMap((place) => [...filesIn(place)]).flatMap(hitsIn)).toEqual([]);
});

test('an identifier is read word by word', () => {
  expect(readings('takesHalves(half_bits)')[1]).toBe('takes Halves(half bits)');
});
