/** @file The order that bundlers give to the package's modules. */
import { expect, test } from 'vitest';
import { moduleOrder } from '../../scripts/lib/library-modules.mjs';

test('modules below the ops are imported by layer, then by name', () => {
  const sources = [
    'src/ops/add.ts',
    'src/kernels/gemm.ts',
    'src/kernels/fill.ts',
    'src/keras/index.ts',
    'shaders/gemm.ts',
    'src/core/shape.ts',
    'shaders/fill.ts',
  ];
  expect(moduleOrder(sources).trim().split('\n')).toEqual([
    "import './shaders/fill.js';",
    "import './shaders/gemm.js';",
    "import './src/core/shape.js';",
    "import './src/kernels/fill.js';",
    "import './src/kernels/gemm.js';",
  ]);
});
