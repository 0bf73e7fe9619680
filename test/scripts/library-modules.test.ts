/** @file The package's modules: the order that bundlers give to them, their names, and what is left of their text. */
import { expect, test } from 'vitest';
import { compact, moduleOrder } from '../../scripts/lib/library-modules.mjs';
import { shippedName, withShippedNames } from '../../scripts/lib/shipped-names.mjs';

test('modules below the ops are imported by layer, then by path', () => {
  const sources = [
    'src/ops/add.ts',
    'src/kernels/gemm/gemm.ts',
    'src/kernels/fill.ts',
    'src/keras/index.ts',
    'shaders/gemm.ts',
    'src/core/shape.ts',
    'shaders/fill.ts',
  ];
  expect(moduleOrder(sources).trim().split('\n')).toEqual([
    "import './modules/shaders.fill.js';",
    "import './modules/shaders.gemm.js';",
    "import './modules/core.shape.js';",
    "import './modules/kernels.fill.js';",
    "import './modules/kernels.gemm.gemm.js';",
  ]);
});

test('modules and types are named by their paths, and imported by these names', () => {
  expect(shippedName('src/keras/layers/core/dense.ts')).toBe('keras.layers.core.dense');
  expect(shippedName('src/keras/layers/core/dense.d.ts')).toBe('keras.layers.core.dense');
  expect(shippedName('shaders/fill.ts')).toBe('shaders.fill');
  const code = `import { a } from '../../core/a.ts';
export * from "./b.js";
const load = () => import('../index.ts'), text = './c.ts';
import type { D } from 'd';`;
  expect(withShippedNames(code, 'src/keras/layers/x.ts')).toBe(`import { a } from './core.a.js';
export * from "./keras.layers.b.js";
const load = () => import('./keras.index.js'), text = './c.ts';
import type { D } from 'd';`);
});

test('names of functions stay, and comments that bundlers read; local names are short', () => {
  const code = `/** @file A module. */
import { a } from './a.js'; // its only import

/* @__NO_SIDE_EFFECTS__ */
export function f(value) {
	// Why.
	return /* here */ a + value;
}
export const text = '// no comment', pattern = /[*]/;
export const g = /* @__PURE__ */ f(1), h = /* @__NO_SIDE_EFFECTS__ */ (x) => x;
export class C extends (/* @__PURE__ */ f(2)) {}
const load = () => import('./b.js');`;
  expect(compact(code, 'src/x.ts')).toBe(
    'import{a}from"./a.js";/*@__NO_SIDE_EFFECTS__*/export function f(e){return a+e}' +
      'export const text=`// no comment`,pattern=/[*]/;export const g=/*@__PURE__*/f(1),h=/*@__NO_SIDE_EFFECTS__*/e=>e;' +
      'export class C extends (/*@__PURE__*/f(2)){}const load=()=>import("./b.js");',
  );
  expect(() => compact('const =', 'src/x.ts')).toThrow('src/x.ts');
});
