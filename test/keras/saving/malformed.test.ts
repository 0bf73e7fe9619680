/** @file Files of Keras that are damaged or malicious: each has a specified outcome. */
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { FormatError, init, memory, UnsafeModelError } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';

interface Case {
  file: string;
  kind: string;
  must: 'load' | 'reject';
  why: string;
  orElse?: string;
  target?: string;
  flag?: { weight: string; notFinite: number };
}

const folder = new URL('../../fixtures/malformed/', import.meta.url);
const read = (file: string) => fs.readFileSync(new URL(file, folder));
const { files } = JSON.parse(read('index.json').toString()) as { files: Case[] };
const cases = files.filter(({ file }) => /\.(keras|h5)$/.test(file));

/** What each rejected file's error must contain, besides its name. */
const messages: Record<string, RegExp> = {
  'truncated.keras': /ends with its directory/,
  'cut_inside_directory.keras': /directory/,
  'not_a_zip.keras': /no format that is known/,
  'empty.keras': /an empty file/,
  'path_traversal.keras': /'\.\.\/evil\.txt'/,
  'duplicate_entry.keras': /'config\.json', twice/,
  'huge_declared_size.keras': /4294967280/,
  'deflate_bomb.keras': /100663296/,
  'wrong_checksum.keras': /checksum/,
  'missing_config.keras': /config\.json/,
  'missing_weights.keras': /model\.weights\.h5/,
  'unknown_class.keras': /registerClass/,
  'foreign_module.keras': /module/,
  'enormous_units.keras': /the weights of the model are in the file/,
  'lambda_bytecode.keras': /lambdas: \{/,
  'lambda_bytecode.h5': /lambdas: \{/,
  'truncated.weights.h5': /ends early/,
  'not_hdf5.weights.h5': /no format that is known/,
  'truncated.h5': /ends early/,
  'wrong_shape.weights.h5': /'d1\/kernel' of 'base' is float32\[4, 3\]\.\n +received: float32\[4, 4\]/,
  'missing_layer.weights.h5': /none for 'd2\/kernel', 'd2\/bias'/,
  'extra_layer.weights.h5': /layers\//,
  'missing_variable.weights.h5': /d1/,
  'string_variable.weights.h5': /text/,
  'external_link.weights.h5': /another file/,
  'huge_dataset.weights.h5': /received: float32\[1048576, 262144\]/,
};

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

/** Loads a file, into its target if it has one. Resolves to the report. */
async function load({ file, target }: Case) {
  if (!target) {
    const model = await loadModel(read(file), { file });
    model.dispose();
    return null;
  }
  const model = await loadModel(read(target), { file: target });
  try {
    return await model.loadWeights(read(file), { file });
  } finally {
    model.dispose();
  }
}

describe.each(cases)('$file: $why', (entry) => {
  const { file, must, flag, orElse } = entry;
  test(must, async () => {
    const before = memory().tensors;
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { report, error } = await outcome(entry);
    warn.mockRestore();
    expect(memory().tensors).toBe(before);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    if (must === 'load') expect(error).toBeNull();
    if (flag) expect(report?.notFinite).toEqual([flag]);
    const mayLoad = must === 'load' || orElse?.startsWith('load');
    if (error === null) expect(mayLoad).toBe(true);
    else {
      expect(error).toBeInstanceOf(entry.kind === 'code' ? UnsafeModelError : FormatError);
      expect(String(error)).toContain(file);
      expect(String(error)).toMatch(messages[file] ?? /./);
    }
  });
});

async function outcome(entry: Case) {
  try {
    return { report: await load(entry), error: null };
  } catch (error) {
    return { report: null, error };
  }
}
