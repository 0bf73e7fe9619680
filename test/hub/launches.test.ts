/** @file How many launches a block of GPT-2 takes on a GPU, at the size of GPT-2 small: counted in a dry run. */
import { beforeAll, expect, test } from 'vitest';
import { GradientTape, init, zeros } from '../../src/index.ts';
import { LaunchSurvey } from '../../src/execution/dryRun.ts';
import { transformerDecoder } from '../../src/hub/index.ts';
import { asAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

test('a block of GPT-2 small, 256 tokens: 10 launches forward, 31 with gradients', () =>
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
    const launchesOf = (body: () => unknown) => {
      const survey = new LaunchSurvey();
      survey.run(body);
      survey.end();
      return survey.commands.filter((command) => 'pipeline' in command).length;
    };
    expect(launchesOf(() => block.apply(x))).toBeLessThanOrEqual(10);
    const both = launchesOf(() => {
      using tape = new GradientTape();
      tape.watch(x);
      const y = block.apply(x);
      tape.gradient(y, [x, ...block.trainableWeights], { outputGradients: y });
    });
    expect(both).toBeLessThanOrEqual(31);
  }));
