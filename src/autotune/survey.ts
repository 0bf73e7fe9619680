/** @file Surveys: the tunable problems of a call, and what each of their candidates would launch. */
import { faultLibrary } from '../../shaders/lib/fault.ts';
import { withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { LaunchSurvey } from '../execution/dryRun.ts';
import { moduleSource } from '../webgpu/kernel.ts';
import type { Command } from '../webgpu/command.ts';
import { tidy } from '../tensor/scope.ts';
import { type TuningTask, worthTrying } from './tuningTask.ts';

/** Returns what `body` would do on the device, without compiling or running anything. Tensors that it makes are freed. */
export function commandsOf(device: Device, body: () => unknown): readonly Command[] {
  const dry = new LaunchSurvey();
  const run = () =>
    tidy(() => {
      body();
    });
  try {
    withDevice(device, () => dry.run(run));
    return dry.commands;
  } finally {
    dry.end();
  }
}

/** Returns a hash of the WGSL of the kernels that `commands` launch. */
function hashOfSources(commands: readonly Command[]): string {
  let hash = 0x811c9dc5;
  for (const command of commands) {
    if (command.kind !== 'launch') continue;
    const source = moduleSource(command.kernel, command.options, faultLibrary);
    // FNV-1a: Fowler, Noll and Vo, 1991.
    for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

/** A problem found by a survey. */
export interface Finding {
  readonly task: TuningTask;
  /** The launches of each candidate worth trying. For their own choices, they take the best known algorithm. */
  readonly trials: ReadonlyMap<string, readonly Command[]>;
  /** Keys of the problems for which its candidates choose algorithms themselves. */
  readonly children: ReadonlySet<string>;
  /** Hash of the WGSL of the candidates, with selected algorithms for their own choices. */
  readonly sources: string;
}

/** Notes the problems that a call chooses algorithms for. */
export class Survey {
  readonly findings = new Map<string, Finding>();
  /** Collects the children of the problem whose candidates are being tried; null while none are. */
  #children: Set<string> | null = null;

  constructor(
    private readonly device: Device,
    /** Runs its argument with selected algorithms only. */
    private readonly selecting: <R>(body: () => R) => R,
    /** Whether candidates are tried. */
    private readonly tries: boolean,
  ) {}

  note(task: TuningTask): void {
    if (this.#children) this.#children.add(task.key);
    else if (!this.findings.has(task.key)) this.findings.set(task.key, this.#find(task));
  }

  #find(task: TuningTask): Finding {
    const { device, selecting } = this;
    const children = new Set<string>();
    if (!this.tries) return { task, trials: new Map(), children, sources: '' };
    this.#children = children;
    try {
      const trials = trialsOf(device, task);
      return { task, trials, children, sources: sourcesOf(device, task, selecting) };
    } finally {
      this.#children = null;
    }
  }
}

/** Returns the launches of each candidate worth trying. */
export function trialsOf(device: Device, task: TuningTask): Map<string, readonly Command[]> {
  return new Map(
    worthTrying(task).map(({ name, algorithm }) => [name, commandsOf(device, () => task.launch(algorithm))]),
  );
}

/** Returns the hash of everything that candidates worth a try would compile. */
export function sourcesOf(device: Device, task: TuningTask, selecting: <R>(body: () => R) => R): string {
  const parts = worthTrying(task).map(({ name, algorithm }) => {
    const commands = selecting(() => commandsOf(device, () => task.launch(algorithm)));
    return `${name} ${hashOfSources(commands)}`;
  });
  return parts.join('; ');
}
