/** @file Common code of lstmSteps and gruSteps: the check of their inputs, and helpers for step-by-step gradients. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireRank, sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { gateCount, type StepKind, traceCount } from '../../kernels/recurrent.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { matMul } from '../products/matMul.ts';
import { activeRecorders, isAbstract } from '../define/recorders.ts';
import { reshape } from '../arrangement/reshape.ts';
import { slice } from '../arrangement/slice.ts';
import { split } from '../arrangement/split.ts';
import { squeeze } from '../arrangement/expandDims.ts';
import { where } from '../elementwise/where.ts';

export interface StepSizes {
  batch: number;
  time: number;
  units: number;
}

/** Checks gates and recurrent kernel, and the shapes of the other inputs, `others`. */
export function checkSteps(
  op: string,
  kind: StepKind,
  gates: TensorSpec,
  recurrentKernel: TensorSpec,
  others: (sizes: StepSizes) => Readonly<Record<string, readonly [TensorSpec | null | undefined, number[]]>>,
): StepSizes {
  requireDType(op, 'gates', gates.dtype, ['float32']);
  requireDType(op, 'recurrentKernel', recurrentKernel.dtype, ['float32']);
  requireRank(op, 'gates', gates.shape, 3);
  requireRank(op, 'recurrentKernel', recurrentKernel.shape, 2);
  const [batch, time, width] = gates.shape as [number, number, number];
  const [units, columns] = recurrentKernel.shape as [number, number];
  const blocks = gateCount[kind];
  const reject = (rule: string, received: string) => {
    throw new ShapeError({ op, rule, received, hint: 'reshape it, or check the number of units.' });
  };
  if (columns !== blocks * units) {
    reject(
      `\`recurrentKernel\` is [units, ${blocks} · units].`,
      `recurrentKernel ${formatSpec(recurrentKernel)}`,
    );
  }
  if (width !== columns) reject(`\`gates\` is [batch, time, ${columns}].`, `gates ${formatSpec(gates)}`);
  for (const [name, [spec, shape]] of Object.entries(others({ batch, time, units }))) {
    if (!spec) continue;
    requireDType(op, name, spec.dtype, [name === 'mask' ? 'bool' : 'float32']);
    if (!sameShape(spec.shape, shape)) {
      reject(`\`${name}\` is [${shape.join(', ')}].`, `${name} ${formatSpec(spec)}`);
    }
  }
  return { batch, time, units };
}

/** The sizes of a call, and the specs of its outputs: states [batch, time, units], and a trace of several blocks of units. */
export function stepSpecs(sizes: StepSizes) {
  const { batch, time, units } = sizes;
  const spec = (width: number): TensorSpec => ({ shape: [batch, time, width], dtype: 'float32' });
  return { states: { ...spec(units), sizes }, trace: spec(traceCount * units) };
}

/** Whether a gradient must be composed of ops: a recorder is active, or `trace` is mapped by vmap. */
export function needsOps(trace: Tensor): boolean {
  return activeRecorders().length > 0 || isAbstract(trace);
}

/** Step `t` of x [batch, time, …] as [batch, …]; null stays null. */
export function stepOf(x: Tensor, t: number): Tensor;
export function stepOf(x: Tensor | null, t: number): Tensor | null;
export function stepOf(x: Tensor | null, t: number): Tensor | null {
  if (!x) return null;
  const begin = x.shape.map((_, axis) => (axis === 1 ? t : 0));
  const size = x.shape.map((_, axis) => (axis === 1 ? 1 : -1));
  return squeeze(slice(x, { begin, size }), { axis: 1 });
}

type Five<T> = readonly [T, T, T, T, T];

/** The values of a step's trace, block by block. */
export function blocksOf(trace: Tensor): Five<Tensor> {
  // Splitting by a number gives exactly that many parts.
  return split(trace, { numOrSizeSplits: traceCount, axis: -1 }) as unknown as Five<Tensor>;
}

/** The blocks of the cotangent of a trace that nothing depends on. */
export const noBlocks: Five<null> = [null, null, null, null, null];

/** The derivative of sigmoid, from its value. */
export function sigmoidDerivative(value: Tensor): Tensor {
  return mul(value, sub(1, value));
}

/** The sum of the terms that aren't null. */
export function sumOf(first: Tensor, ...terms: (Tensor | null)[]): Tensor;
export function sumOf(...terms: (Tensor | null)[]): Tensor | null;
export function sumOf(...terms: (Tensor | null)[]): Tensor | null {
  return terms.reduce((total, term) => (total && term ? add(total, term) : (total ?? term)), null);
}

/** x where `counts` [batch] is true, `otherwise` elsewhere; x if `counts` is null. */
export function whereCounts(counts: Tensor | null, x: Tensor, otherwise: Tensor | 0): Tensor {
  return counts ? where(reshape(counts, { shape: [counts.size, 1] }), x, otherwise) : x;
}

/** The gradient of a recurrent kernel over all steps: statesᵀ [batch, time, units] times the gradients of the matmuls. */
export function kernelGradient(states: Tensor, dproducts: Tensor): Tensor {
  const rows = (x: Tensor) =>
    reshape(x, { shape: [(x.shape[0] as number) * (x.shape[1] as number), x.shape[2] as number] });
  return matMul(rows(states), rows(dproducts), { transposeA: true });
}
