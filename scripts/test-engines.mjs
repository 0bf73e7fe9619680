// @ts-check
/**
 * @file `npm run test:engines`: unit tests of ops, kernels, autodiff and Keras, golden cases and models, random programs and
 * the checks of `verify` for each kind of adapter, on four engines: Node and Chromium (Dawn), Firefox and Deno (wgpu).
 *
 *     npm run test:engines -- [--engine node,deno] [--suite ops,keras] [--filter PATTERN]
 *
 * Writes the matrix of docs/engines.md, unless `--filter` selects some tests of a suite. The exit code is 1 if a test failed
 * that isn't listed in test/engines/known-differences.mjs.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { families } from './conformance/families.mjs';
import { hasFinal, modelFolders, readTexts } from './conformance/models.mjs';
import { readArguments } from './lib/arguments.mjs';
import { writeMatrix } from './lib/engine-matrix.mjs';
import { engineNames, openBuilt } from './lib/engines.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const usage = 'npm run test:engines -- [--engine node,deno] [--suite ops,keras] [--filter PATTERN]';
const FIXTURES = path.join(ROOT, 'test', 'fixtures');
/** Number of random programs of each kind. */
const programs = 30;
/** Files with very many tests, and the number of parts in which they run. */
const parts = /** @type {Record<string, number | undefined>} */ ({ 'ops/battery.test.ts': 24 });
/** Firefox looks for finished work every 4 ms, and is idle in the meantime, so this many run in parallel. */
const copies = /** @type {Record<string, number | undefined>} */ ({ firefox: 5 });

/** @typedef {import('./lib/engines.mjs').Engine} Engine */
/** @typedef {{ passed: number, skipped: number, failures: { name: string, message: string }[] }} Result */
/** @typedef {{ title: string, run: (engine: Engine, base: string) => Promise<Result> }} Job */

/**
 * Converts results of golden cases to test results.
 * @param {import('../test/conformance/cases.ts').CaseResult[]} results
 * @returns {Result}
 */
function ofCases(results) {
  const failed = results.filter(({ faults }) => faults.length > 0);
  const skipped = results.filter(({ notYet }) => notYet !== undefined).length;
  return {
    passed: results.length - failed.length - skipped,
    skipped,
    failures: failed.map(({ family, id, faults }) => ({
      name: `${family}/${id}`,
      message: faults.join('\n'),
    })),
  };
}

/**
 * @param {(file: string) => boolean} belongs
 * @param {boolean} [isPlain] whether the device has default limits and no features
 * @returns {(engine: Engine) => Promise<Job[]>}
 */
const unitTests =
  (belongs, isPlain = false) =>
  async (engine) => {
    /** @type {string[]} */
    const files = await engine.call('files');
    return files.filter(belongs).flatMap((file) => {
      const count = parts[file] ?? 1;
      return Array.from({ length: count }, (_, part) => ({
        title: count > 1 ? `${file} (${part + 1} of ${count})` : file,
        run: (/** @type {Engine} */ on) => on.call('runFile', file, part, count, isPlain),
      }));
    });
  };

/** @type {Record<string, (engine: Engine) => Promise<Job[]>>} */
const suites = {
  ops: unitTests((file) => file.startsWith('ops/')),
  'battery on a plain device': unitTests((file) => file.startsWith('ops/battery'), true),
  kernels: unitTests((file) => file.startsWith('kernels/')),
  autodiff: unitTests((file) => file.startsWith('autodiff/')),
  keras: unitTests((file) => file.startsWith('keras/') || file.startsWith('training')),
  'golden cases': async () =>
    families(path.join(FIXTURES, 'ops')).map(({ name, json, tensors }) => ({
      title: `golden ${name}`,
      run: async (on, base) => {
        const cases = JSON.parse(fs.readFileSync(json, 'utf8'));
        const url = `${base}/fixtures/ops/${path.basename(tensors)}`;
        return ofCases(await on.call('runFamilyAt', { name, cases, url }));
      },
    })),
  'golden models': async () =>
    modelFolders(path.join(FIXTURES, 'models')).map((folder) => ({
      title: `model ${path.basename(folder)}`,
      run: async (on, base) => {
        const url = `${base}/fixtures/models/${path.basename(folder)}`;
        const files = { ...readTexts(folder), hasFinal: hasFinal(folder), url };
        return ofCases(await on.call('runModelAt', { ...files, checks: await on.call('checks') }));
      },
    })),
  'random programs': async () => [
    { title: 'random programs', run: (on) => on.call('runPrograms', programs) },
  ],
  profiles: async (engine) => {
    /** @type {string[]} */
    const kinds = await engine.call('profiles');
    return kinds.map((kind) => ({ title: `profile ${kind}`, run: (on) => on.call('runProfile', kind) }));
  },
};

