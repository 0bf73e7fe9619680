/** @file WGSL functions as values: a program contains what they call, and nothing else. */
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as ops from '../../src/ops/index.ts';
import * as math from '../../shaders/lib/math.ts';

const exported = Object.values(math).filter((value): value is math.MathFunction => 'wgslName' in value);
const functions = withCalls(exported);

/** Returns the functions, and those that they call and that aren't exported. */
function withCalls(found: readonly math.MathFunction[]): math.MathFunction[] {
  const all = new Set(found);
  for (const { calls } of all) for (const called of calls) all.add(called);
  return [...all];
}

describe('functions of the shader library', () => {
  test.each(functions.map((math) => [math.wgslName, math] as const))(
    '%s names what it calls',
    (name, { declaration, calls }) => {
      const text = declaration.replace(/\/\/.*$/gm, '');
      const called = functions.filter(
        (other) => other.wgslName !== name && new RegExp(`\\b${other.wgslName}\\(`).test(text),
      );
      expect(text).toContain(`fn ${name}(`);
      expect(new Set(calls)).toEqual(new Set(called));
    },
  );

  test('have distinct names', () => {
    const declared = functions.flatMap(({ declaration }) =>
      [...declaration.matchAll(/\b(?:fn|struct) (\w+)/g)].map(([, name]) => name),
    );
    expect(new Set(declared).size).toBe(declared.length);
  });
});

/**
 * Text that names a function without calling its value works only as long as another op brings in that function.
 */
test('ops never write the names of these functions', () => {
  const names = functions.map(({ wgslName }) => wgslName).filter((name) => !(name in ops));
  const written = new RegExp(`['\`][^'\`\n]*(?<![.\\w])(${names.join('|')})(\\(|['\`])`);
  for (const folder of ['src/ops', 'src/kernels']) {
    const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const text = fs.readFileSync(`${folder}/${file}`, 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '');
      expect(written.exec(text)?.[0], file).toBeUndefined();
    }
  }
});

describe('mathFunctions', () => {
  test('declares what the text calls, callees first, each once', () => {
    const text = math.mathFunctions(`${math.relu6('a')} + ${math.smaller('a', 'b')}`, [math.isNan]);
    const names = [...text.matchAll(/^fn (\w+)/gm)].map(([, name]) => name);
    expect(names).toEqual(['is_nan', 'smaller', 'relu', 'relu6']);
  });

  test('declares nothing for built-in functions of WGSL', () => {
    expect(math.mathFunctions('max(a, sqrt(b))')).toBe('');
  });
});
