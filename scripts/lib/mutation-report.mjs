// @ts-check
/**
 * @file Results of mutants by source, and of random samples by folder: the latest run of each is kept, and docs/mutation.md
 * is written from them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { explained } from '../../test/mutation/explained.mjs';
import { ROOT } from '../setup.mjs';

const RESULTS = path.join(ROOT, 'test', 'mutation', 'results.json');
const SAMPLES = path.join(ROOT, 'test', 'mutation', 'samples.json');
const PAGE = path.join(ROOT, 'docs', 'mutation.md');

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** @typedef {Mutant & { status: import('./mutation-session.mjs').Status }} MutantResult */
/**
 * @typedef {{ date: string, mutants: number, ran: number, killed: number, survived: number, explained: number, uncovered:
 * number, once: number }} Row
 */

/** @param {Mutant} mutant */
export const isExplained = ({ file, original, replacement }) =>
  explained.some(
    (reason) =>
      reason.file === file &&
      reason.original.test(original) &&
      (reason.replacement?.test(replacement) ?? true),
  );

/** @param {readonly MutantResult[]} results @param {number} mutants @returns {Row} */
function rowOf(results, mutants) {
  /** @param {MutantResult['status']} status @param {boolean} [isKnown] */
  const count = (status, isKnown) =>
    results.filter(
      (result) => result.status === status && (isKnown ?? isExplained(result)) === isExplained(result),
    ).length;
  return {
    date: new Date().toISOString().slice(0, 10),
    mutants,
    ran: results.length,
    killed: count('killed'),
    survived: count('survived', false),
    explained: count('survived', true) + count('not covered', true),
    uncovered: count('not covered', false),
    once: 0,
  };
}

/** Returns the mutants that a test could kill. @param {Row} row */
const countedOf = ({ killed, survived, uncovered }) => killed + survived + uncovered;

/** @param {string} file @returns {Record<string, Row>} */
const readRows = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {});

/** Writes `rows` in the order of their names, and returns them so. @param {string} file @param {Record<string, Row>} rows */
function writeRows(file, rows) {
  const sorted = Object.fromEntries(Object.entries(rows).sort(([a], [b]) => (a < b ? -1 : 1)));
  fs.writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
  return sorted;
}

/** @param {string} file `src/core/bits.ts` is of `core`. */
const folderOf = (file) => file.split('/')[1] ?? '';

/**
 * Writes the results of each source that ran, and the page.
 *
 * @param {readonly MutantResult[]} results
 * @param {{ all: readonly Mutant[], sampled: string | null }} of `sampled`: the folder of which `results` are a random sample
 * @returns {{ killed: number, counted: number }} of this run
 */
export function writeMutationReport(results, { all, sampled }) {
  const [rows, samples] = [readRows(RESULTS), readRows(SAMPLES)];
  for (const file of new Set(results.map((result) => result.file))) {
    const own = (/** @type {Mutant} */ mutant) => mutant.file === file;
    const row = rowOf(results.filter(own), all.filter(own).length);
    const known = rows[file];
    // Results of a few mutants of a source don't replace those of all.
    const isLess = row.ran < row.mutants && known?.ran === known?.mutants && known?.mutants === row.mutants;
    if (!isLess) rows[file] = row;
  }
  const total = rowOf(results, all.length);
  if (sampled !== null) samples[sampled] = total;
  fs.writeFileSync(PAGE, page(writeRows(RESULTS, rows), writeRows(SAMPLES, samples)));
  return { killed: total.killed, counted: countedOf(total) };
}

/** @param {Row} row */
const scoreOf = (row) => (countedOf(row) > 0 ? `${((100 * row.killed) / countedOf(row)).toFixed(1)} %` : '');

/** @param {Record<string, Row>} rows @param {Record<string, Row>} samples by folder */
function page(rows, samples) {
  /** @param {string} name @param {Row} row */
  const line = (name, row) => {
    const ran = row.ran === row.mutants ? String(row.ran) : `${row.ran} of ${row.mutants}`;
    const cells = [
      ran,
      row.killed,
      row.survived,
      row.uncovered,
      row.explained,
      row.once,
      scoreOf(row),
      row.date,
    ];
    return `| ${[name, ...cells].join(' | ')} |`;
  };
  const files = Object.entries(rows);
  const folders = [...new Set(files.map(([file]) => folderOf(file)))];
  const sum = (/** @type {string} */ folder) => {
    const own = files.filter(([file]) => folderOf(file) === folder).map(([, row]) => row);
    const total = (/** @type {Exclude<keyof Row, 'date'>} */ field) =>
      own.reduce((all, row) => all + row[field], 0);
    return line(`**${folder}**`, {
      date:
        own
          .map(({ date }) => date)
          .sort()
          .at(-1) ?? '',
      mutants: total('mutants'),
      ran: total('ran'),
      killed: total('killed'),
      survived: total('survived'),
      explained: total('explained'),
      uncovered: total('uncovered'),
      once: total('once'),
    });
  };
  return [
    '# Mutation tests',
    '',
    'Generated by `npm run test:mutation`, which changes one operator, condition, literal or block of a source at a time (the mutators',
    'of Stryker) and runs the tests that reach it, in Node on SwiftShader. The table has the latest run of each source. The wording of',
    'errors is not changed.',
    '',
    '| source | mutants | killed | survived | not covered | explained | only once | score | date |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...folders.flatMap((folder) => [
      sum(folder),
      ...files.filter(([file]) => folderOf(file) === folder).map(([file, row]) => line(file, row)),
    ]),
    '',
    ...(Object.keys(samples).length > 0
      ? [
          'Of some sources only a sample ran. These are uniformly random samples of the mutants of a folder:',
          '',
          '| folder | mutants | killed | survived | not covered | explained | only once | score | date |',
          '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
          ...Object.entries(samples).map(([folder, row]) => line(folder, row)),
          '',
        ]
      : []),
    '- The score is killed / (killed + survived + not covered).',
    '- *Not covered*: no test of test/mutation/suites.ts reaches it; others may.',
    '- *Only once*: code that runs once in a process, such as tables and what fills a cache, and that has not run in one of its own.',
    '- *Explained*: the change makes no difference that a test could see, see below.',
    '',
    '## Explained survivors',
    '',
    ...(explained.length > 0
      ? [
          '| source | code | reason |',
          '| --- | --- | --- |',
          ...explained.map(
            ({ file, original, reason }) =>
              `| ${file} | \`${original.source.replaceAll('|', '\\|')}\` | ${reason} |`,
          ),
        ]
      : ['None.']),
    '',
  ].join('\n');
}
