// @ts-check
/**
 * @file `node scripts/measure-loading.mjs FILE…`: the memory that loading weights of VGG19, with its top, takes at its peak, in
 * headless Chromium and in Node. Linux only: it adds up what all processes hold, by /proc. The process of the GPU is one of
 * them; a software adapter has its buffers there.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { spawn } from 'node:child_process';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { launchBrowser, openPage, serveFolder } from './lib/browser.mjs';
import { nodeGpuEnv, ROOT, runMain, setup } from './setup.mjs';

/** @param {number} root the process, and all below it */
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

/** What the processes hold; what two of them share counts twice. @param {Iterable<number>} processes */
function bytesOf(processes) {
  let bytes = 0;
  for (const id of processes) {
    try {
      const status = fs.readFileSync(`/proc/${id}/status`, 'utf8');
      for (const [, kB] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm)) bytes += 1024 * Number(kB);
    } catch {} // It has ended.
  }
  return bytes;
}

/**
 * @template T
 * @param {number} root
 * @param {() => Promise<T>} body
 */
async function peakOf(root, body) {
  const processes = processesBelow(root);
  const before = bytesOf(processes);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, bytesOf(processes));
  }, 20);
  try {
    return { result: await body(), peak: most - before };
  } finally {
    clearInterval(timer);
  }
}

/** @param {string} file @param {string} what @param {number} peak @param {object} result */
function report(file, what, peak, result) {
  const { size } = fs.statSync(file);
  const MB = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
  process.stdout.write(
    `${path.basename(file)}, ${what}: ${MB(size)}, peak ${MB(peak)}, ${(peak / size).toFixed(2)} of its size ${JSON.stringify(result)}\n`,
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
    const { result, peak } = await peakOf(id, () =>
      page.evaluate(
        async (at, from, kind) => (await import(at)).load(from, kind),
        library,
        url,
        from === 'file' ? 'file' : 'url',
      ),
    );
    report(file, `in a page from ${sources[from]}`, peak, result);
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
  const { result, peak } = await peakOf(/** @type {number} */ (child.pid), () => {
    const answer = next();
    child.stdin.write('go\n');
    return answer;
  });
  report(file, 'in Node from a path', peak, JSON.parse(/** @type {string} */ (result)));
}

await runMain(async () => {
  setup();
  const files = process.argv.slice(2);
  const folder = temporaryFolder('measure-loading');
  await bundle({ entry: 'bench/loading/page.ts', folder });
  await bundle({ entry: 'bench/loading/node.ts', folder, external: [/^webgpu$/] });
  for (const file of files) {
    for (const from of /** @type {const} */ (['ranges', 'url', 'file'])) await inPage(file, from, folder);
    await inNode(file, folder);
  }
});
