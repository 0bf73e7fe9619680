/** @file The families of checkpoints by their `model_type`, each loaded when it is used. */
import { FormatError } from '../../core/errors.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import { suggestionFor } from '../../core/suggest.ts';
import type { AnyFamily } from './family.ts';

const families: Readonly<Record<string, () => Promise<unknown>>> = {
  gpt2: async () => (await import('../models/gpt2.ts')).gpt2,
  ...Object.fromEntries(
    ['llama', 'mistral', 'qwen2', 'qwen3'].map((name) => [
      name,
      async () => (await import('../models/llama.ts')).llamaFamilies[name],
    ]),
  ),
  gemma3_text: async () => (await import('../models/gemma3.ts')).gemma3,
  bert: async () => (await import('../models/bert.ts')).bert,
  distilbert: async () => (await import('../models/distilBert.ts')).distilBert,
  clip: async () => (await import('../models/clipFamily.ts')).clip,
  whisper: async () => (await import('../models/whisperFamily.ts')).whisper,
  vit: async () => (await import('../models/vit.ts')).vit,
};

/** Returns the family of a `model_type`. Errors: FormatError for one that isn't known. */
export async function familyOf(modelType: unknown, file: string): Promise<AnyFamily> {
  if (typeof modelType === 'string' && Object.hasOwn(families, modelType))
    return (await lazyImport(modelType, families[modelType] as () => Promise<unknown>)) as AnyFamily;
  const known = Object.keys(families);
  throw new FormatError({
    op: file,
    rule: `\`model_type\` is one of ${known.join(', ')}.`,
    received: modelType === undefined ? 'no `model_type`' : JSON.stringify(modelType),
    hint: suggestionFor(modelType, known, 'other networks are made of layers, and loaded with loadWeights.'),
  });
}
