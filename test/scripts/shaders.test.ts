/** @file Shipped shaders are equivalent to their sources: the same tokens in the same order. */
import fs from 'node:fs';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';
import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { compileShaders, holdsStatements, squeeze } from '../../scripts/lib/shaders.mjs';

/** Tokenizes WGSL. A comma before a bracket that closes says nothing. */
function tokens(text: string): string[] {
  const code = text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  const token = /[\w.]+|<<=|>>=|->|&&|\|\||[<>=!+\-*/%&|^]=|\+\+|--|<<|>>|[^\s]/g;
  return (code.match(token) ?? []).filter(
    (text, i, all) => text !== ',' || !/^[)\]]$/.test(all[i + 1] ?? ''),
  );
}

/** What a template gives where `values` stand for its expressions, as written and as shipped. */
function bothWays(source: string, values: readonly unknown[]): [written: string, shipped: string] {
  const shipped = compileShaders(source, 'shaders/case.ts')?.toString() ?? source;
  const run = (code: string) => new Function('wgsl', 'v', `return ${code}`)(wgsl, values);
  return [run(source), run(shipped)];
}

interface Template {
  /** The template with `v[i]` instead of its expressions. */
  source: string;
  /** Of each expression, whether it is a condition. */
  conditions: boolean[];
}

/** All templates of a file that hold WGSL. */
function templatesOf(file: string): Template[] {
  const found: Template[] = [];
  const visit = (node: unknown, parent: { type?: string; tag?: { name?: string } } | null): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, parent);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, quasis } = node as { type?: string; quasis?: { value: { raw: string } }[] };
    if (type === 'TemplateLiteral' && quasis) {
      const texts = quasis.map(({ value }) => value.raw);
      const isTagged = parent?.type === 'TaggedTemplateExpression' && parent.tag?.name === 'wgsl';
      const last = texts.length - 1;
      const body = texts.map((text, i) => (i < last ? `${text}\${v[${i}]}` : text)).join('');
      if (isTagged || holdsStatements(texts)) {
        const conditions = texts.slice(0, -1).map((text) => /#(el)?if\s*$/.test(text));
        found.push({ source: `${isTagged ? 'wgsl' : ''}\`${body}\``, conditions });
      }
    }
    for (const child of Object.values(node)) visit(child, node);
  };
  visit(parseSync(file, fs.readFileSync(file, 'utf8')).program, null);
  return found;
}

const files = fs
  .readdirSync('shaders', { recursive: true })
  .map((name) => `shaders/${name}`)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));

/** What expressions may give: names, and text that could join a neighbouring token. */
const texts = ['name', '-name', 'vec4<f32>', '&name', '0.5'];

test.each(files)('%s ships its tokens', (file) => {
  for (const { source, conditions } of templatesOf(file)) {
    for (let round = 0; round < 24; round++) {
      const values = conditions.map((isCondition, i) => {
        const draw = Math.imul(round * 31 + i + 1, 0x2c1b3c6d) >>> 8;
        return isCondition ? draw % 2 === 0 : texts[draw % texts.length];
      });
      const [written, shipped] = bothWays(source, values);
      expect(tokens(shipped)).toEqual(tokens(written));
      expect(shipped.length).toBeLessThanOrEqual(written.length);
    }
  }
});

describe('directives', () => {
  const source = `wgsl\`a\n#if \${v[0]}\nb\n#elif \${v[1]}\nc\n#if \${v[2]}\nd\n#endif\n#else\ne\n#endif\nf\``;

  test.each([
    [[true, true, true], 'a b f'],
    [[false, true, true], 'a c d f'],
    [[false, true, false], 'a c f'],
    [[false, false, true], 'a e f'],
  ])('decide by %j', (values, expected) => {
    const [written, shipped] = bothWays(source, values);
    expect(tokens(written).join(' ')).toBe(expected);
    expect(tokens(shipped).join(' ')).toBe(expected);
  });

  test('are rejected where they don’t match', () => {
    const compile = (text: string) => compileShaders(`wgsl\`${text}\``, 'shaders/case.ts');
    expect(() => compile(`#if \${a}\nb`)).toThrow('#if without #endif');
    expect(() => compile('b\n#endif')).toThrow('#endif without #if');
    expect(() => compile('#else\nb\n#endif')).toThrow('#else without #if');
    expect(() => compile(`#if x \${a}\nb\n#endif`)).toThrow(`#if is followed by \${a condition}`);
  });
});

describe('spaces', () => {
  test.each([
    ['a - -b', 'a- -b'],
    ['let v: vec4<f32> = c & &d;', 'let v:vec4<f32> =c& &d;'],
    ['fn f(a: u32, b: f32,) -> f32 {\n  return a;\n}', 'fn f(a:u32,b:f32)->f32{return a;}'],
    ['let a\n= 1u;', 'let a=1u;'],
    ['if (a) { return; } else { b(); }', 'if(a){return;}else{b();}'],
  ])('%j becomes %j', (text, expected) => {
    expect(squeeze(text).trim()).toBe(expected);
  });

  test('comments are removed, with the expressions in them', () => {
    const [written, shipped] = bothWays(`wgsl\`/* one \${v[0]} */ let a // \${v[0]} two\n = 1u;\``, ['name']);
    expect(tokens(shipped)).toEqual(tokens(written));
    expect(shipped.trim()).toBe('let a=1u;');
  });

  test('a comment at the end of an expression removes nothing else', () => {
    const [, shipped] = bothWays(`wgsl\`{\n  \${v[0]}\n}\``, ['a(); // why']);
    expect(tokens(shipped)).toEqual(tokens('{ a(); }'));
  });
});

test('the shaders of every module can be compiled', () => {
  const modules = ['shaders', 'src'].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
  for (const file of modules) expect(() => compileShaders(fs.readFileSync(file, 'utf8'), file)).not.toThrow();
});

test('no module of the library declares with using, whose helper the package would have to ship', () => {
  const sources = fs
    .readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  const declaring = sources.filter((file) =>
    /^\s*(?:await )?using [\w$]+ =/m.test(fs.readFileSync(`src/${file}`, 'utf8')),
  );
  expect(declaring).toEqual([]);
});
