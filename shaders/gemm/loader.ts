/**
 * @file Loads the tile of one operand from storage: first into registers (`fetch`), and from there into workgroup memory
 * (`store`). What is loaded at once is a *unit*, four lines × four k steps, which is transposed in registers where need be:
 * four vectors, one a step, of four lines each.
 *
 * A tile is fetched while the one before is multiplied. So a fetch does nothing with what it reads: elements that don't
 * exist are replaced by zeros when they are stored. A condition on a value would wait for it.
 *
 * In the generated code, an invocation loads `a_unit_<r>` in round r: line group `a_line_group_<r>` (lines come in fours) at
 * step group `a_step_group_<r>` (steps come in fours). `a_line_<r>_<q>` is what is known of its lines, `a_loaded_<r>_<i>` a
 * vector as it was read, `a_exists_<r>_<i>` whether it is to be used, and `a_fetched_<r>_<s>` step s of four lines.
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

/** A vector that a fetch reads, in WGSL, and the condition under which it is used. */
interface Read {
  value: string;
  condition: string;
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

  /** Whether neighbouring invocations hold neighbouring steps of a line, rather than neighbouring lines. */
  get stepsFirst(): boolean {
    return this.operand.layout.major === 'k';
  }

  /** Line states of one unit. */
  get #states(): number {
    return 4 / this.operand.linesPerState;
  }

  /** WGSL type of the condition of a vector. */
  get #conditionType(): string {
    return this.operand.layout.width === 4 ? 'bool' : 'vec4<bool>';
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
      ${repeat(
        4,
        (i) => `var ${name}_loaded_${r}_${i} = ${this.operand.vector}();
        var ${name}_exists_${r}_${i} = ${this.#conditionType}();`,
      )}`,
    );
  }

  /** The lines and the steps of a unit: neighbouring invocations load neighbours in memory. */
  #groupsOf(round: number): string {
    const name = this.#name;
    const unit = `${name}_unit_${round}`;
    const stepGroups = this.tile.depth / 4;
    const [lineGroup, stepGroup] = this.stepsFirst
      ? [`${unit} / ${stepGroups}u`, `${unit} % ${stepGroups}u`]
      : [`${unit} % ${this.lineGroups}u`, `${unit} / ${this.lineGroups}u`];
    return `let ${name}_line_group_${round} = ${lineGroup};
    let ${name}_step_group_${round} = ${stepGroup};`;
  }

  /** Reads the units of the k tile at `step` of `segment` into registers. */
  get fetch(): string {
    const { flat } = this.tile;
    return repeat(this.#rounds, (r) =>
      this.#inRange(
        r,
        `let k = step + ${this.#name}_step_group_${r} * 4u;
        ${flat ? this.#fetchFlat(r) : this.#fetchSegment(r)}`,
      ),
    );
  }

  /** For each unit of this invocation: what `before` gives, and what `write` gives for each of its steps. */
  store(before: (r: number) => string, write: (r: number, s: number) => string): string {
    return repeat(this.#rounds, (r) =>
      this.#inRange(r, `${this.#fetched(r)}\n${before(r)}\n${repeat(4, (s) => write(r, s))}`),
    );
  }

  /** A block of statements for the invocations that have a unit in this round. */
  #inRange(round: number, body: string): string {
    const isPartial = round === this.#rounds - 1 && this.remainder > 0;
    return `${isPartial ? `if (${this.#name}_unit_${round} < ${this.#units}u) ` : ''}{
      ${body}
    }`;
  }

  /** The steps of a unit from what was read: zeros where nothing exists, transposed where vectors lie along k. */
  #fetched(round: number): string {
    const name = this.#name;
    const { vector, layout } = this.operand;
    const existing = (i: number) =>
      `select(${vector}(), ${name}_loaded_${round}_${i}, ${name}_exists_${round}_${i})`;
    const fetched = (s: number, value: string) => `let ${name}_fetched_${round}_${s} = ${value};`;
    if (layout.major !== 'k' || layout.width !== 4) return repeat(4, (s) => fetched(s, existing(s)));
    return `${repeat(4, (q) => `let line_${q} = ${existing(q)};`)}
    ${repeat(4, (s) => fetched(s, `${vector}(${range(4).map((q) => `line_${q}.${components[s]}`)})`))}`;
  }

  #addresses(round: number, suffix: string): string {
    const name = this.#name;
    return repeat(
      this.#states,
      (q) => `let address${suffix}_${q} = ${name}_address(${name}_line_${round}_${q}, segment${suffix});`,
    );
  }

  /** Within a segment, steps lie at equal distances. */
  #fetchSegment(round: number): string {
    const { operand } = this;
    const distance = this.stepsFirst ? '' : ` * ${this.#name}_step_size()`;
    const at = (q: number, s: number) => (s === 0 ? `at_${q}` : `at_${q} + ${s}u${distance}`);
    return `${this.#addresses(round, '')}
    ${repeat(this.#states, (q) => `let at_${q} = ${this.#name}_index(address_${q}, k);`)}
    ${this.#readVectors(round, (q, s) => {
      const k = s === 0 ? 'k' : `k + ${s}u`;
      return {
        value: operand.value(`(${at(q, s)})`),
        condition: operand.condition(`address_${q}`, k, `${k} < last_step`),
      };
    })}`;
  }

  /** Flat: each step (each four steps, where they are one vector) lies in a segment of its own. */
  #fetchFlat(round: number): string {
    const { operand } = this;
    const { major, width } = operand.layout;
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
    ${this.#readVectors(round, (q, s) => {
      const address = `address${suffix(s)}_${q}`;
      return {
        value: operand.value(`${this.#name}_index(${address}, ${step(s)})`),
        condition: operand.condition(address, step(s), `k + ${s}u < last_step`),
      };
    })}`;
  }

  /** The four vectors of a unit as they lie in memory. `read` gives what is read of line state q at step s. */
  #readVectors(round: number, read: (q: number, s: number) => Read): string {
    const { layout, vector } = this.operand;
    const assign = (i: number, { value, condition }: Read) => `${this.#name}_loaded_${round}_${i} = ${value};
    ${this.#name}_exists_${round}_${i} = ${condition};`;
    if (layout.width === 4) return repeat(4, (i) => assign(i, layout.major === 'k' ? read(i, 0) : read(0, i)));
    return repeat(4, (s) => {
      const reads = range(4).map((q) => read(q, s));
      const of = (type: string, key: keyof Read) => `${type}(${reads.map((one) => one[key]).join(', ')})`;
      return assign(s, { value: of(vector, 'value'), condition: of('vec4<bool>', 'condition') });
    });
  }
}
