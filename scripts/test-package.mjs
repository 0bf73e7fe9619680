// @ts-check
/**
 * @file `npm run test:package`: the package as it would be published, installed in fresh projects with bundlers and runtimes.
 * Needs the npm registry and some minutes, so it isn't part of `npm test`. `--only vite,node` runs some of the checks.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { launchBrowser, openPage, serveFolder } from './lib/browser.mjs';
import { pack } from './lib/packing.mjs';
import { buildLibrary } from './lib/pages.mjs';
import { runMain, SetupError, setup } from './setup.mjs';

/** Packages that the checks install in addition. */
const TOOLS = {
  vite: '8.3.8',
  webpack: '5.112.2',
  'webpack-cli': '7.3.1',
  esbuild: '0.28.2',
  rollup: '4.68.7',
  '@rollup/plugin-node-resolve': '16.0.3',
  webgpu: '0.6.2',
  react: '19.3.1',
  'react-dom': '19.3.1',
  '@vitejs/plugin-react': '6.3.0',
  next: '16.4.6',
  bun: '1.4.5',
  deno: '2.9.6',
  publint: '0.3.25',
  '@arethetypeswrong/cli': '0.18.5',
};

/**
 * The program that each bundler builds: a model and its training, which are loaded on demand, like the kernels of GPUs. An
 * import that isn't used must not be an error.
 */
const PROGRAM = `import { gather, init, matMul } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';
export const run = async () => {
  await init();
  const net = sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  await net.fit([[1, 2]], [3], { epochs: 1, verbose: 0 });
  await init({ adapterProfile: 'discrete' });
  return [...(await matMul([[2]], [[3]]).data())];
};
`;

/** Without WebGPU, every entry can be imported, and init reports what is missing. */
const SERVER = `for (const entry of ['', '/keras', '/keras/layers', '/kernels', '/io', '/inspect', '/hub']) await import('retrograd' + entry);
const { init } = await import('retrograd');
await init().then(() => process.exit(1), (error) => console.log(error.name));
`;

/**
 * Next.js: a page whose server side imports the package, and whose component trains in the browser. @type {Record<string,
 * string>}
 */
const NEXT = {
  'app/layout.jsx': `export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n`,
  'app/page.jsx': `import { DeviceError } from 'retrograd';
import { Model } from './model.jsx';
export default () => <main data-error={DeviceError.name}><Model /></main>;
`,
  'app/model.jsx': `'use client';
import { useEffect, useState } from 'react';
import { run } from '../program.mjs';
export function Model() {
  const [status, setStatus] = useState('Opening the GPU …');
  useEffect(() => void run().then((values) => setStatus('Trained: ' + values), (error) => setStatus(error.message)), []);
  return <p id="status">{status}</p>;
}
`,
};

/** @typedef {(folder: string, run: (...command: string[]) => string) => unknown} Check */

