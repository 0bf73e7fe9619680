/** @file GroupNormalization: normalizes groups of channels of each sample to mean 0 and variance 1. */
import { ScaledNormalization, type ScaledNormalizationOptions, scaleTable } from './baseNormalization.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, normalizeAxis, type OpenShape } from '../../../core/shape.ts';
import { groupNorm } from '../../../ops/normalization/groupNorm.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { channelAxis } from './batchNormalization.ts';
import { requireSize } from '../base/inputSpec.ts';
import { checked, factoryOf, type InputSpec, layer } from '../base/declare.ts';

export interface GroupNormalizationOptions extends ScaledNormalizationOptions {
  /** Number of groups that the channels are divided into; -1: each channel is a group. Default 32. */
  groups?: number;
  /** The axis of the channels, which is divided into groups. Default -1. */
  axis?: number;
}

export class GroupNormalization extends /* @__PURE__ */ layer<GroupNormalizationOptions, ScaledNormalization>(
  'GroupNormalization',
  () => ({ groups: checked(groupsOf, 32), axis: channelAxis(), ...scaleTable() }),
  ScaledNormalization,
) {
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 2 }];

  override build(inputShape: OpenShape): void {
    const rank = inputShape.length;
    const axis = normalizeAxis(this.name, this.axis, rank);
    const channels = requireSize(this.name, inputShape, axis);
    if (this.groups !== -1 && channels % this.groups !== 0) {
      throw new ShapeError({
        op: this.name,
        rule: 'groups divide the channels evenly.',
        received: `${this.groups} groups of ${channels} channels`,
        hint: 'choose a divisor of the number of channels.',
      });
    }
    this.addScale([channels]);
    this.inputSpec = [{ rank, axes: { [axis]: channels } }];
  }

  override call(x: Tensor): Tensor {
    const { axis, epsilon } = this;
    const groups = this.groups === -1 ? (x.shape.at(axis) as number) : this.groups;
    return groupNorm(x, this.gamma, this.beta, { groups, axis, epsilon });
  }
}

function groupsOf(op: string, what: string, groups: unknown): void {
  if (Number.isInteger(groups) && groups !== 0 && (groups as number) >= -1) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a positive integer, or -1 for as many as channels.`,
    received: `${what}: ${describe(groups)}`,
    hint: 'pass a divisor of the number of channels.',
  });
}

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta, with the moments of each sample over a group of channels and all
 * other axes. Shape: that of the input. float32. Weights: gamma and beta, [channels]. Wu and He, Group normalization, 2018.
 * Errors: ValueError for invalid options; ShapeError for an axis that the input lacks, or groups that don't divide it.
 */
export const groupNormalization = /* @__PURE__ */ factoryOf(GroupNormalization, [
  'groups',
  'axis',
  'epsilon',
]);
