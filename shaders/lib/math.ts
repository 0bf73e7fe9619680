/**
 * @file Functions that WGSL lacks or leaves inaccurate. `mathFunctions` gives those that a piece of source calls, with
 * what they call in turn. A name of the table must not be declared by a shader itself.
 */
import { activationFunctions } from './math/activations.ts';
import { bitFunctions } from './math/bits.ts';
import { exponentialFunctions } from './math/exponential.ts';
import { foldFunctions } from './math/folds.ts';
import { gaussianFunctions } from './math/gaussian.ts';
import { powerFunctions } from './math/power.ts';
import { randomFunctions } from './math/random.ts';
import { trigonometricFunctions } from './math/trigonometric.ts';

const functions: Readonly<Record<string, string>> = {
  ...bitFunctions,
  ...exponentialFunctions,
  ...trigonometricFunctions,
  ...gaussianFunctions,
  ...powerFunctions,
  ...randomFunctions,
  ...activationFunctions,
  ...foldFunctions,
};

/** The functions of the table that `source` calls, each once, callees first. */
export function mathFunctions(source: string): string {
  const needed = new Set<string>();
  const visit = (text: string) => {
    for (const [, name] of text.matchAll(/\b(\w+)\(/g)) {
      const found = functions[name as string];
      if (found === undefined || needed.has(name as string)) continue;
      // Its own declaration matches, too.
      needed.add(name as string);
      visit(found);
    }
  };
  visit(source);
  // WGSL allows use before declaration; the table's order is kept for the reader.
  return Object.keys(functions)
    .filter((name) => needed.has(name))
    .map((name) => functions[name])
    .join('\n');
}
