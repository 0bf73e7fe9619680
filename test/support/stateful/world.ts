/** @file The environment of the function of a stateful program, which changes between its calls. */
import * as rg from '../../../src/index.ts';
import type { Tensor, Variable } from '../../../src/index.ts';
import { WorldLayers } from './layers.ts';
import { numbers, pick, values } from './numbers.ts';
import type { Change, Program } from './program.ts';
import { layerKinds } from './statementKinds.ts';

/** The state of one run of a program. Both runs have their own, with equal values. */
export class World {
  readonly variables: Variable[];
  readonly constants: Tensor[];
  readonly shared: Tensor;
  readonly #appBuffer: GPUBuffer;
  views: Tensor[] = [];
  /** Results of calls so far, except for those that may change. */
  readonly results: Tensor[] = [];
  inputs: Tensor[] = [];
  readonly #layers: WorldLayers | null;

  constructor(
    readonly program: Program,
    gpu: GPUDevice,
    /** Whether functions are called themselves instead of their checkpoints. */
    readonly isPlain = false,
  ) {
    const { rows, columns } = program;
    this.variables = Array.from({ length: program.variables }, (_, i) =>
      rg.variable(values([rows, columns], 11 + i)),
    );
    this.constants = [values([rows, columns], 21), values([columns], 22), rg.tensor(0.5)];
    this.#appBuffer = gpu.createBuffer({
      size: Math.max(16, rows * columns * 4),
      usage: 0x80 | 0x8 | 0x4, // STORAGE, COPY_DST, COPY_SRC
    });
    this.shared = rg.fromBuffer(this.#appBuffer, { shape: [rows, columns] });
    this.write(0, gpu);
    const hasLayers = program.statements.some(({ kind }) => layerKinds.has(kind));
    this.#layers = hasLayers ? new WorldLayers([rows, columns]) : null;
  }

  get hasLayers(): boolean {
    return this.#layers !== null;
  }

  /** For programs with statements that need them. */
  get layers(): WorldLayers {
    return this.#layers as WorldLayers;
  }

  /** Everything that calls may change. */
  get state(): readonly Variable[] {
    return [...this.variables, ...(this.#layers?.variables ?? [])];
  }

  write(seed: number, gpu: GPUDevice): void {
    gpu.queue.writeBuffer(this.#appBuffer, 0, numbers(this.program.rows * this.program.columns, seed));
  }

  dispose(): void {
    this.#appBuffer.destroy();
  }
}

function changeLayers({ dense, stateful, variables }: WorldLayers, { kind, a, b }: Change): void {
  if (kind === 'freeze or thaw a layer') dense.trainable = !dense.trainable;
  if (kind === 'reset the state of a layer') stateful.resetState();
  if (kind !== 'assign a weight') return;
  const weight = pick(
    variables.filter(({ dtype }) => dtype === 'float32'),
    a,
  );
  weight.assign(rg.abs(values([...weight.shape], b)));
}

/** Applies the changes of a world between two calls. */
export function applyChange(world: World, change: Change, gpu: GPUDevice): void {
  const { kind, a, b } = change;
  const { rows, columns } = world.program;
  const variable = pick(world.variables, a);
  if (kind === 'assign') variable.assign(values([rows, columns], b));
  if (kind === 'hold a view') world.views.push(rg.identity(variable));
  if (kind === 'let a view go') world.views.pop()?.dispose();
  if (kind === 'write to the shared buffer') world.write(b, gpu);
  if (world.hasLayers) changeLayers(world.layers, change);
  if (kind === 'compute something else') rg.tidy(() => void rg.square(rg.add(variable, b)));
}

/** Where a tensor in the arguments comes from. */
export function inputFrom(world: World, source: number, call: number): Tensor {
  const { rows, columns } = world.program;
  const kind = source % 8;
  if (kind === 0 && world.inputs.length > 0) return pick(world.inputs, source >> 3);
  if (kind === 1) return world.shared;
  if (kind === 2) return rg.identity(pick(world.variables, source >> 3));
  if (kind === 3) return rg.reshape(world.shared, { shape: [rows, columns] });
  if (kind === 4 && world.results.length > 0) return pick(world.results, source >> 3);
  const shape = pick([[rows, columns], [rows, columns], [columns], [rows, 1]], source >> 3);
  const made = values(shape, source * 7 + call);
  world.inputs.push(made);
  return made;
}
