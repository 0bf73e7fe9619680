/**
 * @file Infers the outputs of a layer's `call` by running it on symbolic tensors.
 *
 * Open sizes are null, which the ops understand. A `call` that reads them, for `zeros(x.shape)` or `x.shape[0] * 4`, needs
 * numbers: it is run again with two numbers for each open size. A size of the output that differs between the two runs is
 * open. In these runs nothing is launched: tensors made from such sizes would be large, and nothing reads them.
 */
import { restate } from '../../core/errorMessage.ts';
import { RetrogradError, ShapeError } from '../../core/errors.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import { isSymbolic, type SymbolicTensor } from '../../ops/define/recorders.ts';
import { withoutLaunching } from '../../ops/define/withoutLaunching.ts';
import { leavesOf, mapNest, type Nest, packNest } from '../tensorNest.ts';
import { requireResult } from './callResult.ts';
import { KerasTensor } from './kerasTensor.ts';
import { notingReads, type ShapeReads, withProbe } from './tracing.ts';

/** Runs the `call` of a layer. */
type Run = (inputs: Nest<KerasTensor>, options: object) => Nest<KerasTensor>;

/**
 * Numbers for open sizes, in the order in which they are tried. The numbers of the first pair are far apart, for
 * `Math.min(size, 64)` and conditions; the others have many divisors, and the last exceed windows and strides.
 */
export const probes = [
  [194, 5],
  [240, 120],
  [10_080, 5040],
] as const;

/**
 * Symbolic outputs of `run` on placeholders for `inputs`. To be called while tracing.
 * Errors: those of `run`; ShapeError for outputs that can't be inferred.
 */
export function traceCall(
  layer: string,
  inputs: Nest<KerasTensor>,
  options: object,
  call: Run,
  advice: string | null = overrideHint,
): Nest<KerasTensor> {
  const run: Run = (given, settings) => {
    const outputs = call(given, settings);
    for (const output of leavesOf<unknown>(outputs, 'the result of call')) requireResult(layer, output);
    return outputs;
  };
  const reads: ShapeReads = { open: false };
  let traced: Nest<KerasTensor> | null = null;
  let rejection: unknown;
  try {
    const placeholders = notingReads(null, () => withSizes(inputs, null));
    traced = notingReads(reads, () => run(placeholders, options));
  } catch (error) {
    rejection = error;
  }
  if (reads.open) traced = probed({ layer, inputs, options, run, advice }, traced);
  if (traced === null) throw rejection;
  return traced;
}

interface ProbedCall {
  readonly layer: string;
  readonly inputs: Nest<KerasTensor>;
  readonly options: object;
  readonly run: Run;
  /** What to do if shapes can't be inferred, for hints; null for what is no layer. */
  readonly advice: string | null;
}

/** Returns the outputs by probes; `traced` where no probe works, if it isn't null. */
function probed(
  { layer, inputs, options, run, advice }: ProbedCall,
  traced: Nest<KerasTensor> | null,
): Nest<KerasTensor> {
  const rejections: { error: unknown; size: number }[] = [];
  for (const pair of probes) {
    let outputs: Nest<KerasTensor>[];
    let tried: number = pair[0];
    try {
      outputs = pair.map((size) => {
        tried = size;
        return withoutLaunching(() =>
          withProbe(size, () =>
            run(withSizes(inputs, size), withSizes(options as Nest<unknown>, size) as object),
          ),
        );
      });
    } catch (error) {
      // A small number may be in the text for another reason. The next pair will fail likewise, or work.
      if (tried > 100) rejections.push({ error, size: tried });
      continue;
    }
    return merged({ layer, advice }, pair, outputs[0] as Nest<KerasTensor>, outputs[1] as Nest<KerasTensor>);
  }
  if (traced) return traced;
  throw withOpenSizes(rejections, advice);
}

