/** @file The step engine of fused optimizers: computes clipping factors if needed, then launches the update rule. */
import {
  accumulatorState,
  averageState,
  isPresent,
  type StepKernel,
  stepKernel,
} from '../../kernels/optimizers/optimizerStep.ts';
import { withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import type { DynamicScalar } from '../../webgpu/params.ts';
import {
  chunksOf,
  clipScalesKernel,
  squareChunksKernel,
  squareChunksOf,
} from '../../kernels/optimizers/gradientNorms.ts';
import { output } from '../../kernels/launch/output.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { hasSlices, sumOfSlices } from '../../ops/indexing/slices.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { tensor } from '../../tensor/create.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { StepEngine, StepExtras, StepNumbers } from './stepEngine.ts';
import {
  type FusedLaunch,
  type FusedVariables,
  type LaunchVariable,
  readableAsVectors,
  type SlotSpec,
  type StepGradient,
  withReadableGradients,
} from './fusedVariables.ts';

/** The update rule of an optimizer, as passed to launches. */
export interface StepSettings {
  readonly kernel: StepKernel;
  /** The variant of the kernel. */
  readonly variant: string;
  /** The kernel's own parameters. */
  readonly params: Readonly<Record<string, number | DynamicScalar>>;
  /** What the rule reads of a gradient besides its values. Default 'squares'. */
  readonly reads?: 'squares' | 'sizes' | 'nothing';
}

export class FusedStepEngine implements StepEngine {
  readonly #slotNames: readonly string[];
  #firstChunks: FirstChunks | null = null;

  constructor(
    private readonly variables: FusedVariables,
    /** Slots in the groups in which `stateVariables` lists them. */
    private readonly slotGroups: readonly (readonly SlotSpec[])[],
    private readonly settings: () => StepSettings,
    private readonly numbers: StepNumbers,
    private readonly extras: StepExtras,
  ) {
    this.#slotNames = slotGroups.flat().map(({ name }) => name);
  }

  get isPacked(): boolean {
    return this.variables.isPacked;
  }

  repack(): void {
    this.variables.repack();
  }

  /** Group after group; within a group all slots of one variable, then those of the next. */
  get stateVariables(): Variable[] {
    let first = 0;
    return this.slotGroups.flatMap((group) => {
      const begin = first;
      first += group.length;
      return this.variables.all.flatMap(({ slots }) => slots.slice(begin, first));
    });
  }

  /** Runs one step. Call it in a scope that frees temporaries. */
  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    this.runWith(gradients, [])?.dispose();
  }

  /**
   * The same next to another engine, which has `others`. They belong to a norm of all gradients, and are needed if this engine has none.
   * Returns the factors that clip gradients; null unless they are clipped by norm.
   */
  runWith(gradients: ReadonlyMap<Variable, Tensor>, others: readonly Tensor[]): Tensor | null {
    const { numbers } = this;
    const { kernel, variant, params, reads = 'squares' } = this.settings();
    const { clipping, useEma, accumulating, scaled, decayed } = this.extras;
    const given = [...gradients].map(
      ([variable, gradient]) => [variable, this.#given(gradient, reads)] as const,
    );
    const launches = withReadableGradients(this.variables.launches(new Map(given)));
    const joined = others.map(readableAsVectors);
    const filler = (launches.flatMap(({ variables }) => variables).find(({ gradient }) => gradient)
      ?.gradient ?? joined[0]) as Tensor;
    const scales = this.#clipScales(launches, this.extras.clipping === 'globalNorm' ? joined : [], filler);
    const options = {
      variant,
      states: this.#slotNames,
      clipping,
      scaled,
      accumulated: accumulating,
      decayed,
      averaged: useEma,
    };
    for (const { buffers, variables, first } of launches) {
      // Without gradients only the moving average is updated.
      if (!useEma && !variables.some(isPresent)) continue;
      stepKernel(filler.device, {
        kernel,
        options: variables.some(isClippedHere) ? { ...options, clipping: 'none' } : options,
        buffers,
        variables,
        filler,
        scales: scales && { storage: scales.storage, first },
        shared: { ...numbers },
        own: params,
      });
    }
    return scales;
  }

  /**
   * What the step reads of a gradient. As in Keras, slices are clipped and squared before they are summed, and norms are those of
   * slices; a gradient that was accumulated, or clipped by the norm of all, is a sum.
   */
  #given(gradient: Tensor, reads: 'squares' | 'sizes' | 'nothing'): StepGradient {
    const { clipping, accumulating, scaled } = this.extras;
    const isPlain = accumulating || !hasSlices(gradient) || (clipping === 'none' && reads === 'nothing');
    if (isPlain) return { gradient, sliceSums: null, withNorm: null, isClipped: false };
    const isClipped = clipping === 'value';
    const limit = this.numbers.clip * (scaled ? this.numbers.loss_scale : 1);
    const clipped = (x: Tensor) => (isClipped ? clip(x, { min: -limit, max: limit }) : x);
    const size = reads === 'sizes' ? abs : square;
    const readsSums = reads !== 'nothing' && clipping !== 'globalNorm';
    const isNormed = clipping === 'norm' || clipping === 'globalNorm';
    return {
      gradient: isClipped ? sumOfSlices(gradient, clipped) : gradient,
      sliceSums: readsSums ? sumOfSlices(gradient, (x) => size(clipped(x))) : null,
      withNorm: isNormed ? sqrt(sumOfSlices(gradient, square)) : null,
      isClipped,
    };
  }

  /** Factors that clip gradients by norm, in launch order; null for other kinds of clipping. */
  #clipScales(launches: readonly FusedLaunch[], others: readonly Tensor[], filler: Tensor): Tensor | null {
    const { numbers } = this;
    const { clipping, accumulating, scaled } = this.extras;
    if (clipping !== 'norm' && clipping !== 'globalNorm') return null;
    const { device } = filler;
    this.#firstChunks ??= firstChunks(device, this.variables.inLaunchOrder);
    const { table, starts } = this.#firstChunks;
    const own = starts.at(-1) as number;
    const chunks = others.reduce((sum, { size }) => sum + chunksOf(size), own);
    const sums = output(device, { shape: [chunks], dtype: 'float32' }, 'optimizer');
    for (const { buffers, variables, first } of launches) {
      squareChunksKernel(device, {
        buffers,
        variables: variables.map((variable) => ({
          ...variable,
          gradient: variable.withNorm ?? variable.gradient,
        })),
        filler,
        lossScale: scaled ? numbers.loss_scale : null,
        accumulation: accumulating
          ? { role: 1 + this.#slotNames.indexOf(accumulatorState), steps: numbers.accumulation_steps }
          : null,
        sums: sums.storage,
        firstChunk: starts[first] as number,
      });
    }
    let firstChunk = own;
    for (const gradient of others) {
      squareChunksOf(gradient, sums.storage, firstChunk);
      firstChunk += chunksOf(gradient.size);
    }
    const count = clipping === 'norm' ? starts.length - 1 : 1;
    const spec = { shape: clipping === 'norm' ? [count] : [], dtype: 'float32' } as const;
    const scales = output(device, spec, 'optimizer');
    clipScalesKernel(device, {
      sums: sums.storage,
      chunks,
      firstChunks: clipping === 'norm' ? table.storage : null,
      count,
      clip: numbers.clip,
      scales: scales.storage,
    });
    sums.dispose();
    return scales;
  }

  averageOf(variable: Variable): Variable | null {
    const index = this.#slotNames.indexOf(averageState);
    return this.variables.all.find((fused) => fused.variable === variable)?.slots[index] ?? null;
  }

  dispose(): void {
    this.variables.dispose();
    this.#firstChunks?.table.dispose();
  }
}

/** Whether a launch updates a variable whose slices have been clipped. It updates no other then. */
function isClippedHere({ isClipped, skipped }: LaunchVariable): boolean {
  return isClipped && !skipped;
}

/** Where the chunk sums of each gradient start, in launch order, and where the last ones end. */
interface FirstChunks {
  readonly starts: readonly number[];
  readonly table: Tensor;
}

function firstChunks(device: Device, variables: readonly Variable[]): FirstChunks {
  const starts = [0];
  for (const { size } of variables) starts.push((starts.at(-1) as number) + chunksOf(size));
  const table = withDevice(device, () => keep(tensor(Uint32Array.from(starts))));
  return { starts, table };
}
