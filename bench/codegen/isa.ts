/**
 * @file Reads AMD's assembly as RADV prints it: blocks, loops, and what a loop executes. Counts are of a wave's instructions,
 * and exact; how often a loop runs is not known here.
 */

/** The instructions that a piece of code executes. */
export interface Mix {
  instructions: number;
  /** Multiply-adds. */
  fma: number;
  /** All vector arithmetic, multiply-adds included. */
  vector: number;
  /** Vector minima of unsigned integers: clamped addresses, unless the kernel computes minima itself. */
  clamps: number;
  ldsReads: number;
  ldsWrites: number;
  loads: number;
  /** Words that an invocation loads, each instruction counted once. */
  loadedWords: number;
  stores: number;
  waits: number;
  barriers: number;
}

export interface Loop extends Mix {
  /** Numbers of the first and last block. */
  readonly blocks: readonly [number, number];
  /** Whether another loop encloses it. */
  readonly isInner: boolean;
  /** Number of iterations, if a counter runs to a constant; otherwise 1, because nothing is known. */
  readonly trips: number;
  /** The maximum number of loads in flight. */
  loadsInFlight: number;
  /** Multiply-adds that are executed while a load is in flight. */
  fmaUnderLoads: number;
}

export interface Program {
  readonly loops: readonly Loop[];
  /** Instructions of the whole program, each block counted once. */
  readonly mix: Mix;
  /**
   * Words that an invocation stores, each instruction counted once; atomic ones as often as the loops around them run, where
   * their counters show it.
   */
  readonly storedWords: number;
  /** Whether results are sums of several invocations. */
  readonly isAtomic: boolean;
  /** The maximum number of bytes that the loads of an invocation have in flight, in a program without loops; otherwise 0. */
  readonly bytesInFlight: number;
}

interface Instruction {
  readonly op: string;
  readonly operands: string;
}

type Blocks = ReadonlyMap<number, readonly Instruction[]>;

export function parseProgram(assembly: string): Program {
  const blocks = parseBlocks(assembly);
  const ranges = loopRanges(blocks);
  const all = [...blocks.values()].flat();
  const loops = ranges.map((range) => loopOf(blocks, range, ranges));
  const executions = (block: number) =>
    loops.reduce(
      (count, { blocks: [first, last], trips }) => (block >= first && block <= last ? count * trips : count),
      1,
    );
  const words = [...blocks].flatMap(([block, body]) =>
    body.map(({ op }) => (isAtomic(op) ? executions(block) : wordsOf(op, 'store'))),
  );
  return {
    loops,
    mix: mixOf(all),
    storedWords: words.reduce((sum, count) => sum + count, 0),
    isAtomic: all.some(({ op }) => isAtomic(op)),
    bytesInFlight: loops.length > 0 ? 0 : bytesInFlight(all),
  };
}

function bytesInFlight(body: readonly Instruction[]): number {
  const { loads, loadedWords } = mixOf(body);
  return loads > 0 ? (4 * loadedWords * flightOf(body, 1).loadsInFlight) / loads : 0;
}

/** Returns the loop that does most of the program's multiply-adds, with all loops in it; null if there is none. */
export function mainLoop({ loops }: Program): Loop | null {
  const outer = loops.filter(({ isInner, fma }) => !isInner && fma > 0);
  return outer.reduce<Loop | null>((best, loop) => (best && best.fma >= loop.fma ? best : loop), null);
}

/** The smallest number of multiply-adds outside of loops that counts as more than address arithmetic. */
const minUnrolled = 16;

/**
 * Returns the code that does a program's multiply-adds: an iteration of its main loop, or the whole program if that is
 * unrolled; null if there are none.
 */
export function multiplyAdds(program: Program): Mix | null {
  const loop = mainLoop(program);
  if (loop) return iterationOf(loop, program);
  return program.mix.fma >= minUnrolled ? program.mix : null;
}

const contains = (loop: Loop, other: Loop) =>
  loop !== other && loop.blocks[0] <= other.blocks[0] && loop.blocks[1] >= other.blocks[1];

/** Returns the instructions that an iteration executes, including all iterations of inner loops. */
function iterationOf(loop: Loop, program: Program): Mix {
  const inner = program.loops.filter((other) => contains(loop, other));
  const direct = inner.filter((one) => !inner.some((other) => contains(other, one)));
  const mixes = direct.map((one) => ({ one, mix: iterationOf(one, program) }));
  const total = (key: keyof Mix) =>
    mixes.reduce((sum, { one, mix }) => sum + one.trips * mix[key] - one[key], loop[key]);
  return Object.fromEntries(mixKeys.map((key) => [key, total(key)])) as unknown as Mix;
}

function parseBlocks(assembly: string): Blocks {
  const blocks = new Map<number, Instruction[]>();
  let current: Instruction[] | undefined;
  for (const line of assembly.split('\n')) {
    const head = /^BB(\d+):/.exec(line);
    if (head) {
      current = [];
      blocks.set(Number(head[1]), current);
      continue;
    }
    const body = /^\s+([a-z]\w*)\s*([^;]*)/.exec(line);
    if (body) current?.push({ op: body[1] as string, operands: (body[2] as string).trim() });
  }
  return blocks;
}

