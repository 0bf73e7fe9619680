/** @file Whether an adapter is a part of its weight. */
import { ValueError } from '../../core/errors.ts';
import type { Adapter } from '../layers/base/adapterValues.ts';

/**
 * Errors: ValueError for an adapter that a weight has in lookups and not in logits, and for one with a bias in a layer without: the sum
 * would be another network.
 */
export function requireSum(op: string, { isOfLookups, weight, bias, layerBias }: Adapter): void {
  if (bias && !layerBias) {
    throw new ValueError({
      op,
      rule: 'the sum has the bias of an adapter in that of its layer.',
      received: `'${bias.path}', of a layer without a bias`,
      hint: 'save it by saveAdapter; or make it without `loraBias`.',
    });
  }
  if (!isOfLookups) return;
  throw new ValueError({
    op,
    rule: 'the sum of a weight and its adapter is computed with wherever the weight is.',
    received: `an adapter of '${weight.path}' from PEFT, which the logits don't have`,
    hint: 'save it by saveAdapter; or make it in PEFT with ensure_weight_tying.',
  });
}
