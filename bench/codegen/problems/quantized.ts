/** @file Problems with weights in few bits: decoding steps, and many rows with the gradient. */
import {
  quantizedMatMul,
  type QuantizedTensor,
  type QuantizedValues,
  quantizedTensor,
  type Tensor,
} from 'retrograd';
import { gradientOf } from '../gradients.ts';
import { float32, type Problem } from '../problem.ts';

type Kind = Pick<QuantizedValues, 'format'> & { readonly groupSize?: number; readonly hasZeros?: boolean };

/** Weights of zeros: nothing is executed. */
function weightsOf({ format, groupSize, hasZeros }: Kind, channels: number, length: number) {
  const groups = groupSize ? length / groupSize : 1;
  const isInteger = format === 'int8' || format === 'int4';
  return quantizedTensor({
    format,
    shape: [channels, length],
    values: new Int8Array(channels * length),
    ...(isInteger ? { scales: new Float32Array(channels * groups).fill(1) } : {}),
    ...(groupSize ? { groupSize } : {}),
    ...(hasZeros ? { zeros: new Int8Array(channels * groups) } : {}),
  });
}

const nameOf = ({ format, groupSize, hasZeros }: Kind) =>
  `${format}${groupSize ? ` in groups of ${groupSize}` : ''}${hasZeros ? ' with zero points' : ''}`;

const kinds: readonly Kind[] = [
  { format: 'int8' },
  { format: 'int4', groupSize: 32 },
  { format: 'int4', groupSize: 128, hasZeros: true },
  { format: 'bfloat16' },
];

function problem(
  kind: Kind,
  rows: number,
  channels: number,
  length: number,
  isDifferentiated: boolean,
): Problem {
  let weights: QuantizedTensor | null = null;
  const multiply = (x: Tensor) => {
    weights ??= weightsOf(kind, channels, length);
    return quantizedMatMul(x, weights);
  };
  const passes = isDifferentiated ? 2 : 1;
  return {
    name: `quantizedMatMul ${rows}×${length}×${channels}, ${nameOf(kind)}${isDifferentiated ? ', with gradient' : ''}`,
    family: 'quantized',
    inputs: isDifferentiated ? [float32(rows, length), float32(rows, channels)] : [float32(rows, length)],
    fmas: passes * rows * channels * length,
    terms: length,
    run: isDifferentiated ? gradientOf(multiply as never, 1) : multiply,
  };
}

export const quantizedProblems: readonly Problem[] = kinds.flatMap((kind) => [
  problem(kind, 1, 1024, 1024, false),
  problem(kind, 4, 1024, 1024, false),
  problem(kind, 256, 1024, 1024, true),
]);
