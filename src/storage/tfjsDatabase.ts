/**
 * @file Models that TF.js stores in IndexedDB, each a record with its description and its weights, read as if they were
 * files.
 */
import { blobSource, type ByteSource, bytesSource } from '../formats/byteSource.ts';

const database = 'tensorflowjs';
const models = 'models_store';
const weightsName = 'weights.bin';

/** TF.js's record of a model. */
interface ModelRecord {
  readonly modelArtifacts: {
    readonly weightSpecs?: unknown;
    readonly weightData?: ArrayBuffer | readonly ArrayBuffer[];
    readonly [key: string]: unknown;
  };
}

/** Returns the model that TF.js saved as `indexeddb://<path>`, as a model.json called `name`; null if there is none. */
export async function openTfjsModel(path: string, name: string): Promise<ByteSource | null> {
  const record = await recordOf(path);
  if (!record) return null;
  const { weightSpecs = [], weightData = [], ...rest } = record.modelArtifacts;
  const json = { ...rest, weightsManifest: [{ paths: [weightsName], weights: weightSpecs }] };
  const weights = new Blob(weightData instanceof ArrayBuffer ? [weightData] : [...weightData]);
  return {
    ...bytesSource(new TextEncoder().encode(JSON.stringify(json)), name),
    sibling: async (other) => blobSource(weights, other),
  };
}

async function recordOf(path: string): Promise<ModelRecord | null> {
  const opened = await openExisting();
  if (!opened) return null;
  try {
    if (!opened.objectStoreNames.contains(models)) return null;
    const request = opened.transaction(models, 'readonly').objectStore(models).get(path);
    return await new Promise<ModelRecord | null>((resolve, reject) => {
      request.onsuccess = () => resolve((request.result as ModelRecord | undefined) ?? null);
      request.onerror = () => reject(request.error);
    });
  } finally {
    opened.close();
  }
}

/** Returns the database of TF.js, if the site has one; it isn't created. */
async function openExisting(): Promise<IDBDatabase | null> {
  const request = indexedDB.open(database);
  request.onupgradeneeded = () => request.transaction?.abort();
  return new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(null);
  });
}