/** @type {Record<string, Check>} */
const checks = {
  publint: (_, run) => run('publint', 'run', '--strict', 'node_modules/retrograd'),
  types: (folder, run) =>
    run('attw', path.join(folder, 'retrograd.tgz'), '--profile', 'esm-only', '--no-emoji'),
  vite: async (folder) => {
    for (const name of ['vite', 'worker', 'react']) {
      const starter = createStarter(folder, name);
      npm(['run', 'build', '--', '--base', './', '--logLevel', 'error'], starter);
      await expectTraining(path.join(starter, 'dist'));
    }
  },
  'no-build': async (folder) => {
    await expectTraining(createStarter(folder, 'no-build'));
  },
  next: async (folder) => {
    const app = path.join(folder, 'next');
    for (const [file, text] of Object.entries({ ...NEXT, 'program.mjs': PROGRAM })) {
      fs.mkdirSync(path.dirname(path.join(app, file)), { recursive: true });
      fs.writeFileSync(path.join(app, file), text);
    }
    fs.writeFileSync(path.join(app, 'next.config.mjs'), "export default { output: 'export' };\n");
    execFileSync(path.join(folder, 'node_modules', '.bin', 'next'), ['build'], {
      cwd: app,
      encoding: 'utf8',
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await expectTraining(path.join(app, 'out'));
  },
  webpack: (_, run) =>
    run(
      'webpack',
      '--mode',
      'production',
      '--entry',
      './program.mjs',
      '-o',
      'webpack',
      '--performance-hints',
      'false',
    ),
  esbuild: (_, run) =>
    run(
      'esbuild',
      'program.mjs',
      '--bundle',
      '--format=esm',
      '--splitting',
      '--platform=browser',
      '--external:node:*',
      '--outdir=esbuild',
      '--log-level=warning',
    ),
  rollup: (_, run) =>
    run('rollup', 'program.mjs', '-p', 'node-resolve={browser:true}', '-d', 'rollup', '--silent'),
  server: (folder) => {
    fs.writeFileSync(path.join(folder, 'server.mjs'), SERVER);
    expectLine(
      execFileSync(process.execPath, ['server.mjs'], { cwd: folder, encoding: 'utf8' }),
      /^DeviceError$/m,
    );
  },
  node: (folder) => {
    expectLine(npm(['start'], createStarter(folder, 'node')), /^accuracy [01]\.\d\d$/m);
  },
  deno: (folder, run) => {
    // Inside of the consumer, whose packages Deno finds.
    const starter = createStarter(folder, 'deno', path.join(folder, 'starter-deno'));
    // Uses the packed package instead of the one on npm.
    fs.writeFileSync(path.join(starter, 'deno.json'), '{}');
    const printed = runInDeno(run, path.join(starter, 'train.ts'));
    // Deno has no adapter on a machine without a GPU; then importing every entry is sufficient.
    if (/^accuracy [01]\.\d\d$/m.test(printed)) return;
    fs.writeFileSync(
      path.join(folder, 'deno.mjs'),
      SERVER.replaceAll('process.exit(1)', 'console.log("ready")'),
    );
    expectLine(runInDeno(run, 'deno.mjs'), /^(?:ready|DeviceError)$/m);
  },
  // Bun has no WebGPU, and Dawn's module is built for Node: every entry is imported, and init reports what is missing.
  bun: (folder, run) => {
    fs.writeFileSync(path.join(folder, 'server.mjs'), SERVER);
    expectLine(run('bun', 'server.mjs'), /^DeviceError$/m);
  },
};

/** @param {string[]} args @param {string} cwd */
function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Creates a starter by the command of the packed package, as a user does, by default next to the consumer, and installs its
 * dependencies, with the packed package.
 *
 * @param {string} folder @param {string} name @param {string} [starter]
 */
function createStarter(folder, name, starter = path.join(folder, '..', `starter-${name}`)) {
  execFileSync(path.join(folder, 'node_modules', '.bin', 'retrograd'), ['create', name, starter]);
  const file = path.join(starter, 'package.json');
  if (!fs.existsSync(file)) return starter;
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
  manifest.dependencies.retrograd = `file:${path.join(folder, 'retrograd.tgz')}`;
  fs.writeFileSync(file, JSON.stringify(manifest));
  npm(['install', '--no-audit', '--no-fund'], starter);
  return starter;
}

/**
 * Runs a program in Deno. Returns its output, including errors. @param {(...command: string[]) => string} run @param {string}
 * file
 */
function runInDeno(run, file) {
  try {
    return run('deno', 'run', '--unstable-webgpu', '--allow-all', '--node-modules-dir=manual', file);
  } catch (error) {
    const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    return stdout + stderr;
  }
}

/** Opens a built page in Chromium, and waits until its model is trained. @param {string} site */
async function expectTraining(site) {
  const server = await serveFolder(site);
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, server.url);
    await page.waitForFunction(() => /^Trained/.test(document.querySelector('#status')?.textContent ?? ''), {
      timeout: 120_000,
    });
    if (errors.length > 0) throw new Error(`the page reported:\n${errors.join('\n')}`);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** @param {string} printed @param {RegExp} line */
function expectLine(printed, line) {
  if (!line.test(printed)) throw new Error(`it must print ${line}. Received: ${printed}`);
}

/** Packs the package, and installs it with the tools. @param {string} folder */
function install(folder) {
  const { filename } = pack('--pack-destination', folder);
  fs.renameSync(path.join(folder, filename), path.join(folder, 'retrograd.tgz'));
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    devDependencies: TOOLS,
    dependencies: { retrograd: 'file:retrograd.tgz' },
  };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, 'program.mjs'), PROGRAM);
  npm(['install', '--no-audit', '--no-fund'], folder);
}

await runMain(async () => {
  const { env } = setup();
  Object.assign(process.env, env);
  buildLibrary(env, (line) => process.stdout.write(`${line}\n`));
  const at = process.argv.indexOf('--only');
  const names = at < 0 ? Object.keys(checks) : (process.argv[at + 1] ?? '').split(',');
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-package-'));
  const folder = path.join(temporary, 'consumer');
  fs.mkdirSync(folder);
  let failed = 0;
  try {
    install(folder);
    for (const name of names) {
      const check = checks[name];
      if (!check) throw new SetupError(`--only takes ${Object.keys(checks).join(', ')}. Received: ${name}.`);
      try {
        await check(folder, (command, ...args) =>
          execFileSync(path.join(folder, 'node_modules', '.bin', String(command)), args, {
            cwd: folder,
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'pipe'],
          }),
        );
        process.stdout.write(`${name}: passed\n`);
      } catch (error) {
        failed++;
        const {
          stdout = '',
          stderr = '',
          message,
        } = /** @type {Error & { stdout?: string, stderr?: string }} */ (error);
        process.stdout.write(`${name}: FAILED\n${message}\n${stdout}${stderr}\n`);
      }
    }
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
  process.stdout.write(`${names.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
});
