/** @file Activations and attention of the library with the dtypes of Keras. */
import * as library from '../../ops/index.ts';
import * as formulas from '../activationFunctions.ts';
import { ofFloats, ofValues, throughFloats } from './promotion.ts';

/** The library's `depthwiseConv2d`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const depthwiseConv2d: typeof library.depthwiseConv2d = /* @__PURE__ */ ofFloats(
  library.depthwiseConv2d,
);

/** The library's `dotProductAttention`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const dotProductAttention: typeof library.dotProductAttention = /* @__PURE__ */ ofFloats(
  library.dotProductAttention,
);

/** The library's `elu`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const elu: typeof library.elu = /* @__PURE__ */ ofFloats(library.elu);

/** The library's `hardSigmoid`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const hardSigmoid: typeof library.hardSigmoid = /* @__PURE__ */ ofFloats(library.hardSigmoid);

/** The library's `hardSwish`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const hardSwish: typeof library.hardSwish = /* @__PURE__ */ ofFloats(library.hardSwish);

/** The library's `leakyRelu`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const leakyRelu: typeof library.leakyRelu = /* @__PURE__ */ ofFloats(library.leakyRelu);

/** The library's `logSigmoid`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const logSigmoid: typeof library.logSigmoid = /* @__PURE__ */ ofFloats(library.logSigmoid);

/** The library's `logSoftmax`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const logSoftmax: typeof library.logSoftmax = /* @__PURE__ */ ofFloats(library.logSoftmax);

/** The library's `mish`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const mish: typeof library.mish = /* @__PURE__ */ ofFloats(library.mish);

/** The library's `relu6`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const relu6: typeof library.relu6 = /* @__PURE__ */ ofFloats(library.relu6);

/** The library's `selu`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const selu: typeof library.selu = /* @__PURE__ */ ofFloats(library.selu);

/** The library's `sigmoid`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const sigmoid: typeof library.sigmoid = /* @__PURE__ */ ofFloats(library.sigmoid);

/** The library's `silu`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const silu: typeof library.silu = /* @__PURE__ */ ofFloats(library.silu);

/** The library's `softmax`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const softmax: typeof library.softmax = /* @__PURE__ */ ofFloats(library.softmax);

/** The library's `softplus`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const softplus: typeof library.softplus = /* @__PURE__ */ ofFloats(library.softplus);

/** The library's `softsign`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const softsign: typeof library.softsign = /* @__PURE__ */ ofFloats(library.softsign);

/** `celu` of any dtype: integers and booleans become floats. */
export const celu: typeof formulas.celu = /* @__PURE__ */ ofFloats(formulas.celu);

/** `glu` of any dtype: integers and booleans become floats. */
export const glu: typeof formulas.glu = /* @__PURE__ */ ofFloats(formulas.glu);

/** `hardShrink` of any dtype: integers and booleans become floats. */
export const hardShrink: typeof formulas.hardShrink = /* @__PURE__ */ ofFloats(formulas.hardShrink);

/** `softShrink` of any dtype: integers and booleans become floats. */
export const softShrink: typeof formulas.softShrink = /* @__PURE__ */ ofFloats(formulas.softShrink);

/** `sparsemax` of any dtype: integers and booleans become floats. */
export const sparsemax: typeof formulas.sparsemax = /* @__PURE__ */ ofFloats(formulas.sparsemax);

/** `sparsePlus` of any dtype: integers and booleans become floats. */
export const sparsePlus: typeof formulas.sparsePlus = /* @__PURE__ */ ofFloats(formulas.sparsePlus);

/** `sparseSigmoid` of any dtype: integers and booleans become floats. */
export const sparseSigmoid: typeof formulas.sparseSigmoid = /* @__PURE__ */ ofFloats(formulas.sparseSigmoid);

/** `squareplus` of any dtype: integers and booleans become floats. */
export const squareplus: typeof formulas.squareplus = /* @__PURE__ */ ofFloats(formulas.squareplus);

/** `tanhShrink` of any dtype: integers and booleans become floats. */
export const tanhShrink: typeof formulas.tanhShrink = /* @__PURE__ */ ofFloats(formulas.tanhShrink);

/** The library's `relu`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const relu: typeof library.relu = /* @__PURE__ */ ofValues(library.relu);

/** `hardTanh` of any dtype, which the result has, too. */
export const hardTanh: typeof formulas.hardTanh = /* @__PURE__ */ throughFloats(formulas.hardTanh);

/** `threshold` of any dtype, which the result has, too. */
export const threshold: typeof formulas.threshold = /* @__PURE__ */ throughFloats(formulas.threshold);
