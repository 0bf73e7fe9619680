/** @file Descriptions of values in errors: of any value, short, and never failing. */
import { describe as suite, expect, test } from 'vitest';
import { describe, hintFor } from '../../src/core/describe.ts';

class Layer {}

suite('describe', () => {
  test.each<{ value: unknown; text: string }>([
    { value: 'text', text: "'text'" },
    { value: () => 1, text: 'a function' },
    { value: 12n, text: '12n' },
    { value: undefined, text: 'undefined' },
    { value: null, text: 'null' },
    { value: Number.NaN, text: 'NaN' },
    { value: true, text: 'true' },
    { value: Symbol('s'), text: 'Symbol(s)' },
    { value: [], text: '[]' },
    { value: [1, 'a', [2]], text: "[1, 'a', [2]]" },
    { value: { units: 3, name: 'a', of: [1, 'b'] }, text: '{"units":3,"name":"a","of":[1,"b"]}' },
    { value: { at: undefined, f: Math.abs }, text: '{"at":undefined,"f":a function}' },
    { value: { name: null }, text: '{"name":null}' },
    { value: Object.create(null), text: '{}' },
    { value: new Layer(), text: 'a Layer' },
    { value: { layer: new Layer() }, text: '{"layer":a Layer}' },
    { value: new Float32Array(3), text: 'a Float32Array' },
  ])('$text', ({ value, text }) => {
    expect(describe(value)).toBe(text);
  });

  test('an inherited property is not a property of the object', () => {
    class Base {}
    Object.defineProperty(Base, 'name', { value: '' });
    const own = Object.assign(Object.create({ inherited: 1, constructor: Base }), { own: 2 });
    expect(describe(own)).toBe('{"own":2}');
  });

  test('depth ends after four levels, of lists and of objects', () => {
    expect(describe([[[[1]]]])).toBe('[[[[1]]]]');
    expect(describe([[[[[1]]]]])).toBe('[[[[[…]]]]]');
    expect(describe([[[[[]]]]])).toBe('[[[[[]]]]]');
    expect(describe({ a: { b: { c: { d: 1 } } } })).toBe('{"a":{"b":{"c":{"d":1}}}}');
    expect(describe({ a: { b: { c: { d: { e: 1 } } } } })).toBe('{"a":{"b":{"c":{"d":{…}}}}}');
  });

  test('fifty values are described, in lists and in objects together', () => {
    const list = (length: number) => Array.from({ length }, (_, i) => i);
    expect(describe(list(50))).toBe(`[${list(50).join(', ')}]`);
    expect(describe(list(51))).toBe(`[${list(50).join(', ')}, …]`);
    const wide = Object.fromEntries(list(51).map((i) => [`k${i}`, i]));
    const pairs = list(50).map((i) => `"k${i}":${i}`);
    expect(describe(wide)).toBe(`{${pairs.join(',')},…}`);
    expect(describe([list(30), list(30)])).toBe(`[[${list(30).join(', ')}], [${list(18).join(', ')}, …]]`);
  });

  test('text ends after 200 characters', () => {
    expect(describe('x'.repeat(200))).toBe(`'${'x'.repeat(200)}'`);
    expect(describe('x'.repeat(201))).toBe(`'${'x'.repeat(200)}…'`);
    expect(describe({ ['k'.repeat(201)]: 'v'.repeat(201) })).toBe(
      `{"${'k'.repeat(200)}…":"${'v'.repeat(200)}…"}`,
    );
    expect(describe(10n ** 300n)).toBe(`1${'0'.repeat(199)}…n`);
  });

  test('a cycle, and properties that throw when they are read', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(describe(cycle)).toBe('[[[[[…]]]]]');
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    expect(describe(hostile)).toBe('a value that cannot be inspected');
  });

  test('a Promise is to be awaited', () => {
    expect(hintFor(Promise.resolve(1), 'otherwise')).toMatch(/^await it first/);
    expect(hintFor([1], 'otherwise')).toBe('otherwise');
  });
});
