/**
 * @file The dtypes of a graph's tensors in Keras's files. With mixed_float16 and bfloat16, tensors between layers have 16 bits
 * there, and are float32 here.
 */
import { nodeOf } from '../graph/graphNode.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { Layer } from '../layers/base/layer.ts';
import { storedCast } from './casts.ts';
import { storedInputDtype } from './inputDtypes.ts';
import { storedPolicy } from './storedPolicies.ts';
import { isModel, modelClassOf } from './writtenModel.ts';

const known = new WeakMap<SymbolicTensor, string>();

/** Returns the dtype of `tensor` in a file. */
export function writtenDtype(tensor: SymbolicTensor): string {
  // A graph may be thousands of calls deep, so dependencies are resolved first, without recursion.
  const open: SymbolicTensor[] = [tensor];
  for (let next = open.at(-1); next; next = open.at(-1)) {
    const missing = sourcesOf(next).filter((source) => !known.has(source));
    if (missing.length > 0) open.push(...missing);
    else {
      known.set(next, settle(next));
      open.pop();
    }
  }
  return known.get(tensor) as string;
}

/** Returns the tensors whose dtype decides on that of `tensor`. */
function sourcesOf(tensor: SymbolicTensor): readonly SymbolicTensor[] {
  const node = nodeOf(tensor);
  if (!node || tensor.dtype !== 'float32' || node.isInput) return [];
  const { operation } = node;
  if (storedCast(operation) !== undefined) return [];
  const index = tensor.kerasHistory?.tensorIndex ?? 0;
  if (isModel(operation) && modelClassOf(operation) === 'Functional')
    return (operation.program?.outputs ?? []).slice(index, index + 1);
  return operation instanceof Layer ? [] : node.inputTensors.filter(({ dtype }) => dtype === 'float32');
}

/** Returns the dtype that all tensors have in a file; null if they differ. */
function sharedDtype(tensors: readonly SymbolicTensor[]): string | null {
  const [first = null, ...more] = new Set(tensors.map((tensor) => known.get(tensor) as string));
  return more.length === 0 ? first : null;
}

function settle(tensor: SymbolicTensor): string {
  const operation = nodeOf(tensor)?.operation;
  if (!operation) return tensor.dtype;
  const stored = storedInputDtype(operation) ?? storedCast(operation);
  if (stored !== undefined) return stored;
  const sources = sourcesOf(tensor);
  if (sources.length > 0) return sharedDtype(sources) ?? tensor.dtype;
  if (tensor.dtype !== 'float32' || !(operation instanceof Layer) || operation.className === 'InputLayer')
    return tensor.dtype;
  const mixed = operation.dtypePolicy === 'mixedFloat16' ? 'float16' : 'float32';
  return storedPolicy(operation)?.results ?? mixed;
}
