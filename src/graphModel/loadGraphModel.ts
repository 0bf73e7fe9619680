/** @file Loads a graph model of TF.js: model.json with its shards. */
import { checkOptions, type OptionNames } from '../core/options.ts';
import { FormatError } from '../core/errors.ts';
import { sizeOf } from '../core/shape.ts';
import type { ByteSource } from '../formats/byteSource.ts';
import type { FileContext } from '../formats/formatErrors.ts';
import { uploadLoaded } from '../formats/hostTensor.ts';
import { readWhole, type StoredTensor } from '../formats/storedTensor.ts';
import { isObject, type JsonObject } from '../keras/json/document.ts';
import type { LoadProgress } from '../keras/saving/fileOptions.ts';
import { openSiblings, readJson } from '../keras/saving/jsonFile.ts';
import { Transfer } from '../keras/saving/upload.ts';
import { type FileSource, openSource, type OpenOptions } from '../storage/sources.ts';
import { getDevice } from '../webgpu/current.ts';
import { type Flow, nodesOf } from './flow.ts';
import { isCaller, readFunctions, requireFinite } from './functions.ts';
import { type GraphNode, readNodes, sourceOf } from './graphDef.ts';
import { GraphModel, type Port } from './graphModel.ts';
import { maxHostValues } from './hostValues.ts';
import { loopsOf } from './loops.ts';
import { opNamed } from './ops/index.ts';
import { Value } from './value.ts';

