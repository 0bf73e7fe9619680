/** @file The presets by KerasHub's names of their backbones, each loaded when it is used. */
import { FormatError } from '../../core/errors.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { familyOf } from '../checkpoints/families.ts';
import type { KnownPreset, Preset } from './preset.ts';

const presets: Readonly<Record<string, () => Promise<unknown>>> = {
  GPT2Backbone: async () => (await import('./gpt2Preset.ts')).gpt2Preset,
  ...Object.fromEntries(
    ['Llama', 'Llama3', 'Mistral', 'Qwen', 'Qwen3'].map((name) => [
      `${name}Backbone`,
      async () => (await import('./llamaPresets.ts')).llamaPresets[name],
    ]),
  ),
  Gemma3Backbone: async () => (await import('./gemma3Preset.ts')).gemma3Preset,
  BertBackbone: async () => (await import('./bertPresets.ts')).bertPreset,
  DistilBertBackbone: async () => (await import('./bertPresets.ts')).distilBertPreset,
  ViTBackbone: async () => (await import('./vitPreset.ts')).vitPreset,
  CLIPBackbone: async () => (await import('./clipPreset.ts')).clipPreset,
  WhisperBackbone: async () => (await import('./whisperPreset.ts')).whisperPreset,
};

/** Returns the preset of a backbone. Errors: FormatError for one that isn't known. */
export async function presetOf(className: unknown): Promise<KnownPreset> {
  if (typeof className === 'string' && Object.hasOwn(presets, className)) {
    const preset = (await lazyImport(className, presets[className] as () => Promise<unknown>)) as Preset;
    return { preset, family: await familyOf(preset.modelType, 'config.json') };
  }
  const known = Object.keys(presets);
  throw new FormatError({
    op: 'config.json',
    rule: `\`class_name\` of a preset is one of ${known.join(', ')}.`,
    received: JSON.stringify(className ?? null),
    hint: suggestionFor(className, known, 'other models of Keras are loaded with loadModel.'),
  });
}
