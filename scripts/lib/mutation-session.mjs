// @ts-check
/**
 * @file Manages the process that runs mutants: which tests reach each, their results, and a new process if one hangs or is
 * corrupted.
 */
import process from 'node:process';
import { openBuilt } from './engines.mjs';

/** @typedef {'killed' | 'survived' | 'not covered'} Status */
/** @typedef {{ file: string, index: number, milliseconds: number, hits: number }} Reach a test that reaches a mutant */
/** @typedef {import('../../test/mutation/suites.ts').MutantRun} MutantRun */

/** The factor by which a mutant may slow down its tests, and the milliseconds added to it. */
const slower = 10;
const patience = 20_000;
/** A mutant that is reached this many times as often as without mutation is in an infinite loop. */
const hitFactor = 100;

export class MutationSession {
  /** @type {Map<string, Reach[]>} */
  #reaches = new Map();
  /** All tests. @type {Reach[]} */
  #tests = [];
  /** Those for mutants in processes of their own. @type {{ chosen: readonly Reach[], note: string } | null} */
  #standalone = null;
  #started = performance.now();

  /**
   * @param {string} built
   * @param {Record<string, string>} env
   * @param {number} budget milliseconds for a mutant's tests: the fastest ones that reach it
   * @param {import('./engines.mjs').Engine} engine
   */
  constructor(built, env, budget, engine) {
    this.budget = budget;
    this.built = built;
    this.env = env;
    this.engine = engine;
    /** Mutants that are reached while modules are loaded. @type {ReadonlySet<string>} */
    this.onLoad = new Set();
  }

  /**
   * Runs the test files that `tests` matches, without a mutant.
   *
   * @param {string} built
   * @param {Record<string, string>} env
   * @param {RegExp} tests
   * @param {number} budget
   */
  static async open(built, env, tests, budget) {
    const session = new MutationSession(built, env, budget, await openBuilt('node', built, env));
    /** @type {string[]} */
    const files = await session.engine.call('files');
    for (const file of files) if (tests.test(file)) await session.#cover(file);
    session.onLoad = new Set(await session.engine.call('reachedOnLoad'));
    return session;
  }

  seconds() {
    return Math.round((performance.now() - this.#started) / 1000);
  }

  close() {
    return this.engine.close();
  }

  /** @param {string} file */
  async #cover(file) {
    const { tests, unstable, reached } = await this.engine.call('cover', file);
    for (const { name, message } of unstable)
      process.stdout.write(`left out, since it fails when it runs twice: ${file} > ${name}: ${message}\n`);
    for (const test of tests) this.#note(file, test, reached[test.index]);
    for (const { index, milliseconds } of tests) this.#tests.push({ file, index, milliseconds, hits: 0 });
    // Hooks run with any test of the file.
    const [fastest] = [...tests].sort((a, b) => a.milliseconds - b.milliseconds);
    if (fastest) this.#note(file, fastest, reached.hooks);
    process.stderr.write(`${file}: ${tests.length} tests, ${this.#reaches.size} mutants reached\n`);
  }

  /**
   * @param {string} file
   * @param {{ index: number, milliseconds: number }} test
   * @param {Record<string, number>} [reached]
   */
  #note(file, { index, milliseconds }, reached = {}) {
    for (const [mutant, hits] of Object.entries(reached)) {
      const known = this.#reaches.get(mutant) ?? [];
      known.push({ file, index, milliseconds, hits: Number(hits) });
      this.#reaches.set(mutant, known);
    }
  }

