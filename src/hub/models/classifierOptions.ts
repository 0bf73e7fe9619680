/** @file The options that classifiers of texts and of tokens share. */
import { checked, integer } from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { isListOf } from '../../core/lists.ts';
import { backboneKind, type TextModelOptions } from './textModel.ts';

export interface ClassifierOptions extends TextModelOptions {
  /** The number of classes. */
  numClasses: number;
  /** The names of the classes. Default null: they have none. */
  labels?: readonly string[] | null;
  /** Fraction of the features that is cleared in training. Default 0.1. */
  dropout?: number;
}

export const classifierTable = () => ({
  backbone: backboneKind,
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
