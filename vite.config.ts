/**
 * @file The one configuration of Vite and Vitest. The mode says what is built or run:
 *
 * - `library`: dist/, the package (with `scripts/build-types.mjs`, which writes its types)
 * - `notebook`, `perceptual-loss`, `webgpu-app`, `gather-three-ways`, `check`: the page of an example, into site/
 * - `bench`, `bench-cold`: the pages of the benchmark and of its cold start, into site/bench
 * - `app`: what an app downloads, for measuring its size
 * - `script`: TypeScript of the repository as one module that a script imports (scripts/lib/bundle.mjs)
 * - `test`: Vitest's projects. `npx vitest run --project unit [FILTER]` is the quick way while working.
 *
 * For example: `npx vite build --mode notebook`.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import type { ViteUserConfig } from 'vitest/config';
import { packageAliases } from './scripts/lib/aliases.mjs';
import { contenderVersions } from './scripts/lib/bench-versions.mjs';
import { presentEntries } from './scripts/lib/entries.mjs';
import { libraryModules } from './scripts/lib/library-modules.mjs';
import { nodeGpuEnv } from './scripts/lib/node-gpu.mjs';
import { shippedShaders } from './scripts/lib/shipped-shaders.mjs';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `retrograd` is the sources. Examples and tests import the package by its name, as an app does. */
const onSources = { alias: packageAliases(at('.')) };

/** `retrograd` is the built library. */
const onLibrary = {
  alias: [
    { find: /^retrograd$/, replacement: at('dist/index.js') },
    { find: /^retrograd\/(\w+)$/, replacement: at('dist/$1.js') },
  ],
};

const target = 'es2022';

/**
 * dist/ in two forms: the modules that bundlers take, which `libraryModules` writes, and made from them dist/browser/, a few
 * minified files for pages without a bundler.
 */
function library(): UserConfig {
  const names = Object.keys(presentEntries(at('.')));
  const entry = Object.fromEntries(names.map((name) => [name, at(`dist/${name}.js`)]));
  return {
    plugins: [libraryModules()],
    build: {
      target,
      outDir: at('dist/browser'),
      emptyOutDir: false,
      copyPublicDir: false,
      sourcemap: true,
      reportCompressedSize: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        // Writing the modules is most of this build, and meant to be.
        checks: { bundlerTimings: false },
        output: {
          minify: true,
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  };
}

/** A page of examples/, on the built library. All addresses are relative: any host serves it, under any path. */
function page(name: string): UserConfig {
  return {
    root: at(`examples/${name}`),
    base: './',
    resolve: onLibrary,
    build: {
      target,
      outDir: at(`site/${name}`),
      emptyOutDir: true,
      sourcemap: true,
      reportCompressedSize: false,
    },
  };
}

/**
 * The built notebook carries its Content-Security-Policy. Cells are modules made of text, which are imported as blob:
 * addresses; nothing is evaluated, nothing comes from elsewhere.
 */
const contentSecurityPolicy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml(html) {
    const policy = [
      "default-src 'none'",
      "script-src 'self' blob:",
      // In Firefox a Worker's modules need their own permission for the modules that they import.
      "worker-src 'self' blob:",
      "style-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
    ];
    const tag = `<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}" />`;
    return html.replace('<meta charset', `${tag}\n    <meta charset`);
  },
};

/** The notebook: `npm run notebook` serves it on the sources, `npm run build:pages` builds it on the library. */
function notebook(command: 'serve' | 'build'): UserConfig {
  const { build, ...shared } = page('notebook');
  return {
    ...shared,
    resolve: command === 'serve' ? onSources : onLibrary,
    plugins: [contentSecurityPolicy],
    // Visitors read the names of errors and classes.
    worker: { format: 'es', rolldownOptions: { output: { keepNames: true } } },
    build: {
      ...build,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2048,
      license: { fileName: 'licenses.md' },
    },
  };
}

/** The benchmark: on the sources with their shaders as shipped, bundled with the libraries that it compares. */
function bench(): UserConfig {
  return {
    root: at('bench'),
    base: './',
    plugins: [shippedShaders()],
    resolve: onSources,
    define: { BENCH_VERSIONS: JSON.stringify(contenderVersions()) },
    build: {
      target,
      outDir: at('site/bench'),
      emptyOutDir: true,
      sourcemap: true,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4096,
      rolldownOptions: { input: { index: at('bench/index.html'), runner: at('bench/runner.html') } },
    },
  };
}

/** The pages of the cold start: built apart from the benchmark, so that they load nothing of it. */
function benchCold(): UserConfig {
  return {
    root: at('bench/cold'),
    base: './',
    plugins: [shippedShaders()],
    resolve: onSources,
    build: {
      target,
      outDir: at('site/bench/cold'),
      emptyOutDir: true,
      modulePreload: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4096,
      rolldownOptions: { input: { cold: at('bench/cold/cold.html') } },
    },
  };
}

/** What an app downloads of a library; the caller names the input. */
function app(): UserConfig {
  return {
    plugins: [shippedShaders()],
    resolve: onSources,
    build: { target, write: false, modulePreload: false, reportCompressedSize: false },
  };
}

/** One module for Node or a page; the caller names the entry, the folder and the packages to leave out. */
function script(): UserConfig {
  return {
    resolve: onSources,
    build: {
      target,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      sourcemap: true,
      reportCompressedSize: false,
      rolldownOptions: { external: [/^node:/], output: { codeSplitting: false } },
    },
  };
}

/** `unit` runs in Node on Dawn's WebGPU, `browser` drives a real Chromium. */
function test(): ViteUserConfig {
  // Workers are child processes: they inherit what Dawn must find in its environment when it is loaded.
  Object.assign(process.env, nodeGpuEnv());
  return {
    resolve: onSources,
    test: {
      pool: 'forks',
      // A software adapter spreads over all cores by itself; more workers only take them from each other.
      maxWorkers: 2,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      projects: [
        {
          extends: true,
          test: {
            name: 'unit',
            environment: 'node',
            include: ['test/**/*.test.ts'],
            exclude: ['test/e2e/**', 'test/fixtures/**'],
            setupFiles: ['test/support/node-gpu.ts'],
            // Files share a process, and with it the device, its pipelines and the loaded modules.
            isolate: false,
          },
        },
        {
          extends: true,
          test: {
            name: 'browser',
            environment: 'node',
            include: ['test/e2e/**/*.test.ts'],
            testTimeout: 180_000,
            hookTimeout: 180_000,
            fileParallelism: false,
          },
        },
      ],
    },
  };
}

const modes: Record<string, (command: 'serve' | 'build') => ViteUserConfig> = {
  library,
  notebook,
  'perceptual-loss': () => page('perceptual-loss'),
  'webgpu-app': () => page('webgpu-app'),
  'gather-three-ways': () => page('gather-three-ways'),
  check: () => page('check'),
  bench,
  'bench-cold': benchCold,
  app,
  script,
  test,
};

export default defineConfig(({ command, mode }) => {
  const configure = modes[mode];
  if (!configure)
    throw new Error(`--mode must be one of ${Object.keys(modes).join(', ')}. Received: ${mode}.`);
  return configure(command);
});
