/** @file The tasks that pretrained networks are for, and the model of each. */
import type { AudioToText } from './audioToText.ts';
import type { CausalLM } from './causalLM.ts';
import type { CLIPBackbone } from './clip.ts';
import type { ImageBackbone } from './imageBackbone.ts';
import type {
  ImageClassifier,
  QuestionAnswerer,
  SequenceClassifier,
  TokenClassifier,
} from './classifiers.ts';
import type { MaskedLM } from './maskedLM.ts';
import type { TextBackbone } from './textBackbone.ts';
import type { WhisperBackbone } from './whisperBackbone.ts';

/** The model of each task. */
export interface TaskModels {
  /** A transformer of texts without a head. */
  backbone: TextBackbone;
  causalLM: CausalLM;
  maskedLM: MaskedLM;
  sequenceClassifier: SequenceClassifier;
  tokenClassifier: TokenClassifier;
  questionAnswerer: QuestionAnswerer;
  /** A transformer of images without a head. */
  imageBackbone: ImageBackbone;
  imageClassifier: ImageClassifier;
  /** Images compared with texts. */
  imageTextBackbone: CLIPBackbone;
  /** From sounds to texts, without logits. */
  audioBackbone: WhisperBackbone;
  audioToText: AudioToText;
}

/** What a pretrained network is for. */
export type Task = keyof TaskModels;

/** A task without a head. */
export type BackboneTask = 'backbone' | 'imageBackbone' | 'imageTextBackbone' | 'audioBackbone';

/** A task with a head. */
export type HeadTask = Exclude<Task, BackboneTask>;

/** Any model of this entry. */
export type PretrainedModel = TaskModels[Task];

/** Any model without a head. */
export type AnyBackbone = TaskModels[BackboneTask];
