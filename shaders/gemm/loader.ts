/**
 * @file Loads the tile of one operand from storage: first into registers (`locate`, `read`), and from there into workgroup
 * memory (`store`). What is loaded at once is a *unit*, four lines × four k steps, which is transposed in registers where
 * need be: four vectors, one a step, of four lines each.
 *
 * A tile is read while the one before is multiplied, which compilers undo where they have to copy what was read: a copy waits
 * for the load. Three things keep them from it (docs/decisions/gemm.md):
 * - The units of A and B are one list, of which each invocation takes one a round. What they read goes to the same variables,
 *   and every invocation reads something.
 * - Indices are worked out before the last tile is stored: later they would take the registers that are about to be loaded.
 * - Elements that don't exist are replaced by zeros when they are stored, not when they are read.
 *
 * In the generated code, an invocation loads `a_unit_<r>` in round r: line group `a_line_group_<r>` (lines come in fours) at
 * step group `a_step_group_<r>` (steps come in fours). `a_line_<r>_<q>` is what is known of its lines. `at_<r>_<i>` is the index
 * of a vector (`each_at_<r>_<i>`: of each of four elements), `loaded_<r>_<i>` the vector, `exists_<r>_<i>` which of its
 * elements exist (`existed_<r>_<i>`: of the tile before), and `fetched_<s>` step s of four lines.
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
  /** The number of its first unit in the list of both operands. */
  firstUnit: number;
  /** WGSL of the tile's first line, and of the number of lines there are. */
  firstLine: string;
  lineCount: string;
}

/** A round of loads, and the invocations that take part in it: those from `from` to before `to`. */
export interface LoadingRound {
  number: number;
  from: number;
  to: number;
}

/** The index of an element or a vector, in WGSL, and the condition under which it exists. */
interface Place {
  index: string;
  condition: string;
}

export class Loader {
  readonly units: number;
  readonly rounds: readonly LoadingRound[];

  constructor(
    readonly operand: Operand,
    readonly tile: TileUnits,
  ) {
    const { lines, depth, threads, firstUnit } = tile;
    this.units = (lines * depth) / 16;
    const end = firstUnit + this.units;
    const first = Math.floor(firstUnit / threads);
    this.rounds = range(Math.ceil(end / threads) - first).map((i) => {
      const start = (first + i) * threads;
      return {
        number: first + i,
        from: Math.max(0, firstUnit - start),
        to: Math.min(threads, end - start),
      };
    });
  }

