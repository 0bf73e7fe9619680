// @ts-check
/**
 * @file `npm run test:profiles`: runs tests once with each GPU profile, so that all of an op's kernels for GPUs are tested, not only
 * those that are selected for the present adapter, and with them what is built on ops: gradients, vmap, compiled functions, layers.
 * `npm run test:profiles -- apple mobile` runs only these profiles. Other tests run with a profile by RETROGRAD_PROFILE:
 *
 *     RETROGRAD_PROFILE=discrete npx vitest run --project unit test/keras/models
 *
 * The adapter is that of the other tests: SwiftShader, where subgroups have 4 invocations. With lavapipe they have 8:
 *
 *     VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json npm run test:profiles
 */
import process from 'node:process';
import { runUnitTests } from './lib/unit-tests.mjs';
import { runMain, SetupError } from './setup.mjs';

/** Tests whose kernels depend on the profile, and that are quick. */
const files = [
  'test/ops/battery.test.ts',
  'test/ops/dotProductAttention.test.ts',
  'test/ops/normalization.test.ts',
  'test/autodiff/vmap.test.ts',
  'test/autodiff/vmapAttention.test.ts',
  'test/autodiff/vmapOperands.test.ts',
  'test/autodiff/scan.test.ts',
  'test/autodiff/compileMatchesEager.test.ts',
  'test/keras/layers.test.ts',
  'test/keras/layers/attention',
  'test/training-step.test.ts',
];

const profiles = ['discrete', 'apple', 'integrated', 'mobile'];

await runMain(async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !profiles.includes(name));
  if (unknown) throw new SetupError(`A profile is one of ${profiles.join(', ')}. Received: ${unknown}`);
  for (const profile of asked.length > 0 ? asked : profiles) {
    process.stdout.write(`\nprofile ${profile}\n`);
    runUnitTests([...files, '--reporter=dot'], { RETROGRAD_PROFILE: profile });
    if (process.exitCode) return;
  }
});
