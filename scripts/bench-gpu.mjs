// @ts-check
/**
 * @file `npm run bench:gpu`: what is worth knowing of a GPU in six minutes, most valuable first. Each result is written as it
 * comes, and a run that was cut off is resumed. `-- --help` lists the options, none of which is needed.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readArguments } from './lib/arguments.mjs';
import { readJson } from './lib/bench-records.mjs';
import { Worker } from './lib/gpu-processes.mjs';
import { runPyTorch } from './lib/gpu-pytorch.mjs';
import { GpuRun } from './lib/gpu-run.mjs';
import { findSources, isPacked } from './lib/gpu-sources.mjs';
import { nodeGpuEnv, ROOT, runMain, SetupError, setup } from './setup.mjs';

/** @typedef {import('../bench/gpu/result.ts').GpuResult} GpuResult */
/** @typedef {import('../bench/gpu/plan.ts').Task} Task */
/** @typedef {import('./lib/gpu-sources.mjs').Sources} Sources */
/** @typedef {typeof import('../bench/gpu/outside.ts')} Outside */

const HELP = `npm run bench:gpu -- [options]

Measures what is worth knowing of this machine's GPU, most valuable first: the kernels are verified; rows that were slower than a peer
when they were last recorded; rows that were never measured on such an adapter; training steps, also in PyTorch if Python has it; peak
memory; recorded rows whose kernels have changed; unit tests. The list follows from bench/results. A row that fails, hangs or
crashes costs no other. Results are written as they come; the same command continues where it was cut off.

Options
  --minutes N       begins nothing after N minutes; default 6
  --out FOLDER      where the results go; default: bench/results, on a software adapter out/bench-gpu
  --fresh           measures everything again
  --list            prints the list, and measures nothing
  --null        runs the list of an NVIDIA GPU on a device that executes nothing, to try the command out; writes to out/bench-gpu
  --pack FILE       writes an archive (.tgz) for a Linux machine that has Node, a GPU and no network:
                      tar xzf FILE && node retrograd-bench-gpu/scripts/bench-gpu.mjs --out FOLDER
  --help            prints this

Exit codes: 0 done or out of time, 1 where a kernel is wrong, Retrograd failed in a row, a unit test failed, or there is no adapter.
`;

/** For each library in each row. */
const BUDGET_MS = 80;
/** A row that takes longer hangs; on a software adapter it may only be slow. */
const ROW_MS = { gpu: 30_000, cpu: 240_000 };

function readOptions() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = readArguments(
    {
      options: {
        minutes: { ...text, default: '6' },
        out: text,
        fresh: flag,
        list: flag,
        null: flag,
        pack: text,
        help: { ...flag, short: 'h' },
      },
    },
    (message) => new SetupError(`${message} See --help.`),
  );
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) {
    throw new SetupError(`--minutes is a number above 0. Received: ${values.minutes}. See --help.`);
  }
  return { ...values, minutes };
}

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

const SCRIPT = fileURLToPath(new URL('./lib/gpu-worker.mjs', import.meta.url));

/**
 * @param {Sources} sources
 * @param {Record<string, string>} env
 * @param {boolean} isOnNull
 */
function workers(sources, env, isOnNull) {
  const flags = ['enable-dawn-features=allow_unsafe_apis', ...(isOnNull ? ['backend=null'] : [])];
  const output = openLog();
  const own = { ...env, BENCH_VERSIONS: JSON.stringify(sources.versions) };
  return {
    /** @param {boolean} float16 */
    rows: (float16) =>
      new Worker(
        {
          script: SCRIPT,
          args: [sources.worker, ...(float16 || isOnNull ? flags : [])],
          env: own,
          output,
        },
        async (worker) => {
          await worker.call('open', [float16], { total: 60_000 });
        },
      ),
    tests: () =>
      new Worker({ script: SCRIPT, args: [sources.tests, ...(isOnNull ? flags : [])], env: own, output }),
  };
}

/** What the processes print goes to a file. */
function openLog() {
  const file = path.join(ROOT, 'out', 'bench-gpu', 'log.txt');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return fs.openSync(file, 'w');
}

