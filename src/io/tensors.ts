/** @file Saves and loads named tensors. */
import { requireOptions } from '../core/arguments.ts';
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { tidy } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { type HostTensor, hostTensorOf, uploadLoaded } from '../formats/hostTensor.ts';
import {
  type FileBytes,
  type ReadOptions,
  readSafetensors,
  writeSafetensors,
} from '../formats/safetensors/index.ts';

/** Reads back tensors and saves them as a safetensors file, with metadata. */
export async function saveTensors(
  tensors: Readonly<Record<string, Tensor>> | ReadonlyMap<string, Tensor>,
  metadata: Readonly<Record<string, string>> = {},
): Promise<Uint8Array<ArrayBuffer>> {
  requireOptions('saveTensors', tensors);
  requireOptions('saveTensors', metadata);
  const entries = tensors instanceof Map ? [...tensors] : Object.entries(tensors);
  requireTensors(entries);
  const values = await Promise.all(entries.map(([, t]) => hostTensorOf(t)));
  return writeSafetensors(new Map(entries.map(([name], i) => [name, values[i] as HostTensor])), metadata);
}

/**
 * Loads the tensors of a safetensors file onto the device. They have no history, but `explainHistory` knows their file.
 * Errors: FormatError for an invalid file.
 */
export function loadTensors(file: FileBytes, options: ReadOptions = {}): Map<string, Tensor> {
  const { tensors } = readSafetensors(file, options);
  const name = options.file ?? 'file';
  // If an upload fails, the scope frees the earlier ones.
  const uploaded = tidy(() => [...tensors].map(([, value]) => uploadLoaded(value, name)));
  return new Map([...tensors.keys()].map((key, i) => [key, uploaded[i] as Tensor]));
}

function requireTensors(entries: readonly (readonly [name: unknown, value: unknown])[]): void {
  const wrong = entries.find(([name, value]) => typeof name !== 'string' || !(value instanceof Tensor));
  if (!wrong) return;
  throw new ValueError({
    op: 'saveTensors',
    rule: 'it takes tensors by name.',
    received: `${describe(wrong[0])}: ${describe(wrong[1])}`,
    hint: 'pass { name: tensor }; arrays of the host go to writeSafetensors.',
  });
}