function options() {
  const { values } = readArguments(
    { options: { engine: { type: 'string' }, suite: { type: 'string' }, filter: { type: 'string' } } },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  /** @param {string | boolean | undefined} given @param {readonly string[]} all */
  const chosen = (given, all) => {
    const names = given === undefined ? all : String(given).split(',');
    const unknown = names.find((name) => !all.includes(name));
    if (unknown === undefined) return names;
    throw new SetupError(`One of ${all.join(', ')} is expected. Received: ${unknown}.\nUsage: ${usage}`);
  };
  return {
    engines: chosen(values.engine, engineNames),
    suites: chosen(values.suite, Object.keys(suites)),
    filter: values.filter === undefined ? null : new RegExp(String(values.filter)),
  };
}

/**
 * Runs a suite on an engine, which is opened again if it dies.
 *
 * @param {string} name
 * @param {() => Promise<Engine>} open
 * @param {{ suite: string, filter: RegExp | null, base: string }} what
 */
async function runSuite(name, open, { suite, filter, base }) {
  const first = await open();
  const description = await first.call('describeEngine');
  const jobs = ((await suites[suite]?.(first)) ?? []).filter(({ title }) => !filter || filter.test(title));
  /** @type {Result & { seconds: number }} */
  const total = { passed: 0, skipped: 0, failures: [], seconds: 0 };
  /** @param {Engine} opened */
  const work = async (opened) => {
    let engine = opened;
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const start = performance.now();
      /** @type {Result} */
      let result;
      try {
        result = await job.run(engine, base);
      } catch (error) {
        result = { passed: 0, skipped: 0, failures: [{ name: 'the whole file', message: String(error) }] };
        await engine.close().catch(() => {});
        engine = await open();
      }
      const seconds = (performance.now() - start) / 1000;
      report(name, job.title, result, seconds);
      total.passed += result.passed;
      total.skipped += result.skipped;
      total.seconds += seconds;
      const { title } = job;
      total.failures.push(
        ...result.failures.map((failure) => ({ ...failure, name: `${title} > ${failure.name}` })),
      );
    }
    await engine.close();
  };
  const others = Math.min(jobs.length, copies[name] ?? 1) - 1;
  await Promise.all([
    work(first),
    ...Array.from({ length: Math.max(0, others) }, async () => work(await open())),
  ]);
  return { ...description, results: { [suite]: total } };
}

/** @param {string} engine @param {string} title @param {Result} result @param {number} seconds */
function report(engine, title, { passed, failures }, seconds) {
  const sums = `${passed} passed, ${failures.length} failed, ${seconds.toFixed(1)} s`;
  process.stdout.write(`${engine}: ${title}: ${sums}\n`);
  for (const { name, message } of failures) process.stdout.write(`  ${name}\n    ${message}\n`);
}

await runMain(async () => {
  const { engines, suites: chosen, filter } = options();
  const { env } = setup({ browser: engines.includes('chromium') });
  const { serveFolder } = await import('./lib/browser.mjs');
  const { bundleTests } = await import('./lib/bundle-tests.mjs');
  const built = await bundleTests('test/engines/suites.ts', 'engines');
  const mounts = { '/fixtures/': FIXTURES };
  const server = await serveFolder(null, { mounts });
  let failed = 0;
  try {
    for (const name of engines) {
      const isPage = name === 'chromium' || name === 'firefox';
      const base = isPage ? '' : server.url.replace(/\/$/, '');
      const open = () => openBuilt(name, built, env, mounts);
      // After each suite, so that a run that is interrupted leaves what it completed.
      for (const suite of chosen)
        failed += writeMatrix(name, await runSuite(name, open, { suite, filter, base }), {
          write: filter === null,
        });
    }
  } finally {
    await server.close();
  }
  process.exitCode = failed > 0 ? 1 : 0;
});
