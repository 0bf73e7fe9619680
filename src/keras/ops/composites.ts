/** @file Ops of keras.ops that are formulas: definitions with Keras's rules for dtypes (promotion.ts). */
import { defineComposite } from '../../ops/define/composite.ts';
import { ofFloats, ofNumbers, ofOneDType, ofValues, throughFloats } from './promotion.ts';

/** A formula of floats. It is computed in float32, so that float16 results round once, and nothing inside overflows. */
/* @__NO_SIDE_EFFECTS__ */
export const composeFloats: typeof defineComposite = (definition) =>
  ofFloats(defineComposite({ acceptsFloat16: false, ...definition }));

/** A formula of floats, whose results have the dtype of the operands. */
/* @__NO_SIDE_EFFECTS__ */
export const composeThroughFloats: typeof defineComposite = (definition) =>
  throughFloats(defineComposite(definition));

/** A formula of numbers. */
/* @__NO_SIDE_EFFECTS__ */
export const composeNumbers: typeof defineComposite = (definition) => ofNumbers(defineComposite(definition));

/** A formula of numbers, or of booleans, of which it gives booleans. */
/* @__NO_SIDE_EFFECTS__ */
export const composeValues: typeof defineComposite = (definition) => ofValues(defineComposite(definition));

/** A formula of operands of one dtype. */
/* @__NO_SIDE_EFFECTS__ */
export const composeOneDType: typeof defineComposite = (definition) =>
  ofOneDType(defineComposite(definition));
