/**
 * @file Loads the tile of one operand from storage: first into registers (`load`), and from there into workgroup memory
 * (`store`). It is loaded in *units* of up to four vectors, of four lines × four k steps. A vector is a step of four
 * lines, or a line of four steps; lines are transposed in registers for forms that need steps.
 *
 * A tile is read while the previous one is multiplied. Compilers undo that if they have to copy the values read, since a copy
 * waits for the load. Two measures prevent copies (docs/decisions/gemm.md):
 * - Units are small enough that every invocation has one. If transposed units can't be that small, the units of A and B form
 *   one list, of which each invocation takes one per round, and the values read go to the same variables.
 * - Nonexistent elements are replaced by zeros when they are stored, not when they are read. If only the first k tile has
 *   nonexistent steps (`GemmOptions.remainderFirst`), they are dropped before the loop.
 *
 * In the generated code, an invocation loads `a_unit_<r>` in round r: of line group `a_line_group_<r>` (lines come in fours),
 * from line `a_first_line_<r>` of it and from step `a_first_step_<r>` of the k tile on. `a_line_<r>_<q>` is the state of its
 * lines. `at_<i>` is the index of a vector, or those of its elements, `loaded_<r>_<i>` the vector, `exists_<r>_<i>` which of its
 * elements exist, and `fetched_<i>` the value to store.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import type { Operand } from './operand.ts';

/** The units of a tile, and which invocations load them. */
export interface TileUnits {
  /** Lines of the tile, and k steps. */
  lines: number;
  depth: number;
  /** Invocations of a workgroup. */
  threads: number;
  /** Vectors of a unit. */
  perUnit: number;
  /** Whether each step finds its own segment (`GemmOptions.flat`). */
  flat: boolean;
  /** Whether only the first k tile has nonexistent steps (`GemmOptions.remainderFirst`). */
  remainderFirst: boolean;
  /** Whether a vector of four steps of a line is stored without being transposed. */
  keepsLines: boolean;
  /** The number of its first unit in the list of both operands. */
  firstUnit: number;
  /** WGSL of the tile's first line, and of the total number of lines. */
  firstLine: string;
  lineCount: string;
}

