/** @file The families that there are, by the names that kernels ask under. */
import type { Question } from '../webgpu/choice.ts';
import type { Device } from '../webgpu/device.ts';
import { convolutionFamily } from './convolutionFamily.ts';
import type { Asked, Family } from './family.ts';
import { productFamily } from './productFamily.ts';

const families: Readonly<Record<string, Family<object, unknown> | undefined>> = {
  product: productFamily as Family<object, unknown>,
  convolution: convolutionFamily as Family<object, unknown>,
};

/** The key of a question; null where its family has no variants to choose from. */
export function keyOf({ family, facts }: Question<unknown>): string | null {
  const known = families[family];
  return known ? `${family}: ${known.key(facts)}` : null;
}

/** The variant of a question that is called `name`; null where there is none such. */
export function variantOf<V>(
  device: Device,
  { family, facts }: Question<V>,
  name: string,
): { variant: V } | null {
  const known = families[family] as Family<object, V>;
  return known.candidates(device, facts).find((candidate) => candidate.name === name) ?? null;
}

/** The candidates of a question. */
export function ask<V>(device: Device, { family, facts, guess }: Question<V>): Asked<V> {
  const known = families[family] as Family<object, V>;
  const candidates = known.candidates(device, facts);
  const text = JSON.stringify(guess);
  let guessed = candidates.find(({ variant }) => JSON.stringify(variant) === text);
  if (!guessed) {
    guessed = { name: 'default', variant: guess, cost: null, rank: 0 };
    candidates.unshift(guessed);
  }
  const key = `${family}: ${known.key(facts)}`;
  return { family, key, what: known.describe(facts), candidates, guess: guessed };
}
