/**
 * @file Two test projects: `unit` runs in Node on Dawn's WebGPU, `browser` drives a real Chromium.
 * `npx vitest run --project unit [FILTER]` is the quick way while working.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { packageAliases } from './scripts/lib/aliases.mjs';
import { nodeGpuEnv } from './scripts/lib/node-gpu.mjs';

// Workers are child processes: they inherit what Dawn must find in its environment when it is loaded.
Object.assign(process.env, nodeGpuEnv());

export default defineConfig({
  // Examples import the package by its name, as an app does.
  resolve: { alias: packageAliases(fileURLToPath(new URL('.', import.meta.url))) },
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
});
