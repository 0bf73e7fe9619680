/** @file The options that classifiers of texts, of tokens and of images share. */
import { checked, integer } from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { isListOf } from '../../core/lists.ts';
import type { Option } from '../../keras/options/option.ts';
import type { HeadModelOptions } from './headModel.ts';

export interface ClassifierOptions<Net> extends HeadModelOptions<Net> {
  /** The number of classes. */
  numClasses: number;
  /** The names of the classes. Default null: they have none. */
  labels?: readonly string[] | null;
  /** Fraction of the features that is cleared in training. Default 0.1. */
  dropout?: number;
}

/** The table of a classifier over a kind of backbone. */
export const classifierTable = (backbone: Option<never>) => ({
  backbone,
  numClasses: integer(),
  labels: checked(names, null),
  dropout: checked(requireFraction, 0.1),
});

function names(op: string, what: string, given: readonly string[]): readonly string[] {
  if (isListOf(given, (name) => typeof name === 'string')) return given;
  throw new ValueError({
    op,
    rule: `\`${what}\` are the names of the classes.`,
    received: `${what}: ${describe(given)}`,
    hint: "pass a list such as ['negative', 'positive'].",
  });
}
