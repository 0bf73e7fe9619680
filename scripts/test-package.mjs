// @ts-check
/**
 * @file `npm run test:package`: the package as `npm pack` makes it, installed in fresh projects with bundlers and run-times.
 * Needs the npm registry and some minutes, so that it is no part of `npm test`. `--only vite,node` runs some of the checks.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { buildLibrary } from './lib/pages.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** What the checks install next to the package. */
const TOOLS = {
  vite: '8.3.8',
  webpack: '5.112.2',
  'webpack-cli': '7.3.1',
  esbuild: '0.28.2',
  rollup: '4.68.7',
  '@rollup/plugin-node-resolve': '16.0.3',
  webgpu: '0.6.2',
  deno: '2.9.6',
  publint: '0.3.25',
  '@arethetypeswrong/cli': '0.18.5',
};

/** The program that each bundler builds: a model and its training, which are loaded on demand. */
const PROGRAM = `import { init, matMul } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';
export const run = async () => {
  await init();
  const net = sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  await net.fit([[1, 2]], [3], { epochs: 1, verbose: 0 });
  return [...(await matMul([[2]], [[3]]).data())];
};
`;

/** Where there is no WebGPU, every entry is imported, and init says what is missing. */
const SERVER = `for (const entry of ['', '/keras', '/keras/layers', '/kernels', '/io', '/inspect']) await import('retrograd' + entry);
const { init } = await import('retrograd');
await init().then(() => process.exit(1), (error) => console.log(error.name));
`;

/** @typedef {(folder: string, run: (...command: string[]) => string) => void} Check */

/** @type {Record<string, Check>} */
const checks = {
  publint: (_, run) => run('publint', 'run', '--strict', 'node_modules/retrograd'),
  types: (folder, run) =>
    run('attw', path.join(folder, 'retrograd.tgz'), '--profile', 'esm-only', '--no-emoji'),
  vite: (folder, run) => {
    for (const name of ['starter-vite', 'starter-worker']) {
      fs.cpSync(path.join(ROOT, 'examples', name), path.join(folder, name), { recursive: true });
      run('vite', 'build', name, '--logLevel', 'error');
      if (!fs.existsSync(path.join(folder, name, 'dist', 'index.html')))
        throw new Error(`${name} built nothing`);
    }
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
    for (const file of ['train.js', 'webgpu.js'])
      fs.copyFileSync(path.join(ROOT, 'examples', 'starter-node', file), path.join(folder, file));
    const printed = execFileSync(process.execPath, ['--import', './webgpu.js', 'train.js'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expectLine(printed, /^accuracy [01]\.\d\d$/m);
  },
  deno: (folder, run) => {
    fs.writeFileSync(
      path.join(folder, 'deno.mjs'),
      SERVER.replaceAll('process.exit(1)', 'console.log("ready")'),
    );
    // A machine without a GPU has no adapter there; loading every entry is what counts.
    expectLine(
      run('deno', 'run', '--allow-all', '--node-modules-dir=manual', 'deno.mjs'),
      /^(?:ready|DeviceError)$/m,
    );
  },
};

/** @param {string} printed @param {RegExp} line */
function expectLine(printed, line) {
  if (!line.test(printed)) throw new Error(`it must print ${line}. Received: ${printed}`);
}

/** Packs the package, and installs it with the tools. @param {string} folder */
function install(folder) {
  const npm = (/** @type {string[]} */ args, cwd = folder) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT),
  );
  fs.renameSync(path.join(folder, packed.filename), path.join(folder, 'retrograd.tgz'));
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    devDependencies: TOOLS,
    dependencies: { retrograd: 'file:retrograd.tgz' },
  };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, 'program.mjs'), PROGRAM);
  npm(['install', '--no-audit', '--no-fund']);
}

await runMain(() => {
  const { env } = setup({ browser: false });
  Object.assign(process.env, env);
  buildLibrary(env, (line) => process.stdout.write(`${line}\n`));
  const at = process.argv.indexOf('--only');
  const names = at < 0 ? Object.keys(checks) : (process.argv[at + 1] ?? '').split(',');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-package-'));
  let failed = 0;
  try {
    install(folder);
    for (const name of names) {
      const check = checks[name];
      if (!check) throw new SetupError(`--only takes ${Object.keys(checks).join(', ')}. Received: ${name}.`);
      try {
        check(folder, (command, ...args) =>
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
    fs.rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${names.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
});
