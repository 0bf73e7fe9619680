/** @file Pretrained networks against transformers: outputs, features after each layer, gradients, continuations. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, transpose } from '../../src/index.ts';
import { type CausalLM, fromPretrained, type PretrainedModel } from '../../src/hub/index.ts';
import {
  backboneOf,
  Expected,
  expectClose,
  folderOf,
  gradientsOf,
  logitsOf,
  networks,
  statesOf,
} from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

describe.each(networks)('%s', (name) => {
  const expected = new Expected(name);
  let model: PretrainedModel;

  beforeAll(async () => {
    model = await fromPretrained(folderOf(name));
  });

  test('computes what transformers does', async () => {
    const shown = expected.has('mask') ? expected.values('mask').map(Boolean) : null;
    const isPerToken =
      expected.has('ids') && expected.values('logits').length % expected.values('ids').length === 0;
    const perToken = isPerToken ? { shown } : {};
    await expectClose(logitsOf(model, expected), expected.values('logits'), 1e-4, perToken);
    for (const [name, states] of Object.entries(statesOf(model, expected))) {
      expect(states.length).toBe(expected.names(`${name}.`).length);
      const ofText = name === 'text' || !expected.has('pixels');
      for (const [i, state] of states.entries())
        await expectClose(state, expected.values(`${name}.${i}`), 1e-4, ofText ? { shown } : {});
    }
  });

  test.runIf(expected.has('weights'))('has the gradients of transformers', async () => {
    // Weights in 16 bits are frozen.
    const trained = await fromPretrained(folderOf(name), { dtype: 'float32' });
    const modelType = backboneOf(trained).modelType;
    const found = await gradientsOf(trained, expected, modelType, trained.task);
    const names = expected.names('gradient.').map((key) => key.slice('gradient.'.length));
    expect([...found.keys()].sort()).toEqual(names.sort());
    const valuesOf = (key: string) => expected.values(`gradient.${key}`);
    const largest = Math.max(...names.flatMap(valuesOf).map(Math.abs));
    for (const [key, { parameter, gradient }] of found) {
      const { perm } = parameter;
      const inOrder = perm
        ? transpose(gradient, { perm: perm.map((_, axis) => perm.indexOf(axis)) })
        : gradient;
      // Biases of keys have no effect: their gradients are what rounding leaves.
      await expectClose(inOrder, valuesOf(key), 1e-3, { atLeast: 1e-4 * largest });
    }
  });

  test.runIf(expected.has('generated.0'))('continues texts as transformers', async () => {
    const prompts = [0, 1].map((i) => expected.values(`prompt.${i}`));
    const wanted = [0, 1].map((i) => expected.values(`generated.${i}`));
    const net = model as CausalLM;
    expect(await net.generate(prompts, { maxNewTokens: 12 })).toEqual(wanted);
  });
});
