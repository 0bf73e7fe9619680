/** @file Checks of matmuls with weights in few bits, and of their gradients. */
import { quantizedMatMul } from '../../ops/products/quantized.ts';
import { type QuantizedValues, quantizedTensor } from '../../tensor/quantizedTensor.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, spec } from '../check.ts';
import { linear } from '../reference.ts';

type Kind = Pick<QuantizedValues, 'format' | 'groupSize'>;

/** Integers that differ from their neighbours, with scales that are powers of two. */
function product({ format, groupSize }: Kind, rows: number, channels: number, length: number): Check {
  const greatest = format === 'int4' ? 7 : 127;
  const size = groupSize ?? length;
  const groups = Math.ceil(length / size);
  const values = Int8Array.from(
    { length: channels * length },
    (_, i) => ((i * 37) % (2 * greatest)) - greatest,
  );
  const scales = Float32Array.from({ length: channels * groups }, (_, i) => 2 ** -(5 + (i % 3)));
  const zeros = Int8Array.from({ length: channels * groups }, (_, i) => (i % 5) - 2);
  const weightAt = (channel: number, i: number) => {
    const group = channel * groups + Math.floor(i / size);
    return ((values[channel * length + i] as number) - (zeros[group] as number)) * (scales[group] as number);
  };
  const given = { format, shape: [channels, length], values, scales, zeros, groupSize: size };
  const expected = linear((visit) => {
    for (let row = 0; row < rows; row++)
      for (let channel = 0; channel < channels; channel++)
        for (let i = 0; i < length; i++)
          visit(row * length + i, row * channels + channel, weightAt(channel, i));
  });
  const run: Check['run'] = ([x, dy]) => {
    const weights = quantizedTensor(given);
    try {
      const y = quantizedMatMul(x as Tensor, weights);
      return [y, quantizedMatMul(dy as Tensor, weights, { over: 'channels' })];
    } finally {
      weights.dispose();
    }
  };
  const name = `quantizedMatMul of ${rows} × ${length} and ${channels} channels of ${format}`;
  return { name, inputs: [spec([rows, length]), spec([rows, channels])], tolerance: 2e-5, run, expected };
}

export const quantizedProducts = (): Check[] => [
  product({ format: 'int8' }, 2, 9, 50),
  product({ format: 'int4', groupSize: 32 }, 1, 70, 96),
  product({ format: 'int4', groupSize: 8 }, 20, 70, 44),
];
