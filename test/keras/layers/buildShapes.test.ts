/** @file `build` called by an app: every shape that it passes is checked, and none is ignored. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, RetrogradError, type Tensor, zeros } from '../../../src/index.ts';
import { layers } from '../../../src/keras/index.ts';
import type { AnyLayer } from '../../../src/keras/layers/base/layer.ts';

beforeAll(() => init());

type Build = (...shapes: unknown[]) => void;

function build(layer: object, ...shapes: unknown[]): void {
  ((layer as AnyLayer).build as unknown as Build)(...shapes);
}

const [steps, few, image] = [
  [null, 5, 8],
  [null, 5, 4],
  [null, 6, 6, 3],
];
const heads = () => layers.multiHeadAttention({ numHeads: 2, keyDim: 4 });
const grouped = () => layers.groupQueryAttention({ headDim: 4, numQueryHeads: 2, numKeyValueHeads: 1 });
const lstm = () => layers.lstm({ units: 4 });
const both = () => layers.bidirectional({ layer: layers.lstm({ units: 4 }) });

describe('several shapes', () => {
  const wrong: [name: string, make: () => object, shapes: unknown[], message: RegExp][] = [
    [
      'multiHeadAttention, value of another rank',
      heads,
      [steps, image],
      /query, value and key have the same rank/,
    ],
    [
      'multiHeadAttention, key with other steps',
      heads,
      [steps, few, [null, 6, 4]],
      /value and key the same sizes/,
    ],
    ['multiHeadAttention, a list and a shape', heads, [[steps, few, few], few], /query, value and key/],
    ['multiHeadAttention, four shapes', heads, [steps, few, few, few], /and nothing more/],
    [
      'multiHeadAttention, vectors',
      heads,
      [
        [null, 8],
        [null, 8],
      ],
      /rank 3 or more/,
    ],
    ['groupQueryAttention, value of another rank', grouped, [steps, image], /must have rank 3/],
    [
      'groupQueryAttention, key with other steps',
      grouped,
      [[steps, few, [null, 6, 4]]],
      /value and key the same sizes/,
    ],
    ['attention, key with other features', () => layers.attention(), [[steps, few, few]], /as many features/],
    ['attention, two arguments', () => layers.attention(), [steps, few], /and nothing more/],
    ['attention, images', () => layers.attention(), [[image, image]], /must have rank 3/],
    [
      'additiveAttention, key with other steps',
      () => layers.additiveAttention(),
      [[steps, steps, [null, 6, 8]]],
      /as many steps/,
    ],
    [
      'dot, two arguments',
      () => layers.dot({ axes: -1 }),
      [
        [null, 3],
        [null, 4],
      ],
      /and nothing more/,
    ],
    [
      'dot, other sizes',
      () => layers.dot({ axes: -1 }),
      [
        [
          [null, 3],
          [null, 4],
        ],
      ],
      /have the same size/,
    ],
    ['dot, three shapes', () => layers.dot({ axes: -1 }), [[few, few, few]], /a list of two tensors/],
    [
      'add, two arguments',
      () => layers.add(),
      [
        [null, 3],
        [null, 4],
      ],
      /and nothing more/,
    ],
    [
      'add, other sizes',
      () => layers.add(),
      [
        [
          [null, 3],
          [null, 4],
        ],
      ],
      /same sizes, except where one is 1/,
    ],
    [
      'add, the third of other sizes',
      () => layers.add(),
      [[steps, [null, 1, 8], few]],
      /\[null, 5, 8\] and .* and \[null, 5, 4\]/,
    ],
    [
      'add, other batches',
      () => layers.add(),
      [
        [
          [2, 3],
          [5, 3],
        ],
      ],
      /same sizes, except where one is 1/,
    ],
    ['add, one shape', () => layers.add(), [[null, 3]], /called on a list of one tensor or more/],
    ['add, none', () => layers.add(), [[]], /called on a list of one tensor or more/],
    [
      'maximum, vectors next to longer ones',
      () => layers.maximum(),
      [[steps, [null, 4]]],
      /same sizes, except where one is 1/,
    ],
    ['subtract, three shapes', () => layers.subtract(), [[few, few, few]], /called on two tensors/],
    ['concatenate, two arguments', () => layers.concatenate(), [steps, few], /and nothing more/],
    [
      'concatenate, other steps',
      () => layers.concatenate(),
      [[steps, [null, 6, 8]]],
      /the same shape, but for axis 2/,
    ],
    [
      'concatenate, another rank',
      () => layers.concatenate(),
      [[steps, image]],
      /the same shape, but for axis 2/,
    ],
    [
      'lstmCell, a state of another size',
      () => layers.lstmCell({ units: 4 }),
      [
        [
          [null, 8],
          [null, 4],
          [null, 5],
        ],
      ],
      /sizes 4, 4/,
    ],
    [
      'gruCell, two states',
      () => layers.gruCell({ units: 4 }),
      [
        [
          [null, 8],
          [null, 4],
          [null, 4],
        ],
      ],
      /sizes 4\./,
    ],
    [
      'stackedRNNCells, a state too few',
      () => layers.stackedRNNCells({ cells: [layers.gruCell({ units: 4 }), layers.gruCell({ units: 3 })] }),
      [
        [
          [null, 8],
          [null, 4],
        ],
      ],
      /sizes 4, 3/,
    ],
    [
      'lstm, initial states of another size',
      lstm,
      [
        steps,
        [
          [null, 4],
          [null, 5],
        ],
      ],
      /sizes 4, 4/,
    ],
    ['lstm, something else', lstm, [steps, 'sum'], /its states have shapes/],
    [
      'bidirectional, states of one direction',
      both,
      [
        steps,
        [
          [null, 4],
          [null, 4],
        ],
      ],
      /sizes 4, 4, 4, 4/,
    ],
    [
      'dense, two arguments',
      () => layers.dense({ units: 2 }),
      [
        [null, 3],
        [null, 4],
      ],
      /and nothing more/,
    ],
    ['conv2d, vectors', () => layers.conv2d({ filters: 2, kernelSize: 3 }), [[null, 3]], /must have rank 4/],
  ];

  test.each(wrong)('%s', (_name, make, shapes, message) => {
    const layer = make();
    expect(() => build(layer, ...shapes)).toThrow(message);
    expect(() => build(make(), ...shapes)).toThrow(RetrogradError);
    expect((layer as AnyLayer).built).toBe(false);
  });

  const right: [name: string, make: () => object, shapes: unknown[], weights: number[][]][] = [
    [
      'multiHeadAttention',
      heads,
      [steps, few],
      [[8, 2, 4], [2, 4], [4, 2, 4], [2, 4], [4, 2, 4], [2, 4], [2, 4, 8], [8]],
    ],
    [
      'dot',
      () => layers.dot({ axes: -1 }),
      [
        [
          [null, 3],
          [null, 3],
        ],
      ],
      [],
    ],
    ['add, open and broadcast sizes', () => layers.add(), [[steps, [null, null, 1], [null, 8]]], []],
    [
      'attention, open steps',
      () => layers.attention({ useScale: true }),
      [[steps, [null, null, 4], [null, 5, 8]]],
      [[]],
    ],
    ['lstmCell, the input alone', () => layers.lstmCell({ units: 4 }), [[null, 8]], [[8, 16], [4, 16], [16]]],
    [
      'lstmCell, with states',
      () => layers.lstmCell({ units: 4 }),
      [
        [
          [null, 8],
          [null, 4],
          [null, 4],
        ],
      ],
      [[8, 16], [4, 16], [16]],
    ],
    [
      'gru, with its state',
      () => layers.gru({ units: 4 }),
      [steps, [null, 4]],
      [
        [8, 12],
        [4, 12],
        [2, 12],
      ],
    ],
  ];

  test.each(right)('%s, as it is built by a call', (_name, make, shapes, weights) => {
    const layer = make() as AnyLayer;
    build(layer, ...shapes);
    expect(layer.built).toBe(true);
    expect(layer.weights.map(({ shape }) => [...shape])).toEqual(weights);
  });
});

test('a layer that was built by its shapes is called on tensors of them', () => {
  const cell = layers.lstmCell({ units: 4 });
  build(cell, [null, 8]);
  const outputs = cell.apply([zeros([2, 8]), zeros([2, 4]), zeros([2, 4])]) as readonly Tensor[];
  expect(outputs.map(({ shape }) => [...shape])).toEqual([
    [2, 4],
    [2, 4],
    [2, 4],
  ]);
});
