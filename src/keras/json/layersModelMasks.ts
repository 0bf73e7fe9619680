/**
 * @file Calls whose masks TF.js would use, although the model doesn't: TF.js masks a recurrent layer that is called with initial
 * states, too.
 */
import { FormatError } from '../../core/errors.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { hasOtherTensors } from '../layers/base/callMasks.ts';
import type { GraphNode } from '../graph/graphNode.ts';
import { maskOf } from '../masks.ts';
import { leavesOf } from '../tensorNest.ts';
import { isModel, type WrittenModel } from './writtenModel.ts';

/** Errors: FormatError for a call that TF.js would mask. */
export function requireUsedMasks(model: WrittenModel): void {
  const inside: readonly unknown[] = (model as unknown as AnyLayer).layersInside;
  const models = [model, ...inside.filter(isModel)];
  const calls = models.flatMap(({ program }) => [...(program?.nodesByDepth.values() ?? [])].flat());
  const wrong = calls.find(isUnmasked);
  if (!wrong) return;
  throw new FormatError({
    op: `save '${model.name}'`,
    rule: 'TF.js uses the mask of a sequence even where the layer is called with initial states.',
    received: `a call without it, at layer '${wrong.operation.name}'`,
    hint: 'pass it: { initialState, mask: maskOf(x) }; or save the model for Keras.',
  });
}

function isUnmasked({ operation, argument, options }: GraphNode): boolean {
  if (!(operation instanceof Layer) || !operation.takesMask || operation.masksEachInput) return false;
  if (!hasOtherTensors(options)) return false;
  const { mask = null } = options as { mask?: unknown };
  return mask === null && leavesOf(argument).some((input) => isSymbolic(input) && maskOf(input) !== null);
}
