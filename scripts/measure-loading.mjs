// @ts-check
/**
 * @file `node scripts/measure-loading.mjs [--from=ranges|url|file|node] FILE…`: the memory that loading weights of VGG19, with
 * its top, takes at its peak, in headless Chromium and in Node. Linux only: it adds up what all processes hold, by /proc. The
 * process of the GPU is one of them; a software adapter has its buffers there.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { spawn } from 'node:child_process';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { launchBrowser, openPage, serveFolder } from './lib/browser.mjs';
import { nodeGpuEnv, ROOT, runMain, setup } from './setup.mjs';

/** @param {number} root the process, and all its descendants */
function processesBelow(root) {
  const parents = new Map();
  for (const name of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {} // It has ended.
  }
  const found = new Set([root]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [id, parent] of parents) if (found.has(parent)) found.add(id);
  }
  return found;
}

/** Returns the memory of each process; shared memory counts for each. @param {Iterable<number>} processes */
function bytesOf(processes) {
  /** @type {Map<number, number>} */
  const held = new Map();
  for (const id of processes) {
    try {
      const status = fs.readFileSync(`/proc/${id}/status`, 'utf8');
      let bytes = 0;
      for (const [, kB] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm)) bytes += 1024 * Number(kB);
      held.set(id, bytes);
    } catch {} // It has ended.
  }
  return held;
}

/** @param {Map<number, number>} held */
const totalOf = (held) => [...held.values()].reduce((sum, bytes) => sum + bytes, 0);

/** Returns the kind of a browser's process. @param {number} id */
function kindOf(id) {
  try {
    const command = fs.readFileSync(`/proc/${id}/cmdline`, 'utf8');
    return /--type=([\w-]+)/.exec(command)?.[1] ?? 'main';
  } catch {
    return 'ended';
  }
}

/**
 * @template T
 * @param {number} root
 * @param {() => Promise<T>} body
 */
async function peakOf(root, body) {
  const processes = processesBelow(root);
  const before = bytesOf(processes);
  let peak = before;
  const timer = setInterval(() => {
    const now = bytesOf(processes);
    if (totalOf(now) > totalOf(peak)) peak = now;
  }, 20);
  try {
    const result = await body();
    /** @type {Record<string, number>} */
    const parts = {};
    for (const [id, bytes] of peak)
      parts[kindOf(id)] = (parts[kindOf(id)] ?? 0) + bytes - (before.get(id) ?? 0);
    return { result, peak: totalOf(peak) - totalOf(before), parts };
  } finally {
    clearInterval(timer);
  }
}

/** @param {string} file @param {string} what @param {{ peak: number, parts: Record<string, number>, result: object }} measured */
function report(file, what, { peak, parts, result }) {
  const { size } = fs.statSync(file);
  const MB = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
  const each = Object.entries(parts).map(([kind, bytes]) => `${kind} ${MB(bytes)}`);
  process.stdout.write(
    `${path.basename(file)}, ${what}: ${MB(size)}, peak ${MB(peak)}, ${(peak / size).toFixed(2)} of its size (${each.join(', ')}) ${JSON.stringify(result)}\n`,
  );
}

const sources = {
  ranges: 'a URL of a server that answers ranges',
  url: 'a URL of a server that sends whole files',
  file: 'a File',
};

/** @param {string} file @param {keyof typeof sources} from @param {string} folder */
async function inPage(file, from, folder) {
  const server = await serveFolder(path.dirname(path.resolve(file)), {
    mounts: { '/lib/': folder },
    ranges: from === 'ranges',
  });
  const browser = await launchBrowser();
  try {
    const { page } = await openPage(browser, server.url);
    const library = '/lib/page.js';
    await page.evaluate(async (at) => void (await (await import(at)).init()), library);
    const id = /** @type {number} */ (browser.process()?.pid);
    const url = new URL(path.basename(file), server.url).href;
    const measured = await peakOf(id, () =>
      page.evaluate(
        async (at, from, kind) => (await import(at)).load(from, kind),
        library,
        url,
        from === 'file' ? 'file' : 'url',
      ),
    );
    report(file, `in a page from ${sources[from]}`, measured);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** @param {string} file @param {string} folder */
async function inNode(file, folder) {
  const code = `
    const { init, loadPath } = await import(${JSON.stringify(path.join(folder, 'node.js'))});
    await init();
    console.log('ready');
    process.stdin.once('data', async () => {
      console.log(JSON.stringify(await loadPath(${JSON.stringify(path.resolve(file))})));
      process.exit();
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: ROOT,
    env: { ...process.env, ...nodeGpuEnv() },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const next = () =>
    new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
  await next();
  const { result, ...measured } = await peakOf(/** @type {number} */ (child.pid), () => {
    const answer = next();
    child.stdin.write('go\n');
    return answer;
  });
  report(file, 'in Node from a path', { ...measured, result: JSON.parse(/** @type {string} */ (result)) });
}

await runMain(async () => {
  setup();
  const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--from='));
  const only = process.argv.find((argument) => argument.startsWith('--from='))?.slice('--from='.length);
  const isWanted = (/** @type {string} */ from) => only === undefined || only === from;
  const folder = temporaryFolder('measure-loading');
  await bundle({ entry: 'bench/loading/page.ts', folder });
  await bundle({ entry: 'bench/loading/node.ts', folder, external: [/^webgpu$/] });
  for (const file of files) {
    for (const from of /** @type {const} */ (['ranges', 'url', 'file']))
      if (isWanted(from)) await inPage(file, from, folder);
    if (isWanted('node')) await inNode(file, folder);
  }
});
