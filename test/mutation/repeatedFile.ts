/** @file A test file that is imported once and run many times by vitest's runner, each time some of its tests. */
import { afterEach, startTests, type VitestRunner } from '@vitest/runner';
import { activeRecorders, stopRecorder } from '../../src/ops/recorders.ts';
import { expectNoUncapturedErrors, runnerConfig } from '../engines/runner.ts';

type File = Awaited<ReturnType<typeof startTests>>[number];
type Task = File['tasks'][number];
type Test = Extract<Task, { type: 'test' }>;

export interface TestRun {
  readonly index: number;
  readonly name: string;
  readonly milliseconds: number;
  /** Why it failed; null where it passed. */
  readonly message: string | null;
}

const timeout = 60_000;

export class RepeatedFile {
  private readonly file: File;
  private readonly tests: readonly Test[];
  /** Of all tasks, as they were collected: a run changes them. */
  private readonly modes: ReadonlyMap<Task | File, Task['mode']>;

  private constructor(file: File) {
    const tasks = [file, ...descendants(file)];
    this.file = file;
    this.tests = tasks.filter((task): task is Test => task.type === 'test');
    this.modes = new Map(tasks.map((task) => [task, task.mode]));
  }

  static async load(name: string, load: () => Promise<unknown>): Promise<RepeatedFile> {
    const found: File[] = [];
    const runner: VitestRunner = {
      config: { ...runnerConfig, testTimeout: timeout, hookTimeout: timeout },
      async importFile() {
        afterEach(leaveNothing);
        await load();
      },
      onCollected(files) {
        found.push(...files.splice(0));
      },
    };
    await startTests([`/${name}`], runner);
    return new RepeatedFile(found[0] as File);
  }

  /** Runs the tests with these places, or all, until one fails where `bails`. `onTest` gets the place of each before it runs, and null after it. */
  async run(
    chosen: ReadonlySet<number> | null,
    { bails, onTest = () => {} }: { bails: boolean; onTest?: (index: number | null) => void },
  ): Promise<TestRun[]> {
    for (const [task, mode] of this.modes) {
      delete task.result;
      task.mode = mode;
    }
    for (const [i, test] of this.tests.entries()) if (chosen && !chosen.has(i)) test.mode = 'skip';
    const runner: VitestRunner = {
      config: { ...runnerConfig, testTimeout: timeout, hookTimeout: timeout },
      importFile() {},
      onCollected: (files) => void files.push(this.file),
      onBeforeRunTask: (test) => onTest(this.tests.indexOf(test)),
      onAfterRunTask: (test) => {
        onTest(null);
        if (bails && test.result?.state === 'fail') this.skipRest();
      },
    };
    await startTests([], runner);
    return this.outcome();
  }

  private skipRest(): void {
    for (const test of this.tests) if (!test.result) test.mode = 'skip';
  }

  private outcome(): TestRun[] {
    const messageOf = (task: Task | File) => {
      const [error] = task.result?.errors ?? [];
      return error ? error.message || String(error.stack) : null;
    };
    const runs = this.tests.flatMap((test, index): TestRun[] => {
      const { name, result } = test;
      if (!result || result.state === 'skip') return [];
      return [{ index, name, milliseconds: result.duration ?? 0, message: messageOf(test) }];
    });
    // Errors of beforeAll and afterAll are those of suites.
    const suites = [...this.modes.keys()].filter((task) => task.type === 'suite');
    const message = suites.map(messageOf).find((found) => found !== null) ?? null;
    return message === null ? runs : [...runs, { index: -1, name: 'a hook', milliseconds: 0, message }];
  }
}

function descendants(suite: { readonly tasks: readonly Task[] }): Task[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? [task, ...descendants(task)] : [task]));
}

/** Tests share a process: a tape that still records would record the next ones, too. */
async function leaveNothing(): Promise<void> {
  activeRecorders().forEach(stopRecorder);
  await expectNoUncapturedErrors();
}