/** Options of `loadGraphModel`. */
export interface LoadGraphModelOptions extends OpenOptions {
  /** Called with the number of bytes that have arrived, and the total. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

const optionNames: OptionNames<LoadGraphModelOptions> = { file: false, signal: false, onProgress: false };

/**
 * Loads a graph model of TF.js (`tf.loadGraphModel`): a model.json with a graph of TensorFlow's operations, and its shards, as a URL, a
 * path, a folder or a list of files. Such files come from SavedModels and TF Hub; they have no layers.
 *
 *     const net = await loadGraphModel('movenet/model.json');
 *     const points = net.predict(image);
 *
 * Weights go to the device one by one; float16 and quantized ones are widened.
 * Errors: FormatError for a damaged file, and one with operations that aren't supported, which it names; nothing is left then.
 */
export async function loadGraphModel(
  given: FileSource,
  options: LoadGraphModelOptions = {},
): Promise<GraphModel> {
  checkOptions('loadGraphModel', options, optionNames);
  const source = await openSource(given, options);
  try {
    return await load(source, options);
  } finally {
    await source.close?.();
  }
}

async function load(source: ByteSource, options: LoadGraphModelOptions): Promise<GraphModel> {
  const json = await readJson(source);
  const file = source.name;
  const { modelTopology: topology, weightsManifest: manifest } = json;
  if (!isObject(topology) || !('node' in topology) || manifest === undefined) throw notAGraph(file, json);
  const nodes = readNodes(topology, file);
  const ports = portsOf(json, nodes, file);
  const functions = readFunctions(topology, file);
  const graphs = [nodes, ...[...functions.values()].map((one) => one.nodes)];
  const flow: Flow = { functions, loops: new Map(graphs.flatMap((one) => [...loopsOf(one.values())])) };
  const needed = nodesOf(
    ports.outputs.map(({ source: { node } }) => node),
    flow,
  );
  requireSupported(needed, file);
  requireFinite(needed, functions, file);
  const constants = graphs.flatMap((one) => [...one.values()]).filter(({ op }) => op === 'Const');
  const { readManifest } = await import('../formats/tfjs/index.ts');
  return openSiblings(source, async (shards) => {
    const context: FileContext = { file, format: 'TF.js graph model' };
    const { model } = await readManifest(manifest, (path) => shards.open(path), context);
    // A file may have functions that nothing calls, without their constants.
    const isNeeded = (node: GraphNode) => nodes.has(node.name) || needed.has(node) || model.has(node.name);
    try {
      return new GraphModel({
        file,
        nodes,
        ...ports,
        flow,
        weights: await upload(constants.filter(isNeeded), model, file, options),
      });
    } finally {
      await shards.close();
    }
  });
}

/** Reads the values of all constants. */
async function upload(
  constants: readonly GraphNode[],
  stored: ReadonlyMap<string, StoredTensor>,
  file: string,
  options: LoadGraphModelOptions,
): Promise<Map<GraphNode, Value>> {
  const values = constants.map((node) => storedValues(node, stored));
  const isSmall = ({ shape }: StoredTensor) => sizeOf(shape) <= maxHostValues;
  const transfer = new Transfer(
    values.filter((value) => !isSmall(value)),
    { ...options, file },
  );
  const device = getDevice();
  const weights = new Map<GraphNode, Value>();
  try {
    for (const [i, node] of constants.entries()) {
      const from = values[i] as StoredTensor;
      options.signal?.throwIfAborted();
      // Axes, sizes and shapes: the host needs them at each run.
      const host = isSmall(from) ? await readWhole(from) : null;
      const made = host ? uploadLoaded(host, file) : (await transfer.upload(from, device)).tensor;
      const value = new Value(made, false);
      if (host) value.host = { ...host, values: Array.from(host.data) };
      weights.set(node, value);
    }
  } catch (error) {
    for (const value of weights.values()) value.tensor.dispose();
    throw error;
  }
  return weights;
}

function storedValues(
  { name, attributes }: GraphNode,
  stored: ReadonlyMap<string, StoredTensor>,
): StoredTensor {
  const found = stored.get(name);
  if (found) return found;
  throw new FormatError({
    op: attributes.place,
    rule: 'a constant has its values among the weights.',
    received: `none called '${name}'`,
    hint: 'the shards are of another model: fetch all files again.',
  });
}

/** The inputs and outputs: those of the signature, or else what isn't computed, and what nothing reads. */
function portsOf(
  json: JsonObject,
  nodes: ReadonlyMap<string, GraphNode>,
  file: string,
): { inputs: Port[]; outputs: Port[] } {
  const {
    userDefinedMetadata: metadata,
    signature = isObject(metadata ?? null) ? (metadata as JsonObject).signature : null,
  } = json;
  const named = (given: unknown): Port[] =>
    isObject(given as never)
      ? Object.entries(given as JsonObject).flatMap(([key, entry]) => {
          const name = isObject(entry) && typeof entry.name === 'string' ? entry.name : key;
          const source = sourceOf(name, nodes);
          if (source) return [portOf(key, source)];
          // Converters leave out inputs that nothing reads.
          if (given === signed.inputs) return [];
          throw new FormatError({
            op: file,
            rule: 'the outputs of the signature are nodes of the graph.',
            received: `'${name}'`,
            hint: 'the file is damaged or not of TF.js: convert the model again.',
          });
        })
      : [];
  const signed = isObject(signature ?? null) ? (signature as JsonObject) : {};
  const all = [...nodes.values()];
  const ports = (found: readonly GraphNode[]) => found.map((node) => portOf(node.name, { node, index: 0 }));
  const inputs = named(signed.inputs);
  const outputs = named(signed.outputs);
  const read = new Set(all.flatMap((node) => node.inputs.map(({ node: source }) => source)));
  return {
    inputs: inputs.length > 0 ? inputs : ports(all.filter(({ op }) => op === 'Placeholder')),
    outputs:
      outputs.length > 0
        ? outputs
        : ports(all.filter((node) => !read.has(node) && !/^(NoOp|Const)$/.test(node.op))),
  };
}

function portOf(name: string, source: Port['source']): Port {
  const { node } = source;
  const isPlaceholder = node.op.startsWith('Placeholder');
  return {
    name,
    node: node.name,
    source,
    shape: isPlaceholder ? node.attributes.shape('shape') : null,
    dtype: isPlaceholder ? node.attributes.dtype('dtype') : null,
  };
}

/** What a run does by itself. */
const ofRuns = /^(?:Const|Placeholder|Switch|Merge|Exit)$/;

function requireSupported(nodes: ReadonlySet<GraphNode>, file: string): void {
  const unknown = [...nodes].filter((node) => !ofRuns.test(node.op) && !isCaller(node) && !opNamed(node.op));
  const names = new Set(unknown.map(({ op }) => op));
  if (names.size === 0) return;
  throw new FormatError({
    op: file,
    rule: 'a graph has operations that Retrograd computes.',
    received: [...names].join(', '),
    hint: 'convert the model without what is around its network, such as the decoding of pictures, and compute that in JavaScript.',
  });
}

function notAGraph(file: string, json: JsonObject): FormatError {
  const isLayers = isObject(json.modelTopology ?? null);
  return new FormatError({
    op: file,
    rule: 'a graph model of TF.js is a model.json with a graph of nodes and its weightsManifest.',
    received: isLayers ? 'a layers model' : 'other JSON',
    hint: isLayers ? 'call loadModel.' : 'pass the model.json that the converter wrote.',
  });
}
