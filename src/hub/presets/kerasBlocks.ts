/** @file The weights of the transformer blocks that KerasHub's text models share, and of Llama's. */
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import { attentionAt, type PresetWeight, weightsAt } from './presetWeights.ts';

/** The weights of a `TransformerEncoder` or `TransformerDecoder` at `group`. */
export function blockAt(block: TransformerBlock, group: string): readonly PresetWeight[] {
  const { attention, encoderAttention, feedForward } = block;
  return [
    ...attentionAt(`${group}/_self_attention_layer`, attention),
    ...weightsAt(`${group}/_self_attention_layer_norm`, block.attentionNorm),
    ...attentionAt(`${group}/_cross_attention_layer`, encoderAttention),
    ...weightsAt(`${group}/_cross_attention_layer_norm`, block.encoderAttentionNorm),
    ...weightsAt(`${group}/_feedforward_intermediate_dense`, feedForward?.intermediateDense ?? null),
    ...weightsAt(`${group}/_feedforward_output_dense`, feedForward?.outputDense ?? null),
    ...weightsAt(`${group}/_feedforward_layer_norm`, block.feedForwardNorm),
  ];
}

/** The weights of a block of Llama, or of a model like it. */
export function llamaBlockAt(block: TransformerBlock, group: string): readonly PresetWeight[] {
  const { attention, feedForward } = block;
  const inside = `${group}/_self_attention_layer`;
  return [
    ...attentionAt(inside, attention, { before: '_' }),
    ...weightsAt(`${inside}/_query_dense_layer_norm`, attention?.queryNorm ?? null),
    ...weightsAt(`${inside}/_key_dense_layer_norm`, attention?.keyNorm ?? null),
    ...weightsAt(`${group}/_self_attention_layernorm`, block.attentionNorm),
    ...weightsAt(`${group}/_feedforward_gate_dense`, feedForward?.gateDense ?? null),
    ...weightsAt(`${group}/_feedforward_intermediate_dense`, feedForward?.intermediateDense ?? null),
    ...weightsAt(`${group}/_feedforward_output_dense`, feedForward?.outputDense ?? null),
    ...weightsAt(`${group}/_feedforward_layernorm`, block.feedForwardNorm),
  ];
}