  get #name(): string {
    return this.operand.name;
  }

  /** Groups of four lines. */
  get lineGroups(): number {
    return this.tile.lines / 4;
  }

  /** Whether neighbouring invocations hold neighbouring steps of a line, rather than neighbouring lines. */
  get stepsFirst(): boolean {
    return this.operand.layout.major === 'k';
  }

  /** Line states of one unit. */
  get #states(): number {
    return 4 / this.operand.linesPerState;
  }

  /** Before the loop: which units are this invocation's, and what is known of their lines. */
  get prologue(): string {
    const name = this.#name;
    const { firstLine, lineCount } = this.tile;
    const width = this.operand.linesPerState;
    const line = (r: number, q: number) =>
      `min(${firstLine} + ${name}_line_group_${r} * 4u + ${q * width}u, ${lineCount} - ${width}u)`;
    return each(
      this.rounds,
      ({ number: r, from, to }) => `let ${name}_unit_${r} = ${this.#unitOf(r, from, to)};
      ${this.#groupsOf(r)}
      ${repeat(this.#states, (q) => `let ${name}_line_${r}_${q} = ${name}_line(slice, ${line(r, q)});`)}`,
    );
  }

  /** Invocations without a unit read the last one, too. */
  #unitOf(round: number, from: number, to: number): string {
    const { threads, firstUnit } = this.tile;
    const first = round * threads - firstUnit;
    if (from > 0) return `min(local - min(local, ${from}u), ${to - from - 1}u)`;
    const local = to < threads ? `min(local, ${to - 1}u)` : 'local';
    return first > 0 ? `${local} + ${first}u` : local;
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

  /** Works out where the unit of a round lies, of the k tile at `step` of `segment`. */
  locate(round: number): string {
    return this.#locatesLate ? '' : this.#locate(round);
  }

  #locate(round: number): string {
    return `let k = step + ${this.#name}_step_group_${round} * 4u;
    ${this.tile.flat ? this.#locateFlat(round) : this.#locateInSegment(round)}`;
  }

  /** Reads the unit of a round into registers. */
  read(round: number): string {
    const { operand } = this;
    const reads = repeat(4, (i) => {
      if (this.inVectors) return `loaded_${round}_${i} = ${operand.vectorAt(`at_${round}_${i}`)};`;
      const values = components.map((c) => operand.value(`each_at_${round}_${i}.${c}`));
      const vector = `${operand.vector}(${values.join(', ')})`;
      const existing = `select(${operand.vector}(), ${vector}, exists_${round}_${i})`;
      return `loaded_${round}_${i} = ${this.#locatesLate ? existing : vector};`;
    });
    return this.#locatesLate ? `${this.#locate(round)}\n${reads}` : reads;
  }

  /**
   * Whether elements are located when they are read. Sixteen conditions of single elements don't fit in the scalar registers
   * twice.
   */
  get #locatesLate(): boolean {
    return this.operand.guarded && !this.inVectors;
  }

  /** Whether four neighbours are read at once. */
  get inVectors(): boolean {
    return this.operand.layout.width === 4;
  }

  /** Stores the unit of a round: `write` gives what is done with step s of it, `fetched_<s>`. */
  store(round: number, write: (s: number) => string): string {
    return `${this.#fetched(round)}\n${repeat(4, write)}`;
  }

  /** The steps of a unit from what was read: zeros where nothing exists, transposed where vectors lie along k. */
  #fetched(round: number): string {
    const { vector, layout } = this.operand;
    const existing = (i: number) =>
      this.#locatesLate
        ? `loaded_${round}_${i}`
        : `select(${vector}(), loaded_${round}_${i}, existed_${round}_${i})`;
    const fetched = (s: number, value: string) => `let fetched_${s} = ${value};`;
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
  #locateInSegment(round: number): string {
    const { operand } = this;
    const { inVectors } = this;
    const distance = this.stepsFirst ? '' : ` * (${this.#name}_step_size()${inVectors ? ' >> 2u' : ''})`;
    // Before the image an index is negative, though that of the next step need not be: the shift keeps the sign.
    const first = (q: number) => {
      const index = `${this.#name}_index(address_${q}, k)`;
      return inVectors ? `u32(i32(${index}) >> 2u)` : index;
    };
    return `${this.#addresses(round, '')}
    ${repeat(this.#states, (q) => `let first_${q} = ${first(q)};`)}
    ${this.#places(round, (q, s) => {
      const k = s === 0 ? 'k' : `k + ${s}u`;
      return {
        index: s === 0 ? `first_${q}` : `first_${q} + ${s}u${distance}`,
        condition: operand.condition(`address_${q}`, k, `k < end_${s}`),
      };
    })}`;
  }

  /** Flat: each step (each four steps, where they are one vector) lies in a segment of its own. */
  #locateFlat(round: number): string {
    const { operand } = this;
    const inVectors = this.stepsFirst && this.inVectors;
    const suffix = (s: number) => (inVectors ? '_at' : `_at${s}`);
    const step = (s: number) => `step${suffix(s)}`;
    // The first step takes a division; the others follow it.
    const positionOf = (s: number) =>
      s === 0
        ? `let segment_index_0 = k / params.length;
        let ${step(0)} = k % params.length;`
        : `let wraps_${s} = ${step(s - 1)} + 1u == params.length;
        let segment_index_${s} = segment_index_${s - 1} + select(0u, 1u, wraps_${s});
        let ${step(s)} = select(${step(s - 1)} + 1u, 0u, wraps_${s});`;
    const segments = each(
      inVectors ? [0] : range(4),
      (s) => `${positionOf(s)}
      let segment${suffix(s)} = segment_of(slice, segment_index_${s});
      ${this.#addresses(round, suffix(s))}`,
    );
    return `${segments}
    ${this.#places(round, (q, s) => {
      const address = `address${suffix(s)}_${q}`;
      return {
        index: `${this.#name}_index(${address}, ${step(s)})${this.inVectors ? ' >> 2u' : ''}`,
        condition: operand.condition(address, step(s), `k < end_${s}`),
      };
    })}`;
  }

  /** The four vectors of a unit as they lie in memory. `placeOf` gives where line state q lies at step s. */
  #places(round: number, placeOf: (q: number, s: number) => Place): string {
    if (this.inVectors)
      return repeat(4, (i) => {
        const { index, condition } = this.stepsFirst ? placeOf(i, 0) : placeOf(0, i);
        return `at_${round}_${i} = ${index};
        exists_${round}_${i} = vec4<bool>(${condition});`;
      });
    return repeat(4, (s) => {
      const places = range(4).map((q) => placeOf(q, s));
      const all = (key: keyof Place) => places.map((place) => place[key]).join(', ');
      return `each_at_${round}_${s} = vec4<u32>(${all('index')});
      exists_${round}_${s} = vec4<bool>(${all('condition')});`;
    });
  }
}
