/** @file Runs test files on any engine, by vitest's runner, and gives what failed as JSON. */
import { afterEach, startTests, type VitestRunner } from '@vitest/runner';
import { takeUncapturedErrors } from '../support/gpu.ts';

export interface FileResult {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

type Files = Awaited<ReturnType<typeof startTests>>;
type Task = Files[number]['tasks'][number] | Files[number];

/** Of vitest's runner, outside of vitest. */
export const runnerConfig: VitestRunner['config'] = {
  root: '/',
  setupFiles: [],
  name: undefined,
  passWithNoTests: false,
  testNamePattern: undefined,
  allowOnly: false,
  sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
  chaiConfig: undefined,
  maxConcurrency: 1,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
};

/** Runs the tests that `load` registers; of several parts, those whose place leaves `part` over. */
export async function runTests(
  file: string,
  load: () => Promise<unknown>,
  [part, parts]: readonly [number, number],
): Promise<FileResult> {
  const runner: VitestRunner = {
    config: runnerConfig,
    async importFile() {
      afterEach(expectNoUncapturedErrors);
      await load();
    },
    onCollected([collected]) {
      if (collected) collected.tasks = collected.tasks.filter((_, i) => i % parts === part);
    },
  };
  return resultOf(await startTests([`/${file}`], runner));
}

export async function expectNoUncapturedErrors(): Promise<void> {
  const errors = await takeUncapturedErrors();
  if (errors.length > 0)
    throw new Error(`uncaptured GPU errors:\n${errors.map(({ message }) => message).join('\n')}`);
}

function resultOf(files: Files): FileResult {
  let [passed, skipped] = [0, 0];
  const failures: { name: string; message: string }[] = [];
  const visit = (task: Task, path: readonly string[]) => {
    const errors = task.result?.errors ?? [];
    for (const { message, stack } of errors.slice(0, 1))
      failures.push({ name: path.join(' > '), message: message || String(stack) });
    if (task.type === 'suite') {
      for (const child of task.tasks) visit(child, [...path, child.name]);
    } else if (task.mode === 'skip' || task.mode === 'todo') skipped++;
    else if (errors.length === 0) passed++;
  };
  for (const file of files) visit(file, []);
  return { passed, skipped, failures };
}
