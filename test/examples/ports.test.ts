/**
 * @file The programs of examples/ports against the curves of their oracles, which are the same programs in Keras
 * (examples/ports/record.py). `npm run test:programs` runs the oracles again.
 */
import fs from 'node:fs';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import type { Curves } from '../../examples/ports/formula.ts';
import golden from '../../examples/ports/curves.json' with { type: 'json' };

interface Program {
  run(): Promise<Curves>;
}

const programs = import.meta.glob<Program>([
  '../../examples/ports/*.ts',
  '!../../examples/ports/{cart_pole,formula}.ts',
]);
const nameOf = (file: string) => file.replace(/^.*\/|\.ts$/g, '');
/** The recorded curves, or those that the oracles have just computed. */
const { RETROGRAD_PORTS: computed } = process.env;
const recorded: Readonly<Record<string, Curves>> = computed
  ? JSON.parse(fs.readFileSync(computed, 'utf8'))
  : golden;

/** Relative to the value; near zero, to the largest of its curve. */
const tolerance = 1e-5;

describe('examples/ports', { timeout: 120_000 }, () => {
  test.each(Object.keys(programs).map((file) => [nameOf(file), file] as const))('%s', async (name, file) => {
    const curves = await (await (programs[file] as () => Promise<Program>)()).run();
    const expected = recorded[name] as Curves;
    expect(Object.keys(curves).sort()).toEqual(Object.keys(expected).sort());
    for (const [curve, values] of Object.entries(expected)) {
      const found = curves[curve] as number[];
      expect(found, curve).toHaveLength(values.length);
      const floor = 0.1 * Math.max(...values.map(Math.abs));
      for (const [i, value] of values.entries()) {
        const difference = Math.abs((found[i] as number) - value);
        expect(difference, `${curve}[${i}]`).toBeLessThanOrEqual(
          tolerance * Math.max(Math.abs(value), floor),
        );
      }
    }
  });

  test('each program has an oracle', () => {
    expect(Object.keys(programs).map(nameOf).sort()).toEqual(Object.keys(recorded));
  });
});
