/** @file The elementwise kernels of the catalog. */
import type { DropoutShaderOptions } from '../../../shaders/dropout.ts';
import type { ElementwiseOptions } from '../../../shaders/elementwise.ts';
import type { Float16Options } from '../../../shaders/float16.ts';
import type { FusedElementwiseOptions } from '../../../shaders/fusedElementwise.ts';
import { type Family, entry } from './entry.ts';

export const elementwiseKernels: Family = {
  elementwise: entry<ElementwiseOptions>(
    {
      expression: 'a * b',
      types: ['f32', 'f32'],
      result: 'f32',
      layouts: ['full', 'scalar'],
      rank: 0,
      width: 4,
      steps: 1,
      interleaved: false,
      common: false,
      aligned: false,
      grouped: false,
    },
    {
      'sine, common form': {
        expression: 'precise_sin(a)',
        types: ['f32'],
        layouts: ['full'],
        steps: 4,
        common: true,
      },
      'interleaved, broadcast': { layouts: ['full', 'strided'], rank: 2, steps: 2, interleaved: true },
      broadcast: { layouts: ['full', 'strided'], rank: 2, width: 1, steps: 4 },
      'broadcast, groups of a line': {
        layouts: ['full', 'spread'],
        rank: 2,
        width: 1,
        steps: 4,
        aligned: true,
        grouped: true,
      },
      'broadcast, vectors': { layouts: ['strided', 'spread'], rank: 2 },
      exponential: { expression: 'exp(a)', types: ['f32'], layouts: ['full'] },
    },
  ),
  'fused elementwise': entry<FusedElementwiseOptions>(
    {
      inputs: [
        { type: 'f32', layout: 'full', rank: 0, aligned: false },
        { type: 'f32', layout: 'full', rank: 0, aligned: false },
      ],
      steps: [
        {
          expression: 'a - b',
          operands: [
            { from: 'input', index: 0 },
            { from: 'input', index: 1 },
          ],
          types: ['f32', 'f32'],
          result: 'f32',
        },
        {
          expression: 'a * a',
          operands: [{ from: 'step', index: 0, first: false }],
          types: ['f32'],
          result: 'f32',
        },
      ],
      outputs: [1],
      width: 4,
      repeats: 1,
      interleaved: false,
      reassociates: false,
    },
    {
      'two outputs, scalar and strided inputs, rounded between steps': {
        inputs: [
          { type: 'f32', layout: 'full', rank: 0, aligned: false },
          { type: 'f32', layout: 'scalar', rank: 0, aligned: false },
          { type: 'f32', layout: 'strided', rank: 2, aligned: false },
        ],
        steps: [
          {
            expression: 'a * b',
            operands: [
              { from: 'input', index: 0 },
              { from: 'input', index: 1 },
            ],
            types: ['f32', 'f32'],
            result: 'f32',
          },
          {
            expression: 'a + b',
            operands: [
              { from: 'input', index: 2 },
              { from: 'step', index: 0, first: false },
            ],
            types: ['f32', 'f32'],
            result: 'f32',
          },
        ],
        outputs: [0, 1],
      },
      'single elements, a constant': {
        steps: [
          {
            expression: 'a + b',
            operands: [
              { from: 'input', index: 0 },
              { from: 'constant', index: 0 },
            ],
            types: ['f32', 'f32'],
            result: 'f32',
          },
        ],
        outputs: [0],
        width: 1,
        repeats: 2,
      },
    },
  ),
  dropout: entry<DropoutShaderOptions>({ width: 4 }),
  float16: entry<Float16Options>({ direction: 'pack' }, { unpack: { direction: 'unpack' } }),
};
