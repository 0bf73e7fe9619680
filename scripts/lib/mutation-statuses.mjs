// @ts-check
/** @file What became of each mutant in earlier runs, as long as its source is the same. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup.mjs';

const FOLDER = path.join(ROOT, 'out', 'mutation-statuses');

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** @typedef {import('./mutation-session.mjs').Status} Status */

/** @param {Mutant} mutant */
const keyOf = ({ line, column, mutator, original, replacement }) =>
  [line, column, mutator, original, replacement].join('\n');

export class KeptStatuses {
  /** By source, then by mutant. @type {Map<string, Record<string, Status>>} */
  #bySource = new Map();

  /** @param {readonly string[]} sources relative to the repository */
  constructor(sources) {
    for (const source of sources) {
      const place = placeOf(source);
      this.#bySource.set(source, fs.existsSync(place) ? JSON.parse(fs.readFileSync(place, 'utf8')) : {});
    }
  }

  /** @param {Mutant} mutant @returns {Status | undefined} undefined where it didn't run */
  of(mutant) {
    return this.#bySource.get(mutant.file)?.[keyOf(mutant)];
  }

  /** @param {Mutant} mutant @param {Status} status */
  set(mutant, status) {
    const known = this.#bySource.get(mutant.file) ?? {};
    known[keyOf(mutant)] = status;
    this.#bySource.set(mutant.file, known);
  }

  save() {
    fs.mkdirSync(FOLDER, { recursive: true });
    for (const [source, statuses] of this.#bySource)
      fs.writeFileSync(placeOf(source), `${JSON.stringify(statuses, null, 1)}\n`);
  }
}

/** Returns the file with the statuses of a source: a changed source has a different one. @param {string} source */
function placeOf(source) {
  const text = fs.readFileSync(path.join(ROOT, source), 'utf8');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return path.join(FOLDER, `${source.replaceAll('/', '-')}-${digest}.json`);
}
