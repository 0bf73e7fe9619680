/** @file Descriptions of models with any part damaged: read, or rejected with a typed error. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { FormatError, init, memory, RetrogradError } from '../../../src/index.ts';
import { clearSession, modelFromJSON } from '../../../src/keras/index.ts';
import { mutated } from '../../support/mutate.ts';
import { random } from '../../support/random.ts';
import { configOf, fixtureNames } from './support.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const rounds = 60;

test.each(fixtureNames)('%s', (name) => {
  const text = configOf(name);
  const dice = random(name.length * 7919 + text.length);
  for (let i = 0; i < rounds; i++) {
    const damaged = mutated(text, dice);
    const before = memory().tensors;
    try {
      modelFromJSON(damaged).dispose();
    } catch (error) {
      if (!(error instanceof RetrogradError)) {
        throw new Error(`mutation ${i}: ${damaged.slice(0, 2000)}`, { cause: error });
      }
      expect(error).toBeInstanceOf(FormatError);
      for (const part of [error.rule, error.received, error.hint]) expect(part).toBeTruthy();
      expect(memory().tensors).toBe(before);
    }
  }
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