  /** Returns the fastest of `tests`. @param {readonly Reach[]} tests */
  #fastest(tests) {
    let spent = 0;
    const chosen = [...tests]
      .sort((a, b) => a.milliseconds - b.milliseconds)
      .filter(({ milliseconds }, i) => {
        spent += milliseconds;
        return i === 0 || spent <= this.budget;
      });
    const left = tests.length - chosen.length;
    return { chosen, note: left > 0 ? `(${left} slower tests did not run)` : '' };
  }

  /**
   * @param {string} mutant
   * @returns {Promise<{ status: Status, note: string }>}
   */
  async run(mutant) {
    const { chosen, note } = this.#fastest(this.#reaches.get(mutant) ?? []);
    if (chosen.length === 0)
      return this.onLoad.has(mutant) ? this.#runAlone(mutant) : { status: 'not covered', note: '' };
    const run = await this.#runOn(mutant, chosen);
    if (run === null) return { status: 'killed', note: 'by the time limit' };
    if (run.killedBy && (await this.#isSpoilt(run.killedBy))) {
      // A test that also fails without the mutant is no evidence.
      await this.#restart();
      const again = await this.#runOn(mutant, chosen);
      return { status: again === null || again.killedBy ? 'killed' : 'survived', note: '' };
    }
    if (run.killedBy) return { status: 'killed', note: '' };
    return run.hits === 0 ? this.#runAlone(mutant) : { status: 'survived', note };
  }

  /**
   * Runs a mutant of code that runs once in a process, such as tables and what fills a cache: in a process of its own. Which
   * tests depend on it isn't known.
   *
   * @param {string} mutant
   * @returns {Promise<{ status: Status, note: string }>}
   */
  async #runAlone(mutant) {
    this.#standalone ??= await this.#findStandalone();
    const { chosen, note } = this.#standalone;
    const run = await this.#inOwnProcess(mutant, chosen);
    return run === null || run.killedBy ? { status: 'killed', note: '' } : { status: 'survived', note };
  }

  /** Returns the fastest tests, without those that fail in a process that ran nothing before them. */
  async #findStandalone() {
    let { chosen, note } = this.#fastest(this.#tests);
    for (;;) {
      const run = await this.#inOwnProcess('', chosen);
      if (run === null) throw new Error('The tests must end in a process of their own.');
      const { killedBy, message } = run;
      if (killedBy === null) return { chosen, note };
      process.stdout.write(
        `left out in processes of mutants, since it fails there: ${killedBy.file}: ${message}\n`,
      );
      chosen = chosen.filter(
        ({ file, index }) => file !== killedBy.file || (killedBy.index >= 0 && index !== killedBy.index),
      );
    }
  }

  /** @param {string} mutant '' for none @param {readonly Reach[]} tests */
  async #inOwnProcess(mutant, tests) {
    // Instrumented sources read the variable as they are loaded.
    const env = { ...this.env, __STRYKER_ACTIVE_MUTANT__: mutant };
    const engine = await openBuilt('node', this.built, env);
    const run = await this.#ask(engine, null, tests);
    await engine.kill();
    return run;
  }

  /**
   * Runs tests with a mutant; null if they don't end.
   *
   * @param {string | null} mutant
   * @param {readonly Reach[]} tests
   */
  async #runOn(mutant, tests) {
    const run = await this.#ask(this.engine, mutant, tests);
    if (run === null) await this.#restart();
    return run;
  }

  /**
   * @param {import('./engines.mjs').Engine} engine
   * @param {string | null} mutant
   * @param {readonly Reach[]} tests
   * @returns {Promise<MutantRun | null>} null if they don't end
   */
  async #ask(engine, mutant, tests) {
    /** @type {Map<string, number[]>} */
    const byFile = new Map();
    for (const { file, index } of tests) byFile.set(file, [...(byFile.get(file) ?? []), index]);
    const usual = tests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const hitLimit = hitFactor * tests.reduce((sum, { hits }) => sum + hits, 0) + 1000;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    /** @type {Promise<null>} */
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve(null), slower * usual + patience);
    });
    const died = () => null;
    const answer = engine.call('runMutant', mutant, hitLimit, [...byFile]).catch(died);
    const run = await Promise.race([answer, late]);
    clearTimeout(timer);
    return run;
  }

  /**
   * Returns whether a test also fails without a mutant, because an earlier one corrupted the process. @param {{ file: string,
   * index: number }} test
   */
  async #isSpoilt({ file, index }) {
    if (index < 0) return false;
    const run = await this.#runOn(null, [{ file, index, milliseconds: 1000, hits: 0 }]);
    return run === null || run.killedBy !== null;
  }

  async #restart() {
    await this.engine.kill();
    this.engine = await openBuilt('node', this.built, this.env);
  }
}
