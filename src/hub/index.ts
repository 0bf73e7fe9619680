/** @file The entry `retrograd/hub`: pretrained transformers, their layers, and the files of Hugging Face and KerasHub. */

// Layers
export {
  cachedMultiHeadAttention,
  CachedMultiHeadAttention,
  type CachedMultiHeadAttentionOptions,
} from './layers/cachedMultiHeadAttention.ts';
export { feedForward, FeedForward, type FeedForwardOptions } from './layers/feedForward.ts';
export {
  offsetRMSNormalization,
  OffsetRMSNormalization,
  type OffsetRMSNormalizationOptions,
} from './layers/normalization.ts';
export {
  positionEmbedding,
  PositionEmbedding,
  type PositionEmbeddingOptions,
} from './layers/positionEmbedding.ts';
export {
  rotaryEmbedding,
  RotaryEmbedding,
  type RotaryEmbeddingLayerOptions,
  type RotaryOptions,
} from './layers/rotaryEmbedding.ts';
export type {
  DynamicRopeScaling,
  LinearRopeScaling,
  Llama3RopeScaling,
  LongRopeScaling,
  RopeScaling,
  YarnRopeScaling,
} from './layers/ropeScaling.ts';
export {
  tokenAndPositionEmbedding,
  TokenAndPositionEmbedding,
  type TokenAndPositionEmbeddingOptions,
} from './layers/tokenAndPositionEmbedding.ts';
export type { TransformerOptions } from './layers/transformerBlock.ts';
export {
  transformerDecoder,
  TransformerDecoder,
  transformerEncoder,
  TransformerEncoder,
} from './layers/transformerBlock.ts';
export {
  vitPatchingAndEmbedding,
  ViTPatchingAndEmbedding,
  type ViTPatchingAndEmbeddingOptions,
} from './layers/vitPatchingAndEmbedding.ts';
// Models
export type { TextInputs, TextRecord } from './models/textBackbone.ts';
export { AudioToText, type AudioToTextOptions } from './models/audioToText.ts';
export { BertBackbone, type BertBackboneOptions } from './models/bert.ts';
export { CausalLM, type CausalLMOptions } from './models/causalLM.ts';
export { CLIPBackbone, type CLIPBackboneOptions, type CLIPInputs, type CLIPOutputs } from './models/clip.ts';
export {
  CLIPTextEncoder,
  type CLIPTextEncoderOptions,
  CLIPVisionEncoder,
  type CLIPVisionEncoderOptions,
} from './models/clipEncoders.ts';
export { Gemma3Backbone, type Gemma3BackboneOptions } from './models/gemma3.ts';
export { GPT2Backbone, type GPT2BackboneOptions } from './models/gpt2.ts';
export type { ImageBackbone } from './models/imageBackbone.ts';
export {
  ImageClassifier,
  type ImageClassifierOptions,
  QuestionAnswerer,
  type QuestionAnswererOptions,
  SequenceClassifier,
  type SequenceClassifierOptions,
  TokenClassifier,
  type TokenClassifierOptions,
} from './models/classifiers.ts';
export { LlamaBackbone, type LlamaBackboneOptions } from './models/llama.ts';
export { MaskedLM, type MaskedLMOptions } from './models/maskedLM.ts';
export type { PretrainedModel, Task, TaskModels } from './models/heads.ts';
export { ViTBackbone, type ViTBackboneOptions } from './models/vit.ts';
export {
  WhisperBackbone,
  type WhisperBackboneOptions,
  type WhisperInputs,
} from './models/whisperBackbone.ts';
export { WhisperDecoder, type WhisperDecoderOptions } from './models/whisperDecoder.ts';
export { WhisperEncoder, type WhisperEncoderOptions } from './models/whisperEncoder.ts';
export type { SpeechTokens } from './models/speechTokens.ts';
// Files
export {
  fromPretrained,
  type FromPretrainedOptions,
  type PretrainedReport,
} from './checkpoints/fromPretrained.ts';
export { savePretrained, type SavePretrainedOptions } from './checkpoints/savePretrained.ts';
export { checkpointModules } from './checkpoints/checkpointModules.ts';
export {
  loadTokenizer,
  type LoadTokenizerOptions,
  type TokenizerClass,
} from './checkpoints/loadTokenizer.ts';
export { loadChatTemplate, type LoadChatTemplateOptions } from './checkpoints/loadChatTemplate.ts';
export type { ChatMessage, ChatOptions, ChatTemplate, TemplateClass } from './checkpoints/chatTemplate.ts';
export type { PretrainedSource } from './checkpoints/folder.ts';
// Inputs
export {
  type EncodedTexts,
  encodeTexts,
  type EncodeTextsOptions,
  type TextTokenizer,
} from './preprocessing/encodeTexts.ts';
export type { ImageConverter, Picture } from './preprocessing/imageConverter.ts';
export type { AudioConverter, AudioConverterOptions, Sound } from './preprocessing/audioConverter.ts';
export { loadAudioConverter, type LoadAudioConverterOptions } from './preprocessing/loadAudioConverter.ts';
export { loadImageConverter, type LoadImageConverterOptions } from './preprocessing/loadImageConverter.ts';
// Generation
export type { SpeechSegment, TranscribeOptions } from './generation/transcribeOptions.ts';
export type { GeneratedToken, GenerateOptions, Prompts } from './generation/generateOptions.ts';
export {
  loadGenerationOptions,
  type LoadGenerationOptions,
} from './generation/loadGenerationOptions.ts';
