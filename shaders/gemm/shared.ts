/**
 * @file The engine in workgroup memory: a workgroup of groupM × groupN invocations computes a tile of C, of
 * groupM · blockM rows and groupN · blockN columns. Turn by turn it brings `depth` steps of its rows of A and its columns
 * of B to workgroup memory, and multiplies them from there.
 *
 * Both operands lie k-major there, four lines a vector, whichever way they lie in storage: what is brought at once is a
 * *unit*, 4 lines × 4 steps, which is transposed in registers where need be. The units of the next turn are read before
 * the products of this one are computed, so that the two overlap.
 *
 * An invocation computes lines that lie groupM · 4 (groupN · 4) apart in fours: neighbours read neighbouring vectors.
 * Within four steps the vectors are permuted by `swizzle`, so that neither writing a unit of a k-major operand, where
 * neighbours hold neighbouring steps, nor reading along the lines meets a bank twice.
 */
import { wgsl } from '../lib/wgsl.ts';
import { declarations, placement } from './block.ts';
import { components, indent, Operand, range } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

/** How the units of one operand are spread over the invocations of a workgroup. */
class Loader {
  readonly #units: number;
  readonly #quads: number;
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
    this.#quads = lines / 4;
    this.#units = (lines * depth) / 16;
    this.#rounds = Math.ceil(this.#units / threads);
  }

  get #name(): string {
    return this.operand.name;
  }

  /** Units that the last, partial round leaves to other invocations. */
  get remainder(): number {
    return this.#units % this.threads;
  }

  get memory(): string {
    return `var<workgroup> ${this.#name}_tile: array<vec4<${this.operand.type}>, ${this.#quads * this.depth}>;`;
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
          : [`${unit} % ${this.#quads}u`, `${unit} / ${this.#quads}u`];
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

  /** Writes what was fetched to workgroup memory. */
  get store(): string[] {
    return range(this.#rounds).flatMap((r) =>
      this.#inRange(r, [
        `let swizzled = ${this.#name}_quad_${r} ^ swizzle(${this.#name}_turn_${r});`,
        ...range(4).map(
          (s) =>
            `${this.#name}_tile[(${this.#name}_turn_${r} * 4u + ${s}u) * ${this.#quads}u + swizzled] = ${this.#name}_fetched_${r}_${s};`,
        ),
      ]),
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

export function shared(options: GemmOptions, problem: Problem): string {
  const { tile, type, flat } = options;
  const { groupM, groupN, blockM, blockN, depth } = tile;
  const threads = groupM * groupN;
  const [tileM, tileN] = [groupM * blockM, groupN * blockN];
  const a = new Loader(
    new Operand('a', options.a, problem.a.guarded, type),
    tileM,
    depth,
    threads,
    flat,
    0,
    'first_row',
    'params.m',
  );
  const b = new Loader(
    new Operand('b', options.b, problem.b.guarded, type),
    tileN,
    depth,
    threads,
    flat,
    a.remainder,
    'first_column',
    'params.n',
  );
  const rowQuads = range(blockM / 4);
  const vectors = range(blockN / 4);
  const products = range(4).flatMap((s) => [
    ...rowQuads.map((i) => `let a_${s}_${i} = a_tile[(turn * 4u + ${s}u) * ${tileM / 4}u + a_slot_${i}];`),
    ...vectors.map((j) => `let b_${s}_${j} = b_tile[(turn * 4u + ${s}u) * ${tileN / 4}u + b_slot_${j}];`),
    ...range(blockM).flatMap((i) =>
      vectors.map((j) => `sum_${i}_${j} += a_${s}_${i >> 2}.${components[i & 3]} * b_${s}_${j};`),
    ),
  ]);
  return wgsl`
// A workgroup computes ${tileM} × ${tileN} elements of C, an invocation ${blockM} × ${blockN} of them.
${declarations(options, problem)}
${a.memory}
${b.memory}

fn swizzle(turn: u32) -> u32 {
  return (turn & 3u) * 2u;
}

@compute @workgroup_size(${threads})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_group(group, groups);
  ${placement(tileM, tileN, flat)}
  let first_row = row_block * ${tileM}u;
  let first_column = column_block * ${tileN}u;
  let thread_row = local / ${groupN}u;
  let thread_column = local % ${groupN}u;
  ${indent(a.prologue, 2)}
  ${indent(b.prologue, 2)}
  ${indent(
    range(blockM).flatMap((i) => vectors.map((j) => `var sum_${i}_${j} = vec4<${type}>();`)),
    2,
  )}
#if ${!flat}
  var index = first_segment;
#endif
  var step = first_step;
  var is_loaded = false;
  loop {
#if ${problem.skips && !flat}
    while (index < last_segment && skip_segment(slice, index)) {
      index++;
    }
#endif
    let has_more = ${flat ? 'step < last_step' : 'index < last_segment && first_step < last_step'};
    if (has_more) {
#if ${!flat}
      let segment = segment_of(slice, index);
#endif
      ${indent([...a.fetch, ...b.fetch], 6)}
    }
    if (is_loaded) {
      for (var turn = 0u; turn < ${depth / 4}u; turn++) {
        ${indent(
          [
            ...rowQuads.map((i) => `let a_slot_${i} = (thread_row + ${i * groupM}u) ^ swizzle(turn);`),
            ...vectors.map((j) => `let b_slot_${j} = (thread_column + ${j * groupN}u) ^ swizzle(turn);`),
            ...products,
          ],
          8,
        )}
      }
    }
    if (!has_more) {
      break;
    }
    workgroupBarrier();
    ${indent([...a.store, ...b.store], 4)}
    workgroupBarrier();
    is_loaded = true;
    step += ${depth}u;
#if ${!flat}
    if (step >= last_step) {
      step = first_step;
      index++;
    }
#endif
  }
  ${indent(
    vectors.map(
      (j) => `let bias_${j} = bias_of(slice, first_column + (thread_column + ${j * groupN}u) * 4u);`,
    ),
    2,
  )}
  ${indent(
    range(blockM).flatMap((i) => [
      '{',
      `  let m = first_row + (thread_row + ${(i >> 2) * groupM}u) * 4u + ${i & 3}u;`,
      '  if (m < params.m) {',
      '    var row = c_row(slice, m);',
      '    row.offset += split * params.split_stride;',
      '    if (row.valid) {',
      ...vectors.map(
        (j) =>
          `      write_columns(row, first_column + (thread_column + ${j * groupN}u) * 4u, sum_${i}_${j} + bias_${j});`,
      ),
      '    }',
      '  }',
      '}',
    ]),
    2,
  )}
}
`;
}
