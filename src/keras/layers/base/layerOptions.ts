/**
 * @file The options of layers: their names, which every class of the library lists, and how factories take them: in one
 * object, or by position as in Keras.
 */
import { ValueError } from '../../../core/errors.ts';
import { checkOptions, plainOptions } from '../../../core/options.ts';
import { describe, hintFor, requireBoolean } from '../../../core/shape.ts';
import { isSymbolic } from '../../../ops/define/recorders.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { declarationOf, knownOptionsOf } from '../../options/declaration.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import type { DescribedInputOptions } from './describedInput.ts';
import type { DTypePolicy } from './dtypePolicy.ts';

/** Options of every layer and every model. */
export interface CommonOptions {
  /**
   * Its name in histories, errors, summaries and files. Default: the class name with a number, such as `conv2d_1`.
   */
  name?: string;
  /** Whether its weights are trainable. Default true. */
  trainable?: boolean;
  /** Dtype of the weights, or 'mixedFloat16' (see `setDTypePolicy`). Default float32. */
  dtype?: DTypePolicy;
  /** Penalty on its outputs, which training adds to the loss. Default null. */
  activityRegularizer?: RegularizerLike | null;
}

/** Options of every layer. */
export interface LayerOptions extends CommonOptions, DescribedInputOptions {}

/** Option names of all layers. */
export const layerOptionNames = [
  'name',
  'trainable',
  'dtype',
  'activityRegularizer',
] as const satisfies (keyof CommonOptions)[];

/** A class with the names of the options of its calls. */
interface CallOptionClass {
  readonly callOptionNames: readonly string[];
}

/**
 * The options of a layer. A class that lists no names is an app's: it may have any options.
 * Errors: ValueError for unknown options.
 */
export function checkedOptions<O extends LayerOptions>(
  type: { readonly className: string },
  options: O | undefined,
): O | LayerOptions {
  const known = knownOptionsOf(type);
  if (known) {
    const hint =
      'check the spelling; the shape of inputs belongs to input({ shape }), at the start of a model.';
    checkOptions(type.className, options, known, hint);
  }
  return options ?? {};
}

/**
 * Checks the options of a call. An app's class, which lists no names, may take any options.
 * Errors: ValueError for unknown options, and for anything but an object.
 */
export function checkCallOptions(type: CallOptionClass, name: string, options: object): void {
  const known = declarationOf(type) ? type.callOptionNames : Object.keys(plainOptions(name, options));
  checkOptions(name, options, known, 'options of the layer itself belong to its factory.');
  const { training, mask } = options as { training?: unknown; mask?: unknown };
  if (training !== undefined && training !== null) requireBoolean(name, 'training', training);
  if (mask !== undefined && mask !== null) requireMasks(name, mask);
}

/** Errors: ValueError for masks that aren't tensors. Without this check, a layer that reads no mask would pass on anything. */
function requireMasks(name: string, masks: unknown): void {
  for (const mask of leavesOf(masks as Nest<unknown>)) {
    if (mask === null || mask instanceof Tensor || isSymbolic(mask)) continue;
    throw new ValueError({
      op: name,
      rule: '`mask` is a tensor, or null, for each input.',
      received: `mask: ${describe(masks)}`,
      hint: hintFor(mask, 'make one: tensor([[true, false]]).'),
    });
  }
}
