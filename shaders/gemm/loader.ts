/**
 * @file How tiles of both operands come to workgroup memory. What is brought at once is a *unit*, 4 lines × 4 steps, which is
 * transposed in registers where need be: four vectors, one a step, of four lines each.
 */
import { components, type Operand, range } from './operand.ts';

/** How the units of one operand are spread over the invocations of a workgroup. */
export class Loader {
  readonly #units: number;
  readonly #rounds: number;

  constructor(
    readonly operand: Operand,
    /** Lines of the tile. */
    readonly lines: number,
    readonly depth: number,
    readonly threads: number,
    readonly flat: boolean,
    /** Invocations that come first; the other operand's units go to the rest, where there are fewer units than those. */
    readonly start: number,
    /** WGSL of the tile's first line, and of the number of lines there are. */
    readonly first: string,
    readonly limit: string,
  ) {
    this.#units = (lines * depth) / 16;
    this.#rounds = Math.ceil(this.#units / threads);
  }

  get #name(): string {
    return this.operand.name;
  }

  /** Fours of lines. */
  get quads(): number {
    return this.lines / 4;
  }

  /** Units that the last, partial round leaves to other invocations. */
  get remainder(): number {
    return this.#units % this.threads;
  }

  /** Line states of one unit. */
  get #states(): number {
    return 4 / this.operand.linesPerState;
  }

  /** Before the loop: which units are this invocation's, and what is known of their lines. */
  get prologue(): string[] {
    const { major } = this.operand.layout;
    const turns = this.depth / 4;
    const width = this.operand.linesPerState;
    return range(this.#rounds).flatMap((r) => {
      const unit = `${this.#name}_unit_${r}`;
      const local = this.start === 0 ? 'local' : `(local + ${this.threads - this.start}u) % ${this.threads}u`;
      // Neighbouring invocations take neighbours in memory.
      const [quad, turn] =
        major === 'k'
          ? [`${unit} / ${turns}u`, `${unit} % ${turns}u`]
          : [`${unit} % ${this.quads}u`, `${unit} / ${this.quads}u`];
      return [
        `let ${unit} = ${local} + ${r * this.threads}u;`,
        `let ${this.#name}_quad_${r} = ${quad};`,
        `let ${this.#name}_turn_${r} = ${turn};`,
        ...range(this.#states).map(
          (q) =>
            `let ${this.#name}_line_${r}_${q} = ${this.#name}_line(slice, min(${this.first} + ${this.#name}_quad_${r} * 4u + ${q * width}u, ${this.limit} - ${width}u));`,
        ),
        ...range(4).map((s) => `var ${this.#name}_fetched_${r}_${s} = vec4<${this.operand.type}>();`),
      ];
    });
  }

  /** Reads the units of the turn at `step` of `segment` into registers. */
  get fetch(): string[] {
    return range(this.#rounds).flatMap((r) =>
      this.#inRange(r, [
        `let k = step + ${this.#name}_turn_${r} * 4u;`,
        ...(this.flat ? this.#fetchFlat(r) : this.#fetchSegment(r)),
      ]),
    );
  }

  /** For each unit of this invocation, the statements of `write`, which stores step `s` of round `r`. */
  eachStep(before: (r: number) => readonly string[], write: (r: number, s: number) => string): string[] {
    return range(this.#rounds).flatMap((r) =>
      this.#inRange(r, [...before(r), ...range(4).map((s) => write(r, s))]),
    );
  }

  #inRange(round: number, body: string[]): string[] {
    const isPartial = round === this.#rounds - 1 && this.remainder > 0;
    return [
      isPartial ? `if (${this.#name}_unit_${round} < ${this.#units}u) {` : '{',
      ...body.map((l) => `  ${l}`),
      '}',
    ];
  }

  #spots(round: number, suffix: string): string[] {
    return range(this.#states).map(
      (q) =>
        `let spot${suffix}_${q} = ${this.#name}_spot(${this.#name}_line_${round}_${q}, segment${suffix});`,
    );
  }

  #fetchSegment(round: number): string[] {
    return [
      ...this.#spots(round, ''),
      ...this.#values(
        round,
        () => '',
        (s) => `k + ${s}u`,
        (s) => `k + ${s}u < last_step`,
      ),
    ];
  }

  /** Flat: each step (each four steps, where they are one vector) lies in a segment of its own. */
  #fetchFlat(round: number): string[] {
    const { major, width } = this.operand.layout;
    const inVectors = major === 'k' && width === 4;
    const suffix = (s: number) => (inVectors ? '_at' : `_at${s}`);
    const steps = inVectors ? [0] : range(4);
    return [
      ...steps.flatMap((s) => [
        `let segment${suffix(s)} = segment_of(slice, (k + ${s}u) / params.length);`,
        `let step${suffix(s)} = (k + ${s}u) % params.length;`,
        ...this.#spots(round, suffix(s)),
      ]),
      ...this.#values(
        round,
        suffix,
        (s) => `step${suffix(s)}`,
        (s) => `k + ${s}u < last_step`,
      ),
    ];
  }

  /** The four vectors of a unit: one a step, of four lines. */
  #values(
    round: number,
    suffix: (s: number) => string,
    step: (s: number) => string,
    within: (s: number) => string,
  ): string[] {
    const { operand } = this;
    const { major, width } = operand.layout;
    const type = `vec4<${operand.type}>`;
    const target = (s: number) => `${this.#name}_fetched_${round}_${s}`;
    if (major === 'mn' && width === 4) {
      return range(4).map((s) => `${target(s)} = ${operand.read(`spot${suffix(s)}_0`, step(s), within(s))};`);
    }
    if (major === 'k' && width === 4) {
      return [
        ...range(4).map(
          (q) => `let line_${q} = ${operand.read(`spot${suffix(0)}_${q}`, step(0), within(0))};`,
        ),
        ...range(4).map(
          (s) =>
            `${target(s)} = ${type}(${range(4)
              .map((q) => `line_${q}.${components[s]}`)
              .join(', ')});`,
        ),
      ];
    }
    return range(4).map((s) => {
      const lines = range(4).map((q) => operand.read(`spot${suffix(s)}_${q}`, step(s), within(s)));
      return `${target(s)} = ${type}(${lines.join(', ')});`;
    });
  }
}