/** Returns `nest` with placeholders for its symbolic tensors, where `size` replaces open sizes. */
export function withSizes<N extends Nest<unknown>>(nest: N, size: number | null): N {
  return mapNest(nest, (leaf) => {
    if (!isSymbolic(leaf)) return leaf;
    const { shape, dtype } = leaf as SymbolicTensor;
    return new KerasTensor({ dtype, shape: shape.map((given) => given ?? size) });
  }) as N;
}

/** Returns the outputs, with null for sizes that differ. */
function merged(
  { layer, advice }: Pick<ProbedCall, 'layer' | 'advice'>,
  [large, small]: readonly [number, number],
  first: Nest<KerasTensor>,
  second: Nest<KerasTensor>,
): Nest<KerasTensor> {
  const [a, b] = [leavesOf(first), leavesOf(second)];
  const isSame = (spec: OpenSpec, other: OpenSpec | undefined) =>
    spec.dtype === other?.dtype && spec.shape.length === other.shape.length;
  if (a.length !== b.length || !a.every((spec, i) => isSame(spec, b[i]))) {
    throw new ShapeError({
      op: layer,
      rule: 'the number, ranks and dtypes of symbolic outputs cannot depend on an open size.',
      received: `${openSpecs(a, large)} where open sizes are large, ${openSpecs(b, small)} where they are small`,
      hint: `${advice ?? 'give the size in input({ shape })'}.`,
    });
  }
  const outputs = a.map(({ dtype, shape, kerasHistory }, i) => {
    const other = (b[i] as OpenSpec).shape;
    const open = shape.map((size, axis) => (size === other[axis] ? size : null));
    return Object.assign(new KerasTensor({ dtype, shape: open }), { kerasHistory });
  });
  return packNest(first, outputs);
}

/** Formats specs with null for open sizes, which were `probe`, and for multiples of them. A small number has multiples by chance. */
const openSpecs = (specs: readonly OpenSpec[], probe: number): string => {
  const isOpen = (n: number | null) => n === probe || (probe > 100 && n !== null && n > 0 && n % probe === 0);
  return specs
    .map(({ dtype, shape }) => formatSpec({ dtype, shape: shape.map((n) => (isOpen(n) ? null : n)) }))
    .join(', ');
};

const overrideHint =
  'override `computeOutputShape(inputShape)`, which then determines the shapes of symbolic calls';

/**
 * Returns the first error with null instead of numbers for open sizes, and with a hint. So are numbers that were computed from them: those
 * that differ between the errors of two sizes.
 */
function withOpenSizes(
  [first, ...others]: readonly { error: unknown; size: number }[],
  advice: string | null,
): unknown {
  const error = first?.error;
  if (!first || !(error instanceof RetrogradError)) return error;
  const second = others.map((other) => other.error).find((other) => other instanceof RetrogradError);
  const open = (part: 'rule' | 'received' | 'hint') =>
    error[part] && withoutChanges(error[part], second?.[part], first.size);
  const hint = open('hint');
  const [rule, received] = [open('rule') as string, open('received')];
  const isComplete = advice === null || (hint?.includes('computeOutputShape') ?? false);
  restate(error, {
    rule,
    ...(received === undefined ? {} : { received }),
    hint: isComplete ? (hint ?? '') : `${hint ?? ''} If the shapes are right, ${advice}.`.trim(),
  });
  return error;
}

/** Returns `text` with null for `size`, and for numbers that are others in `other`, which is the same but for them. */
function withoutChanges(text: string, other: string | undefined, size: number): string {
  const skeleton = (one: string) => one.replace(/\d+/g, '#');
  const others = other && skeleton(other) === skeleton(text) ? [...other.matchAll(/\d+/g)].map(String) : null;
  let i = 0;
  return text.replace(/\d+/g, (number) => {
    const isChanged = others !== null && others[i++] !== number;
    return isChanged || number === String(size) ? 'null' : number;
  });
}
