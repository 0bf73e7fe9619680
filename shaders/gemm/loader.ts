/**
 * @file Loads the tile of one operand from storage: first into registers (`fetch`), and from there into workgroup memory
 * (`store`). What is loaded at once is a *unit*, four lines × four k steps, which is transposed in registers where need be:
 * four vectors, one a step, of four lines each.
 *
 * In the generated code, an invocation loads `a_unit_<r>` in round r: line group `a_line_group_<r>` (lines come in fours) at
 * step group `a_step_group_<r>` (steps come in fours). `a_line_<r>_<q>` is what is known of its lines, and
 * `a_fetched_<r>_<s>` its step s.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import type { Operand } from './operand.ts';

/** Where the units of a tile lie, and who loads them. */
export interface TileUnits {
  /** Lines of the tile, and k steps. */
  lines: number;
  depth: number;
  /** Invocations of a workgroup. */
  threads: number;
  /** Whether each step finds its own segment (`GemmOptions.flat`). */
  flat: boolean;
  /** The first invocation that loads: where there are fewer units than invocations, the other operand's go to the rest. */
  start: number;
  /** WGSL of the tile's first line, and of the number of lines there are. */
  firstLine: string;
  lineCount: string;
}

export class Loader {
  readonly #units: number;
  readonly #rounds: number;

  constructor(
    readonly operand: Operand,
    readonly tile: TileUnits,
  ) {
    this.#units = (tile.lines * tile.depth) / 16;
    this.#rounds = Math.ceil(this.#units / tile.threads);
  }

  get #name(): string {
    return this.operand.name;
  }

  /** Groups of four lines. */
  get lineGroups(): number {
    return this.tile.lines / 4;
  }

  /** Units that the last, partial round leaves to other invocations. */
  get remainder(): number {
    return this.#units % this.tile.threads;
  }

  /** Line states of one unit. */
  get #states(): number {
    return 4 / this.operand.linesPerState;
  }

  /** Before the loop: which units are this invocation's, and what is known of their lines. */
  get prologue(): string {
    const name = this.#name;
    const { start, threads, firstLine, lineCount } = this.tile;
    const width = this.operand.linesPerState;
    const local = start === 0 ? 'local' : `(local + ${threads - start}u) % ${threads}u`;
    const line = (r: number, q: number) =>
      `min(${firstLine} + ${name}_line_group_${r} * 4u + ${q * width}u, ${lineCount} - ${width}u)`;
    return repeat(
      this.#rounds,
      (r) => `let ${name}_unit_${r} = ${local} + ${r * threads}u;
      ${this.#groupsOf(r)}
      ${repeat(this.#states, (q) => `let ${name}_line_${r}_${q} = ${name}_line(slice, ${line(r, q)});`)}
      ${repeat(4, (s) => `var ${name}_fetched_${r}_${s} = vec4<${this.operand.type}>();`)}`,
    );
  }

  /** The lines and the steps of a unit: neighbouring invocations load neighbours in memory. */
  #groupsOf(round: number): string {
    const name = this.#name;
    const unit = `${name}_unit_${round}`;
    const stepGroups = this.tile.depth / 4;
    const [lineGroup, stepGroup] =
      this.operand.layout.major === 'k'
        ? [`${unit} / ${stepGroups}u`, `${unit} % ${stepGroups}u`]
        : [`${unit} % ${this.lineGroups}u`, `${unit} / ${this.lineGroups}u`];
    return `let ${name}_line_group_${round} = ${lineGroup};
    let ${name}_step_group_${round} = ${stepGroup};`;
  }

  /** Reads the units of the k tile at `step` of `segment` into registers. */
  get fetch(): string {
    return repeat(this.#rounds, (r) =>
      this.#inRange(
        r,
        `let k = step + ${this.#name}_step_group_${r} * 4u;
        ${this.tile.flat ? this.#fetchFlat(r) : this.#fetchSegment(r)}`,
      ),
    );
  }

  /** For each unit of this invocation: what `before` gives, and what `write` gives for each of its steps. */
  store(before: (r: number) => string, write: (r: number, s: number) => string): string {
    return repeat(this.#rounds, (r) => this.#inRange(r, `${before(r)}\n${repeat(4, (s) => write(r, s))}`));
  }

  /** A block of statements for the invocations that have a unit in this round. */
  #inRange(round: number, body: string): string {
    const isPartial = round === this.#rounds - 1 && this.remainder > 0;
    return `${isPartial ? `if (${this.#name}_unit_${round} < ${this.#units}u) ` : ''}{
      ${body}
    }`;
  }

  #addresses(round: number, suffix: string): string {
    const name = this.#name;
    return repeat(
      this.#states,
      (q) => `let address${suffix}_${q} = ${name}_address(${name}_line_${round}_${q}, segment${suffix});`,
    );
  }

  #fetchSegment(round: number): string {
    return `${this.#addresses(round, '')}
    ${this.#fetchVectors(
      round,
      () => '',
      (s) => `k + ${s}u`,
    )}`;
  }

  /** Flat: each step (each four steps, where they are one vector) lies in a segment of its own. */
  #fetchFlat(round: number): string {
    const { major, width } = this.operand.layout;
    const inVectors = major === 'k' && width === 4;
    const suffix = (s: number) => (inVectors ? '_at' : `_at${s}`);
    const step = (s: number) => `step${suffix(s)}`;
    const segments = each(
      inVectors ? [0] : range(4),
      (s) => `let segment${suffix(s)} = segment_of(slice, (k + ${s}u) / params.length);
      let ${step(s)} = (k + ${s}u) % params.length;
      ${this.#addresses(round, suffix(s))}`,
    );
    return `${segments}
    ${this.#fetchVectors(round, suffix, step)}`;
  }

  /** The four vectors of a unit: one a step, of four lines. `step` is the WGSL of a step in its segment. */
  #fetchVectors(round: number, suffix: (s: number) => string, step: (s: number) => string): string {
    const { operand } = this;
    const { major, width } = operand.layout;
    const fetched = (s: number) => `${this.#name}_fetched_${round}_${s}`;
    const read = (q: number, s: number) =>
      operand.read(`address${suffix(s)}_${q}`, step(s), `k + ${s}u < last_step`);
    const vector = (components: readonly string[]) => `vec4<${operand.type}>(${components.join(', ')})`;
    if (major === 'mn' && width === 4) return repeat(4, (s) => `${fetched(s)} = ${read(0, s)};`);
    if (major === 'k' && width === 4) {
      // A vector is four steps of one line: the unit is transposed.
      return `${repeat(4, (q) => `let line_${q} = ${read(q, 0)};`)}
      ${repeat(4, (s) => `${fetched(s)} = ${vector(range(4).map((q) => `line_${q}.${components[s]}`))};`)}`;
    }
    return repeat(4, (s) => `${fetched(s)} = ${vector(range(4).map((q) => read(q, s)))};`);
  }
}
