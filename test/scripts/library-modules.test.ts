/** @file The package's modules: the order that bundlers give to them, and what is left of their text. */
import { expect, test } from 'vitest';
import { moduleOrder, withoutComments } from '../../scripts/lib/library-modules.mjs';

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

test('comments are left out, unless tools read them', () => {
  const code = `/** @file A module. */
import { a } from './a.js'; // its only import

/**
 * Returns a.
 */
export function f() {
	// Why.
	return /* here */ a;
}
export const text = '// no comment', template = \`/* \${f()} */\`, pattern = /\\/\\*/;
export const g = /* @__PURE__ */ f();
const load = () => import(/* @vite-ignore */ text);
// The end.`;
  expect(withoutComments(code)).toBe(`import { a } from './a.js'; 

export function f() {
	return  a;
}
export const text = '// no comment', template = \`/* \${f()} */\`, pattern = /\\/\\*/;
export const g = /* @__PURE__ */ f();
const load = () => import(/* @vite-ignore */ text);
`);
});