/** NVIDIA's driver doesn't name the card to Vulkan's users, but its tool does. */
function cardName() {
  const args = ['--query-gpu=name', '--format=csv,noheader'];
  const { stdout, status } = spawnSync('nvidia-smi', args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? (stdout.trim().split('\n')[0] ?? null) : null;
}

/** @param {string} text */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .split('-')
    .filter(Boolean)
    .slice(0, 4)
    .join('-') || 'unnamed';

/** Written under another name first: a run may be cut off at any moment. @param {string} file @param {string} text */
function replaceFile(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.part`, text);
  fs.renameSync(`${file}.part`, file);
}

/** Keeps the result of another program: it is what later lists compare with. @param {string} file @param {string} date */
function keepEarlier(file, date) {
  const base = file.replace(/\.json$/, '');
  let kept = `${base}-${date}`;
  for (let i = 2; fs.existsSync(`${kept}.json`); i++) kept = `${base}-${date}-${i}`;
  for (const ending of ['json', 'md'])
    if (fs.existsSync(`${base}.${ending}`)) fs.renameSync(`${base}.${ending}`, `${kept}.${ending}`);
}

/**
 * Opens the adapter, and returns a result to continue, or a new one.
 *
 * @param {Sources} sources
 * @param {Outside} outside
 * @param {Worker} worker
 * @param {ReturnType<typeof readOptions>} options
 */
async function openResult(sources, outside, worker, { out, fresh, null: isOnNull }) {
  const { class: kind, ...empty } = await worker.call('open', [false], { total: 60_000 });
  const isSoftware = kind === 'cpu';
  const card = isOnNull ? 'null back end' : isSoftware ? null : cardName();
  const adapter = isOnNull ? 'nvidia, null back end' : [empty.adapter, card].filter(Boolean).join(', ');
  const folder = path.resolve(
    out ?? path.join(ROOT, ...(isSoftware || isOnNull ? ['out', 'bench-gpu'] : ['bench', 'results'])),
  );
  const file = path.join(folder, `gpu-${slug(card ?? adapter)}.json`);
  /** @type {import('../bench/main.ts').Listed[]} */
  const rows = await worker.call('listRows', [''], { total: 60_000 });
  const recorded = outside.recordsFor(adapter, sources.recorded.map(outside.recordOf));
  const tasks = outside.planOf(rows, recorded);
  /** @type {GpuResult | null} */
  const earlier = readJson(file);
  if (earlier && earlier.program === sources.program && !fresh) {
    // Its manifest and list are of the results before it.
    const before = recorded.filter(({ date, rows: { length } }) =>
      earlier.manifest.records.some(
        (text) => text.startsWith(`${date}, `) && text.endsWith(`${length} rows`),
      ),
    );
    return { result: earlier, tasks: outside.planOf(rows, before), file, isSoftware };
  }
  if (earlier) keepEarlier(file, earlier.date);
  /** @type {GpuResult} */
  const result = {
    ...empty,
    adapter,
    limits: isOnNull ? null : await worker.call('limitsHere', [], { total: 60_000 }),
    commit: sources.commit,
    program: sources.program,
    manifest: outside.manifestOf(
      rows.filter(({ kind: of }) => of === 'peers'),
      recorded,
    ),
    isOnNull,
    variants: [],
    native: [],
    nativeSetting: null,
    tests: [],
    done: {},
    seconds: 0,
  };
  return { result, tasks, file, isSoftware };
}

/** @param {readonly Task[]} tasks */
function printList(tasks) {
  const titles = tasks.map(
    ({ section, name }, i) => `${String(i + 1).padStart(3)}  ${section.padEnd(15)} ${name}`,
  );
  process.stdout.write(`${titles.join('\n')}\n`);
}

await runMain(async () => {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const start = performance.now();
  const env = isPacked() ? nodeGpuEnv() : setup({ browser: false }).env;
  if (options.pack) {
    const { pack } = await import('./lib/gpu-pack.mjs');
    say(await pack(path.resolve(options.pack)));
    return;
  }
  const sources = await findSources();
  /** @type {Outside} */
  const outside = await import(pathToFileURL(sources.outside).href);
  const { rows, tests } = workers(sources, env, options.null);
  const first = rows(false);
  const { result, tasks, file, isSoftware } = await openResult(sources, outside, first, options);
  await first.end();
  say(`${result.adapter}. ${outside.manifestText(result.manifest)}`);
  if (options.list) {
    printList(tasks);
    return;
  }
  const save = () => {
    replaceFile(file, `${JSON.stringify(result, null, 1)}\n`);
    replaceFile(file.replace(/\.json$/, '.md'), outside.toGpuMarkdown(result));
  };
  const run = new GpuRun({
    result,
    tasks,
    outside,
    startWorker: rows,
    startTests: tests,
    runPyTorch: (filter, milliseconds, onRow) =>
      runPyTorch({
        script: sources.native,
        filter,
        device: isSoftware || options.null ? 'cpu' : 'cuda',
        budget: BUDGET_MS,
        milliseconds,
        onRow,
      }),
    end: start + 60_000 * options.minutes,
    budget: BUDGET_MS,
    rowLimit: ROW_MS[isSoftware ? 'cpu' : 'gpu'],
    say,
    save,
  });
  const isDone = await run.run();
  process.stdout.write(`\n${outside.summaryLines(result).join('\n')}\n`);
  say(
    `Results: ${path.relative(process.cwd(), file)} and .md.${isDone ? '' : ' The time is up: the same command continues.'}`,
  );
  const failed = Object.values(result.done).some(({ how }) => how.startsWith('failed'));
  const wrong = result.variants.some(({ status }) => status !== 'right');
  const red = result.tests.some(({ failures }) => failures.length > 0);
  process.exit(!result.isOnNull && (failed || wrong || red) ? 1 : 0);
});