/** A round of loads, and the invocations that take part in it: from `from` up to `to`, exclusive. */
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
    const { lines, depth, threads, firstUnit, perUnit } = tile;
    this.units = (lines * depth) / (4 * perUnit);
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

  /** Whether adjacent invocations hold adjacent steps of a line, rather than adjacent lines. */
  get stepsFirst(): boolean {
    return this.operand.layout.major === 'k';
  }

  /** Line states of one unit. */
  get #states(): number {
    return this.#holdsLines ? this.tile.perUnit : 4 / this.operand.linesPerState;
  }

  /** Before the loop: the units of this invocation, and the state of their lines. */
  get prologue(): string {
    const name = this.#name;
    const { firstLine, lineCount } = this.tile;
    const width = this.operand.linesPerState;
    const line = (r: number, q: number) =>
      `min(${firstLine} + ${name}_line_group_${r} * 4u + ${name}_first_line_${r} + ${q * width}u, ${lineCount} - ${width}u)`;
    return each(
      this.rounds,
      ({ number: r, from, to }) => `let ${name}_unit_${r} = ${this.#unitOf(r, from, to)};
      ${this.#placeOf(r)}
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

  /** The lines and steps of a unit, such that loads are coalesced. */
  #placeOf(round: number): string {
    const { perUnit, depth } = this.tile;
    const unit = this.#in('unit', round);
    const [lineGroup, line, step] = this.#holdsLines
      ? this.#placeOfLines(unit)
      : this.#placeOfSteps(unit, depth / perUnit);
    return `let ${this.#in('line_group', round)} = ${lineGroup};
    let ${this.#in('first_line', round)} = ${line};
    let ${this.#in('first_step', round)} = ${step};`;
  }

  /** Adjacent units are of adjacent line groups, which are in different banks. */
  #placeOfLines(unit: string): readonly [lineGroup: string, line: string, step: string] {
    const { perUnit, depth } = this.tile;
    const stepGroups = depth / 4;
    const step = `${unit} % ${stepGroups}u * 4u`;
    const lines = `${unit} / ${stepGroups}u`;
    if (perUnit === 4) return [lines, '0u', step];
    return [`${lines} % ${this.lineGroups}u`, `${lines} / ${this.lineGroups}u * ${perUnit}u`, step];
  }

  #placeOfSteps(unit: string, packs: number): readonly [lineGroup: string, line: string, step: string] {
    const { perUnit } = this.tile;
    if (this.stepsFirst) return [`${unit} / ${packs}u`, '0u', `${unit} % ${packs}u * ${perUnit}u`];
    return [`${unit} % ${this.lineGroups}u`, '0u', `${unit} / ${this.lineGroups}u * ${perUnit}u`];
  }

  /**
   * Where the unit of a round begins in a tile of vectors, whose groups of four steps are `stride` vectors apart. Compilers can
   * infer the range of each term, so that they needn't clamp the index.
   */
  slot(round: number, stride: number): string {
    const { lineGroups } = this;
    const { perUnit, depth } = this.tile;
    const lineGroup = this.#in('line_group', round);
    const [step, line] = [this.#in('first_step', round), this.#in('first_line', round)];
    if (this.#holdsLines) return `${step} / 4u * ${stride}u + ${line} * ${lineGroups}u + ${lineGroup}`;
    if (stride === 4 * lineGroups) return `${step} * ${lineGroups}u + ${lineGroup}`;
    const pack = `${this.#in('unit', round)} % ${depth / perUnit}u`;
    const inGroup = 4 / perUnit;
    return `${pack} / ${inGroup}u * ${stride}u + ${pack} % ${inGroup}u * ${perUnit * lineGroups}u + ${lineGroup}`;
  }

  /** The name of a value of a round. */
  #in(what: string, round: number): string {
    return `${this.#name}_${what}_${round}`;
  }

  /** Reads the unit of a round into registers, from the k tile at `step` of `segment`. */
  load(round: number): string {
    return `let k = step + ${this.#in('first_step', round)};
    ${this.tile.flat ? this.#locateFlat(round) : this.#locateInSegment(round)}
    ${repeat(this.tile.perUnit, (i) => `loaded_${round}_${i} = ${this.#vectorAt(i)};`)}`;
  }

  /** Vector i of a unit, by its index or those of its elements. */
  #vectorAt(i: number): string {
    const { operand } = this;
    if (this.inVectors) return operand.vectorAt(`at_${i}`);
    return `${operand.vector}(${components.map((c) => operand.value(`at_${i}.${c}`)).join(', ')})`;
  }

  /** Drops the steps of the first k tile that belong to the next one. */
  dropRest(round: number): string {
    const step = (i: number) => (this.#holdsLines || i === 0 ? 'k' : `k + ${i}u`);
    return `let k = step + ${this.#name}_first_step_${round};
    ${repeat(this.tile.perUnit, (i) => `loaded_${round}_${i} = select(${this.operand.vector}(), loaded_${round}_${i}, ${step(i)} < first_end);`)}`;
  }

  /** Whether any k tile may have nonexistent elements. */
  get isConditional(): boolean {
    return this.operand.guarded || !this.tile.remainderFirst;
  }

  /** Whether a vector holds four steps of a line, rather than four lines of a step. */
  get #holdsLines(): boolean {
    return this.stepsFirst && this.inVectors;
  }

  /** The same for what is stored. */
  get storesLines(): boolean {
    return this.#holdsLines && this.tile.keepsLines;
  }

  /** Whether four adjacent elements are read as a vector. */
  get inVectors(): boolean {
    return this.operand.inVectors;
  }

  /** Stores the unit of a round: `write` stores step i of it, or line i, `fetched_<i>`. */
  store(round: number, write: (i: number) => string): string {
    return `${this.#fetched(round)}\n${repeat(this.tile.perUnit, write)}`;
  }

  /** The values of a unit to store: zeros for nonexistent elements, and transposed if steps are needed. */
  #fetched(round: number): string {
    const { vector } = this.operand;
    const existing = (i: number) =>
      this.isConditional
        ? `select(${vector}(), loaded_${round}_${i}, exists_${round}_${i})`
        : `loaded_${round}_${i}`;
    const fetched = (i: number, value: string) => `let fetched_${i} = ${value};`;
    if (!this.#holdsLines || this.storesLines)
      return repeat(this.tile.perUnit, (i) => fetched(i, existing(i)));
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

  /** Within a segment, steps are evenly spaced. */
  #locateInSegment(round: number): string {
    const { operand } = this;
    const { inVectors } = this;
    const distance = this.stepsFirst ? '' : ` * (${this.#name}_step_size()${inVectors ? ' >> 2u' : ''})`;
    // Before the image an index is negative, even if that of the next step isn't: an arithmetic shift keeps the sign.
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
        condition: operand.condition(`address_${q}`, k, this.#before(s)),
      };
    })}`;
  }

  /** Returns the condition that step `s` of a unit exists; empty if all exist once the loop is reached. */
  #before(s: number): string {
    return this.tile.remainderFirst ? '' : `k < end_${s}`;
  }

  /** Flat: each step (or each vector of four steps) determines its own segment. */
  #locateFlat(round: number): string {
    const { operand } = this;
    const inVectors = this.stepsFirst && this.inVectors;
    const suffix = (s: number) => (inVectors ? '_at' : `_at${s}`);
    const step = (s: number) => `step${suffix(s)}`;
    // The first step takes a division; the others are derived from it.
    const positionOf = (s: number) =>
      s === 0
        ? `let segment_index_0 = k / params.length;
        let ${step(0)} = k % params.length;`
        : `let wraps_${s} = ${step(s - 1)} + 1u == params.length;
        let segment_index_${s} = segment_index_${s - 1} + select(0u, 1u, wraps_${s});
        let ${step(s)} = select(${step(s - 1)} + 1u, 0u, wraps_${s});`;
    const segments = each(
      inVectors ? [0] : range(this.tile.perUnit),
      (s) => `${positionOf(s)}
      let segment${suffix(s)} = segment_of(slice, segment_index_${s});
      ${this.#addresses(round, suffix(s))}`,
    );
    return `${segments}
    ${this.#places(round, (q, s) => {
      const address = `address${suffix(s)}_${q}`;
      return {
        index: `${this.#name}_index(${address}, ${step(s)})${this.inVectors ? ' >> 2u' : ''}`,
        condition: operand.condition(address, step(s), this.#before(s)),
      };
    })}`;
  }

  /** The four vectors of a unit as laid out in memory. `placeOf` returns the place of line state q at step s. */
  #places(round: number, placeOf: (q: number, s: number) => Place): string {
    const exists = (i: number, condition: string) =>
      this.isConditional ? `exists_${round}_${i} = vec4<bool>(${condition});` : '';
    if (this.inVectors)
      return repeat(this.tile.perUnit, (i) => {
        const { index, condition } = this.stepsFirst ? placeOf(i, 0) : placeOf(0, i);
        return `let at_${i} = ${index};
        ${exists(i, condition)}`;
      });
    return repeat(this.tile.perUnit, (s) => {
      const places = range(4).map((q) => placeOf(q, s));
      const all = (key: keyof Place) => places.map((place) => place[key]).join(', ');
      return `let at_${s} = vec4<u32>(${all('index')});
      ${exists(s, all('condition'))}`;
    });
  }
}
