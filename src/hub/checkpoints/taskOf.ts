/** @file What a model is for, by its class. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { TextBackbone } from '../models/backbone.ts';
import { CausalLM } from '../models/causalLM.ts';
import type { PretrainedModel, Task } from '../models/heads.ts';
import { MaskedLM } from '../models/maskedLM.ts';
import { SequenceClassifier } from '../models/sequenceClassifier.ts';
import { TokenClassifier } from '../models/tokenClassifier.ts';

/** Errors: ValueError for anything but a network of this entry. */
export function taskOf(op: string, model: PretrainedModel): Task {
  if (model instanceof CausalLM) return 'causalLM';
  if (model instanceof MaskedLM) return 'maskedLM';
  if (model instanceof SequenceClassifier) return 'sequenceClassifier';
  if (model instanceof TokenClassifier) return 'tokenClassifier';
  if (model instanceof TextBackbone) return 'backbone';
  throw new ValueError({
    op,
    rule: 'it takes a backbone of this entry, or a model with one.',
    received: describe(model),
    hint: 'load one with fromPretrained; other models are saved by model.save(target).',
  });
}