/** A branch to an earlier block, or to its own, closes a loop. Loops with the same head are merged. */
function loopRanges(blocks: Blocks): [number, number][] {
  const ends = new Map<number, number>();
  for (const [number, body] of blocks)
    for (const { op, operands } of body) {
      const target = /^s_c?branch/.test(op) ? /BB(\d+)/.exec(operands) : null;
      const head = Number(target?.[1] ?? Number.POSITIVE_INFINITY);
      if (head <= number) ends.set(head, Math.max(number, ends.get(head) ?? 0));
    }
  return [...ends].sort(([a], [b]) => a - b);
}

function loopOf(blocks: Blocks, range: [number, number], ranges: readonly [number, number][]): Loop {
  const [first, last] = range;
  const inside = [...blocks].filter(([number]) => number >= first && number <= last);
  const isIn = (number: number, other: [number, number]) => number >= other[0] && number <= other[1];
  const inner = ranges.filter((other) => other !== range && isIn(other[0], range) && isIn(other[1], range));
  const own = inside.filter(([number]) => !inner.some((other) => isIn(number, other)));
  const isInner = ranges.some((other) => other !== range && isIn(first, other) && isIn(last, other));
  const body = inside.flatMap(([, code]) => code);
  const trips = tripsOf(own.flatMap(([, code]) => code));
  return { blocks: range, isInner, trips, ...mixOf(body), ...flightOf(body) };
}

/** `s_cmp_ge_u32 s21, 8` and `s_add_u32 s21, s21, 1`: a counter is compared with a constant, and another added to it. */
function tripsOf(body: readonly Instruction[]): number {
  const steps = new Map<string, number>();
  for (const { op, operands } of body) {
    const [into, from, step] = operands.split(/,\s*/);
    if (/^s_add_[iu]32$/.test(op) && into && into === from && Number(step) > 0) steps.set(into, Number(step));
  }
  for (const { op, operands } of body) {
    const [counter = '', limit] = operands.split(/,\s*/);
    const step = /^s_cmp_(ge|lt|eq|lg)_[iu]32$/.test(op) ? steps.get(counter) : undefined;
    if (step !== undefined && Number(limit) > 0) return Math.ceil(Number(limit) / step);
  }
  return 1;
}

const isFma = (op: string) =>
  /^v_(pk_|dual_)?(fma|fmac|mad|mac|fmaak|fmamk|dot)/.test(op) && !/mad_[ui]/.test(op);
const isVector = (op: string) => /^v_/.test(op);
const isLoad = (op: string) => /^(buffer|global|flat|image)_load/.test(op);
const isStore = (op: string) => /^(buffer|global|flat|image)_(store|atomic)/.test(op);

const isAtomic = (op: string) => /^(buffer|global|flat)_atomic/.test(op);

const mixKeys = [
  'instructions',
  'fma',
  'vector',
  'clamps',
  'ldsReads',
  'ldsWrites',
  'loads',
  'loadedWords',
  'stores',
  'waits',
  'barriers',
] as const satisfies readonly (keyof Mix)[];

function mixOf(body: readonly Instruction[]): Mix {
  const count = (test: (op: string) => boolean) => body.filter(({ op }) => test(op)).length;
  return {
    instructions: body.length,
    fma: count(isFma),
    vector: count(isVector),
    clamps: count((op) => /^v_min_u/.test(op)),
    ldsReads: count((op) => /^ds_(read|load)/.test(op)),
    ldsWrites: count((op) => /^ds_(write|store)/.test(op)),
    loads: count(isLoad),
    loadedWords: body.reduce((sum, { op }) => sum + wordsOf(op, 'load'), 0),
    stores: count(isStore),
    waits: count((op) => op === 's_waitcnt'),
    barriers: count((op) => op === 's_barrier'),
  };
}

/** Follows the counter of outstanding loads through a loop in its steady state: in the second iteration. */
function flightOf(body: readonly Instruction[], rounds = 2): Pick<Loop, 'loadsInFlight' | 'fmaUnderLoads'> {
  let outstanding = 0;
  const found = { loadsInFlight: 0, fmaUnderLoads: 0 };
  for (let round = 1; round <= rounds; round++)
    for (const { op, operands } of body) {
      if (isLoad(op)) outstanding++;
      if (op === 's_waitcnt') outstanding = Math.min(outstanding, waitsFor(operands));
      if (round < rounds) continue;
      found.loadsInFlight = Math.max(found.loadsInFlight, outstanding);
      if (outstanding > 0 && isFma(op)) found.fmaUnderLoads++;
    }
  return found;
}

/** Returns how many loads may be outstanding after a wait; all of them if it waits for something else. */
function waitsFor(operands: string): number {
  if (operands === '0') return 0;
  const count = /vmcnt\((\d+)\)/.exec(operands);
  return count ? Number(count[1]) : Number.POSITIVE_INFINITY;
}

/** Returns the number of words of a load or store, such as `buffer_load_dwordx4` or `global_store_b128`. */
function wordsOf(op: string, kind: 'load' | 'store'): number {
  const width = /^(?:buffer|global|flat)_(load|store)_(?:dword|b)(x?)(\d*)/.exec(op);
  if (width?.[1] !== kind) return 0;
  const [, , times, digits] = width;
  if (times) return Number(digits);
  return digits ? Number(digits) / 32 : 1;
}
