/** @file The tasks that pretrained networks are for, and the model of each. */
import type { TextBackbone } from './backbone.ts';
import type { CausalLM } from './causalLM.ts';
import type { MaskedLM } from './maskedLM.ts';
import type { SequenceClassifier } from './sequenceClassifier.ts';
import type { TokenClassifier } from './tokenClassifier.ts';

/** The model of each task. */
export interface TaskModels {
  backbone: TextBackbone;
  causalLM: CausalLM;
  maskedLM: MaskedLM;
  sequenceClassifier: SequenceClassifier;
  tokenClassifier: TokenClassifier;
}

/** What a pretrained network is for: `backbone` has no head. */
export type Task = keyof TaskModels;

/** A task with a head. */
export type HeadTask = Exclude<Task, 'backbone'>;

/** Any model of this entry. */
export type PretrainedModel = TaskModels[Task];
