/// <reference types="vite/client" />
/**
 * @file Checks the list of ops: each has cases, a gradient decision, and a row in docs/ops.md.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { opRows, opTable } from '../../scripts/lib/op-table.mjs';
import type { OpDefinition } from '../../src/ops/define/define.ts';
import * as ops from '../../src/ops/index.ts';
import type { OpSamples } from '../ops/samples/types.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const defined = Object.entries(ops).flatMap(([name, value]) => {
  const { definition } = value as { definition?: OpDefinition };
  return definition ? [{ name, definition }] : [];
});

const sampleModules = import.meta.glob<{ samples?: OpSamples[] }>('../ops/samples/*.ts', { eager: true });
const samples = Object.values(sampleModules).flatMap((module) => module.samples ?? []);
const sampled = samples.map(({ op }) => op);

const fixtures = import.meta.glob<{ default: { op: string }[] }>('../fixtures/ops/*.json', { eager: true });
const golden = Object.values(fixtures).flatMap(({ default: cases }) => cases.map(({ op }) => op));

describe.each(defined)('$name', ({ name, definition }) => {
  test('has golden cases or samples', () => {
    expect([...golden, ...sampled]).toContain(name);
  });

  test('has samples of bad input', () => {
    expect(samples.some(({ op, bad }) => op === name && bad.length > 0)).toBe(true);
  });

  test('says whether it has a gradient', () => {
    const { backward } = definition;
    expect(backward === null || typeof backward === 'function' || 'compose' in definition).toBe(true);
  });

  test('is called by its own name in messages', () => {
    expect(definition.name).toBe(name);
  });
});

test('there are ops, and samples and golden cases name none that is missing', () => {
  expect(defined.length).toBeGreaterThan(50);
  const names = defined.map(({ name }) => name);
  expect(sampled.filter((name) => !names.includes(name))).toEqual([]);
});

test('docs/ops.md has a row for each op and is up to date (else: node scripts/op-table.mjs)', () => {
  const rows = opRows(root, ops);
  expect(rows.map(({ name }) => name).sort()).toEqual(defined.map(({ name }) => name).sort());
  expect(fs.readFileSync(`${root}docs/ops.md`, 'utf8')).toBe(opTable(rows));
});
