/** @file Runs test files on any engine, and returns failures as JSON. */
import { TestFile } from './testFile.ts';

export interface FileResult {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

const files = new Map<string, Promise<TestFile>>();

/** Returns the tests that `load` registers. A module is imported once, however often its tests run. */
export function testFile(name: string, load: () => Promise<unknown>): Promise<TestFile> {
  const file = files.get(name) ?? TestFile.load(name, load);
  files.set(name, file);
  return file;
}

/** Runs the tests of a file; if it is divided into parts, those whose position modulo the number of parts is `part`. */
export async function runTests(
  file: TestFile,
  [part, parts]: readonly [number, number],
): Promise<FileResult> {
  const chosen = new Set(file.places.filter((_, i) => i % parts === part));
  const runs = await file.run({ chosen });
  const failures = runs.flatMap(({ name, message }) => (message === null ? [] : [{ name, message }]));
  const tests = runs.filter(({ index }) => index >= 0);
  return {
    passed: tests.filter(({ message }) => message === null).length,
    skipped: part === 0 ? file.skipped : 0,
    failures,
  };
}
