/** @file What is kept: an adapter, a `.keras` file, or the files of a network for `transformers`. */
import { checkpointModules, savePretrained } from 'retrograd/hub';
import { BytesTarget, FilesTarget, saveAdapter } from 'retrograd/io';
import type { CausalLM } from 'retrograd/hub';

/** The adapter as PEFT reads it: adapter_model.safetensors and adapter_config.json. */
export async function adapterFiles(net: CausalLM): Promise<readonly File[]> {
  const target = new FilesTarget();
  // GPT-2 has its matrices transposed, which the adapter says.
  const isTransposed = net.backbone.modelType === 'gpt2' ? { fan_in_fan_out: true } : {};
  const config = { task_type: 'CAUSAL_LM', ...isTransposed };
  await saveAdapter(net, target, { modules: await checkpointModules(net), config });
  return target.files;
}

/** The network with its adapter added to the weights, for Keras and this library. */
export async function kerasFile(net: CausalLM): Promise<readonly File[]> {
  const target = new BytesTarget();
  await net.save(target);
  return [new File([target.bytes as Uint8Array<ArrayBuffer>], 'network.keras')];
}

/** The same for transformers, in the precision that the files of networks usually have. */
export async function networkFiles(net: CausalLM): Promise<readonly File[]> {
  const target = new FilesTarget();
  await savePretrained(net, target, { dtype: 'float16' });
  return target.files;
}
