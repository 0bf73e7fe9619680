/** @file How many launches a block of GPT-2 takes on a GPU, at the size of GPT-2 small: counted in a dry run. */
import { beforeAll, expect, test } from 'vitest';
import { atOnce } from '../../src/core/pieces.ts';
import { GradientTape, getDevice, init, type Tensor, zeros } from '../../src/index.ts';
import { fuseElementwise } from '../../src/kernels/elementwise/fusion.ts';
import { rangesWrittenBy } from '../../src/webgpu/command.ts';
import { Storage } from '../../src/webgpu/storage.ts';
import { LaunchSurvey } from '../../src/execution/dryRun.ts';
import { transformerDecoder } from '../../src/hub/index.ts';
import { asAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

test('a block of GPT-2 small, 256 tokens: 10 launches forward, 31 with gradients; 8 and 24 if compiled', () =>
  asAdapter('gpu', () => {
    const block = transformerDecoder({
      numHeads: 12,
      intermediateDim: 3072,
      activation: 'geluTanh',
      normalizeFirst: true,
      fusedAttention: true,
    });
    const x = zeros([1, 256, 768]);
    block.ensureBuilt(x.shape);
    const both = (): readonly (Tensor | null)[] => {
      using tape = new GradientTape();
      tape.watch(x);
      const y = block.apply(x);
      return tape.gradient(y, [x, ...block.trainableWeights], { outputGradients: y });
    };
    const forward = () => [block.apply(x)];
    expect(launchesOf(forward)).toEqual({ called: 10, compiled: 8 });
    expect(launchesOf(both)).toEqual({ called: 31, compiled: 24 });
  }));

/** Counts launches of `body`, called as it is and compiled. */
function launchesOf(body: () => readonly (Tensor | null)[]): { called: number; compiled: number } {
  const survey = new LaunchSurvey();
  const counts = survey.run(() => {
    const results = body();
    const { commands } = survey;
    const made = new Map(
      commands.flatMap(rangesWrittenBy).flatMap((range) => (range instanceof Storage ? [[range, 0]] : [])),
    );
    const kept = new Set(results.flatMap((result) => (result ? [result.storage] : [])));
    const called = commands.length;
    const compiled = atOnce(fuseElementwise(getDevice(), commands, kept, made)).length;
    return { called, compiled };
  });
  survey.end();
  return counts;
}
