import { describe, expect, test } from 'vitest';
import { ports, wholeProgram } from '../../scripts/website/ports.mjs';

const all = ports();

describe('programs next to Keras, as one program for the playground', () => {
  test('there are twenty, each with a sentence', () => {
    expect(all).toHaveLength(20);
    for (const { name, words } of all) expect(words, name).toMatch(/^[A-Z].*\.$/s);
  });

  test.each(all)('$name imports each name once, from the library alone', ({ text }) => {
    const imports = [...wholeProgram(text).matchAll(/^import \{([^}]*)\} from '([^']+)';$/gm)];
    const modules = imports.map(([, , from]) => from as string);
    expect(new Set(modules).size).toBe(modules.length);
    for (const from of modules) expect(from).toMatch(/^(?:retrograd(?:\/\w+)?|playground)$/);
    const names = imports.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
    const bound = names.filter((name) => name !== '').map((name) => name.replace(/^type /, ''));
    expect(new Set(bound).size).toBe(bound.length);
  });

  test('has the modules next to it, without their exports, and draws what it returns', () => {
    const ppo = wholeProgram(all.find(({ name }) => name === 'ppo')?.text ?? '');
    expect(ppo).toMatch(/^class CartPole/m);
    expect(ppo).toMatch(/^function setKernels/m);
    expect(ppo).not.toMatch(/^export |from '\.\//m);
    expect(ppo.indexOf('discountedCumulativeSums')).toBeLessThan(ppo.indexOf('class CartPole'));
    expect(ppo).toMatch(/Object\.entries\(await run\(\)\)[\s\S]*curves\(/);
  });
});
