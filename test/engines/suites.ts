/// <reference types="vite/client" />
/**
 * @file The suites that all four engines run (scripts/test-engines.mjs): unit tests that need nothing of Node, golden cases,
 * random programs, and the checks of `verify` for each kind of adapter.
 */
// First: the library's modules create their registries as they load.
import '../support/deferredFinalizers.ts';
import { init, verify } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { checkNames } from '../conformance/page.ts';
import { checkPrograms as checkDifferential } from '../support/differential/programs.ts';
import { checkPrograms as checkStateful } from '../support/statefulPrograms.ts';
import { type FileResult, runTests, testFile } from './runner.ts';

export { runFamilyAt, runModelAt } from '../conformance/page.ts';

const modules: Readonly<Record<string, () => Promise<unknown>>> = import.meta.glob([
  '../ops/*.test.ts',
  '../kernels/*.test.ts',
  '../autodiff/*.test.ts',
  '../keras/layers/**/*.test.ts',
  '../keras/models/*.test.ts',
  '../keras/optimizers/*.test.ts',
  '../training-step.test.ts',
  // Tests that read files or use Node's process.
  '!../kernels/{adapterProfiles,loadedKernels,math,selection,subgroupMatrices}.test.ts',
  '!../autodiff/{dropped,frozenValues,gradients}.test.ts',
  '!../keras/layers/core/lambda.test.ts',
  '!../keras/models/summary.test.ts',
  '!../keras/optimizers/slices.test.ts',
  '!../ops/specialValues.test.ts',
]);

const nameOf = (module: string) => module.slice('../'.length);

/** Test files, relative to `test/`. */
export const files = (): string[] => Object.keys(modules).map(nameOf);

/** Runs a file, or one of several parts of it; where `isPlain`, on a device with WebGPU's default limits and no features. */
export async function runFile(file: string, part = 0, parts = 1, isPlain = false): Promise<FileResult> {
  const gpu = await installNodeGpu();
  if (isPlain) plain ??= await (await gpu.requestAdapter())?.requestDevice();
  await init(plain ? { device: plain } : {});
  const load = modules[`../${file}`] as () => Promise<unknown>;
  return runTests(await testFile(file, load), [part, parts]);
}

let plain: GPUDevice | undefined;

/** Random programs from seed 0 on, those of ops and those with variables. */
export async function runPrograms(count: number): Promise<FileResult> {
  const failures: { name: string; message: string }[] = [];
  for (const [name, check] of Object.entries({ differential: checkDifferential, stateful: checkStateful })) {
    const failure = await check(0, count);
    if (failure !== null) failures.push({ name, message: failure });
  }
  return { passed: 2 * count - failures.length, skipped: 0, failures };
}

export const profiles = (): string[] => Object.keys(adapterProfiles);

/** Returns the checks of all variants that the profile of a kind of adapter may choose. */
export async function runProfile(kind: keyof typeof adapterProfiles): Promise<FileResult> {
  const device = await init();
  const own = device.profile;
  await loadKernelsFor(kind);
  device.profile = createProfile(device, kind);
  try {
    const { variants } = await verify({ store: null });
    const wrong = variants.filter(({ status }) => status !== 'right');
    const failures = wrong.map(({ name, message, worstCheck, worstError }) => ({
      name,
      message: message ?? `${worstCheck}: error ${worstError}`,
    }));
    return { passed: variants.length - wrong.length, skipped: 0, failures };
  } finally {
    Object.assign(device, { profile: own, blocklist: null });
  }
}

/** Names of the checks of golden models. */
export const checks = (): readonly string[] => checkNames;

export async function describeEngine(): Promise<{ adapter: string; userAgent: string }> {
  const { vendor, architecture, device, description } = (await init()).adapter;
  const names = [...new Set([vendor, architecture, device, description])].filter(Boolean);
  return { adapter: names.join(' ') || 'not named', userAgent: globalThis.navigator.userAgent };
}
