/** @file Surveys: which questions a call asks, and what each of their candidates would launch. */
import type { Device } from '../webgpu/device.ts';
import type { Command } from '../webgpu/command.ts';
import { type Asked, worthTrying } from './family.ts';
import { commandsOf, hashOfSources } from './probe.ts';

/** A question as a survey met it. */
export interface Finding {
  readonly asked: Asked;
  /** The launches of each candidate that is worth a try; what they ask in turn takes what is known best. */
  readonly trials: ReadonlyMap<string, readonly Command[]>;
  /** Keys of the questions of whose answers it is a part. */
  readonly parents: readonly string[];
  /** Of the WGSL of the candidates, with guesses for what they ask in turn. */
  readonly sources: string;
  calls: number;
}

/** Takes note of the questions that are asked on the way that is taken. */
export class Survey {
  readonly findings = new Map<string, Finding>();
  /** Questions whose answers are under way. */
  readonly #open: string[] = [];
  #isTrying = false;

  constructor(
    private readonly device: Device,
    /** Runs its argument with guesses alone. */
    private readonly guessing: <R>(body: () => R) => R,
    /** Whether the candidates are looked at, too. */
    private readonly looksInto: boolean,
  ) {}

  /** Notes a question, and runs the answer. */
  note<V, R>(asked: Asked<V>, answer: V, run: (variant: V) => R): R {
    if (this.#isTrying) return run(answer);
    const { key } = asked;
    const finding = this.findings.get(key) ?? this.#find(asked, run);
    this.findings.set(key, finding);
    finding.calls++;
    this.#open.push(key);
    try {
      return run(answer);
    } finally {
      this.#open.pop();
    }
  }

  #find<V>(asked: Asked<V>, run: (variant: V) => unknown): Finding {
    const { device, guessing } = this;
    const parents = [...this.#open];
    if (!this.looksInto) return { asked: asked as Asked, trials: new Map(), parents, sources: '', calls: 0 };
    this.#isTrying = true;
    try {
      const trials = new Map(
        worthTrying(asked).map(({ name, variant }) => [name, commandsOf(device, () => run(variant))]),
      );
      const sources = sourcesOf(device, asked, run, guessing);
      return { asked: asked as Asked, trials, parents, sources, calls: 0 };
    } finally {
      this.#isTrying = false;
    }
  }
}

/** The hash of all that candidates worth a try would compile. */
export function sourcesOf<V>(
  device: Device,
  asked: Asked<V>,
  run: (variant: V) => unknown,
  guessing: <R>(body: () => R) => R,
): string {
  const parts = worthTrying(asked).map(({ name, variant }) => {
    const commands = guessing(() => commandsOf(device, () => run(variant)));
    return `${name} ${hashOfSources(commands)}`;
  });
  return parts.join('; ');
}
