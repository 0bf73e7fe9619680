/** @file What a model is for. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { Model } from '../../keras/models/model.ts';
import type { PretrainedModel, Task } from '../models/heads.ts';

/** Errors: ValueError for anything but a network of this entry. */
export function taskOf(op: string, model: PretrainedModel): Task {
  if (model instanceof Model && typeof model.task === 'string') return model.task;
  throw new ValueError({
    op,
    rule: 'it takes a backbone of this entry, or a model with one.',
    received: describe(model),
    hint: 'load one with fromPretrained; other models are saved by model.save(target).',
  });
}
