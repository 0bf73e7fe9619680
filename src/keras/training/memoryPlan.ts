/**
 * @file Chooses which layers of a model are computed again in the backward pass, so that a training step takes at most so many bytes:
 * those that save the most, until the estimate is small enough. Sizes are those of a step that runs dry.
 */
import { isFloating } from '../../core/dtype.ts';
import { readByGradient } from '../../ops/define/definition.ts';
import {
  nextRecording,
  type RecordedCall,
  type Recorder,
  withRecorders,
} from '../../ops/define/recorders.ts';
import { withoutLaunching } from '../../ops/define/withoutLaunching.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { currentCall } from '../layers/base/callContext.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import type { AnyBatch } from './batch.ts';
import type { MemoryPlan } from './memoryOption.ts';
import { recomputeCalls } from './remat.ts';

/** A layer that may run again: what its calls keep for gradients, and which part of it they keep also if they run again. */
interface Block {
  readonly layer: BlockLayer;
  kept: number;
  outputs: number;
}

interface BlockLayer {
  readonly name: string;
  readonly layers?: readonly BlockLayer[];
}

/** The part of a model that a plan needs. */
export interface PlannedModel {
  readonly weights: readonly Variable[];
  readonly trainableWeights: readonly Variable[];
  apply(inputs: AnyBatch['x'], options: { training: boolean }): unknown;
  clearLosses(): void;
}

/** Chooses the layers for a batch, and has them run again. */
export function planMemory(
  model: PlannedModel,
  { x }: AnyBatch,
  optimizer: Optimizer,
  budget: number,
): MemoryPlan {
  const blocks = blocksOf(model as unknown as BlockLayer).map(
    (layer): Block => ({ layer, kept: 0, outputs: 0 }),
  );
  for (const { layer } of blocks) recomputeCalls(layer, false);
  const measured = new Measurement(model, blocks);
  withoutLaunching(() =>
    withRecorders([measured], () => tidy(() => void model.apply(x, { training: true }))),
  );
  model.clearLosses();
  const bytesOf = (tensors: readonly { readonly bytes?: number; readonly size: number }[]) =>
    tensors.reduce((sum, { bytes, size }) => sum + (bytes ?? 4 * size), 0);
  // A gradient for each trainable weight.
  const parameters = bytesOf(model.weights) + bytesOf(model.trainableWeights) + bytesOf(optimizer.variables);
  const apart = measured.outside;
  const kept = (again: ReadonlySet<Block>) => parameters + apart + peakOf(blocks, again);
  const chosen = new Set<Block>();
  const inOrder = blocks.filter((block) => saving(block) > 0).sort((a, b) => saving(b) - saving(a));
  let best = new Set(chosen);
  for (const block of inOrder) {
    if (kept(best) <= budget) break;
    chosen.add(block);
    if (kept(chosen) < kept(best)) best = new Set(chosen);
  }
  for (const { layer } of best) recomputeCalls(layer, true);
  const recomputed = blocks
    .filter((block) => best.has(block))
    .map((block) => ({ layer: block.layer.name, saved: saving(block) }));
  const plan = { budget, estimate: kept(best), estimateWithout: kept(new Set()), recomputed };
  const text = textOf(plan, parameters);
  if (plan.estimate > budget) console.warn(`retrograd: ${text}`);
  return { ...plan, text };
}

/** The largest number of bytes that are kept at once, if `again` run again. Gradients are computed from the last block to the first. */
function peakOf(blocks: readonly Block[], again: ReadonlySet<Block>): number {
  let [before, peak] = [0, 0];
  for (const block of blocks) {
    before += again.has(block) ? block.outputs : block.kept;
    if (again.has(block)) peak = Math.max(peak, before + block.kept);
  }
  return Math.max(peak, before);
}

function saving({ kept, outputs }: Block): number {
  return kept - outputs;
}

/** The layers of a model, and of models inside it. */
function blocksOf(model: BlockLayer): BlockLayer[] {
  const isModel = (layer: BlockLayer) => 'trainStep' in layer;
  return [...new Set((model.layers ?? []).flatMap((layer) => (isModel(layer) ? blocksOf(layer) : [layer])))];
}

/** Adds up what calls keep for gradients, by the layers that they are inside of. */
class Measurement implements Recorder {
  readonly recording = nextRecording();
  /** Bytes that calls outside of all layers keep. */
  outside = 0;
  readonly #blocks: ReadonlyMap<object, Block>;
  readonly #connected: Set<number>;
  readonly #counted = new Set<number>();
  /** Tensors, by the layers that made them, which a later call may keep. */
  readonly #makers = new Map<number, Block | null>();

  constructor(model: PlannedModel, blocks: readonly Block[]) {
    this.#blocks = new Map(blocks.map((block) => [block.layer, block]));
    this.#connected = new Set(model.trainableWeights.map(({ id }) => id));
  }

  follows({ id }: Tensor): boolean {
    return this.#connected.has(id);
  }

  record({ op, inputs, outputs, plan }: RecordedCall): void {
    const block = this.#current();
    for (const { id } of outputs) this.#makers.set(id, block);
    const needs = inputs.map((input) => input !== null && this.#connected.has(input.id));
    if (!needs.includes(true) || op.backward === null || !outputs.some(({ dtype }) => isFloating(dtype)))
      return;
    for (const { id } of outputs) this.#connected.add(id);
    const reads = readByGradient(op, needs, plan);
    for (const [i, input] of inputs.entries()) if (reads.input(i)) this.#keep(input, block);
    for (const [i, output] of outputs.entries()) if (reads.output(i)) this.#keep(output, block);
  }

  #keep(tensor: Tensor | null, reader: Block | null): void {
    if (!tensor || tensor instanceof Variable || this.#counted.has(tensor.id)) return;
    this.#counted.add(tensor.id);
    const maker = this.#makers.get(tensor.id);
    const bytes = tensor.size * 4;
    // A block that runs again keeps its inputs, which others have made.
    const owner = maker ?? reader;
    if (!owner) this.outside += bytes;
    else owner.kept += bytes;
    if (owner && maker !== reader) owner.outputs += bytes;
  }

  #current(): Block | null {
    for (let call = currentCall(); call; call = call.outer) {
      const found = this.#blocks.get(call.layer);
      if (found) return found;
    }
    return null;
  }
}

function textOf(
  { budget, estimate, estimateWithout, recomputed }: Omit<MemoryPlan, 'text'>,
  parameters: number,
): string {
  const sizes = `${megabytes(parameters)} are weights, their gradients and the optimizer`;
  if (recomputed.length === 0) {
    const isEnough = estimate <= budget;
    return `a training step takes ${megabytes(estimate)} of ${megabytes(budget)}, of which ${sizes}: ${isEnough ? 'no layer runs again' : 'no layer would take less if it ran again'}.`;
  }
  const list = recomputed.map(({ layer, saved }) => `'${layer}' (${megabytes(saved)} less)`).join(', ');
  const isOver = estimate > budget ? '; all layers together save no more: use smaller batches' : '';
  return `a training step would take ${megabytes(estimateWithout)}, and ${megabytes(budget)} are allowed; ${sizes}. These layers run again in the backward pass, those that save the most first: ${list}. That leaves ${megabytes(estimate)}${isOver}.`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
