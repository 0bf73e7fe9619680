/**
 * @file The programs of examples/programs, such as users write first: each learns what it should. They are type-checked as an
 * app would be, by examples/programs/tsconfig.json and, on the built package, by scripts/check-package.mjs.
 */
import { describe, expect, test } from 'vitest';

type Results = Record<string, unknown>;
interface Program {
  run(print: (line: string) => void): Promise<Results>;
}

const programs = import.meta.glob<Program>('../../examples/programs/*.ts');

/** Runs a program; its results, and what it prints. */
async function run(name: string): Promise<Results & { printed: string }> {
  const load = programs[`../../examples/programs/${name}.ts`] as () => Promise<Program>;
  const lines: string[] = [];
  const results = await (await load()).run((line) => lines.push(line));
  return { ...results, printed: lines.join('\n') };
}

describe('examples/programs', { timeout: 120_000 }, () => {
  const seen = new Set<string>();
  const program = (name: string, check: (results: Awaited<ReturnType<typeof run>>) => void) => {
    seen.add(name);
    test(name, async () => check(await run(name)));
  };

  program('linear-regression', ({ weight, offset }) => {
    expect(weight).toBeCloseTo(3, 0.5);
    expect(offset).toBeCloseTo(2, 0.5);
  });

  program('logistic-regression', ({ accuracy, inside, outside }) => {
    expect(accuracy).toBeGreaterThan(0.9);
    expect(inside).toBeGreaterThan(0.5);
    expect(outside).toBeLessThan(0.5);
  });

  program('why-it-does-not-learn', ({ kinds, after, page, printed }) => {
    expect(kinds).toEqual(['dead units']);
    expect(after).toBe(0);
    expect(printed).toMatch(/error: Dead relu: all 512 outputs .*hidden[\s\S]*nothing conspicuous/);
    expect(page).toMatch(/^<!doctype html>[\s\S]*Content-Security-Policy/);
  });

  program('cnn', ({ correct }) => expect(correct).toBeGreaterThan(0.9));

  program('text-classifier', ({ accuracy, good, bad }) => {
    expect(accuracy).toBe(1);
    expect(good).toBeGreaterThan(0.5);
    expect(bad).toBeLessThan(0.5);
  });

  program('autoencoder', ({ first, last, codes }) => {
    expect(last).toBeLessThan((first as number) / 2);
    expect(codes).toEqual([96, 2]);
  });

  program('vae', ({ first, last, samples }) => {
    expect(last).toBeLessThan((first as number) / 1.5);
    for (const value of samples as Float32Array) expect(value > 0 && value < 1).toBe(true);
  });

  program('gan', ({ x, y }) => {
    expect(x).toBeGreaterThan(0.8);
    expect(y).toBeLessThan(-0.3);
  });

  program('wgan-gp', ({ x, y, penalty }) => {
    expect(x).toBeGreaterThan(0.3);
    expect(y).toBeLessThan(-0.3);
    expect(penalty).toBeLessThan(0.5);
  });

  program('transfer-learning', ({ accuracy, isUnchanged, trained }) => {
    expect(accuracy).toBeGreaterThan(0.8);
    expect(isUnchanged).toBe(true);
    expect(trained).toBe(2);
  });

  program('transformer', ({ first, last, next, expected }) => {
    expect(last).toBeLessThan((first as number) / 3);
    expect(next).toBe(expected);
  });

  program('vision-transformer', ({ accuracy }) => expect(accuracy).toBeGreaterThan(0.8));

  program('style-transfer', ({ first, last }) => expect(last).toBeLessThan(0.8 * (first as number)));

  program('dqn', ({ policy }) => expect(policy).toEqual(Int32Array.of(1, 1, 1, 1, 1)));

  program('custom-op', ({ values, first, last }) => {
    expect(values).toEqual([-1, 0, 3]);
    expect(last).toBeLessThan((first as number) / 4);
  });

  program('k-fold', ({ accuracies, mean }) => {
    expect(accuracies).toHaveLength(4);
    expect(mean).toBeGreaterThan(0.8);
  });

  program('resume', ({ expected, resumed }) => expect(resumed).toEqual(expected));

  program('csv', ({ predicted, error }) => {
    expect(predicted).toBeGreaterThan(250);
    expect(predicted).toBeLessThan(350);
    expect(error).toBeLessThan(30);
  });

  test('are all checked here', () => {
    const names = Object.keys(programs).map((file) => file.replace(/^.*\/|\.ts$/g, ''));
    expect(new Set(names)).toEqual(seen);
  });
});
