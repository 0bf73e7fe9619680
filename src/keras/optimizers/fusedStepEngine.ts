/** @file Does the steps of an optimizer: measures gradients where they are clipped by length, then launches the rule. */
import {
  accumulatorState,
  averageState,
  isPresent,
  type StepKernel,
  stepKernel,
  type StepMember,
} from '../../kernels/optimizerStep.ts';
import { type Device, withDevice } from '../../webgpu/device.ts';
import type { DynamicScalar } from '../../webgpu/params.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import { chunksOf, clipScalesKernel, squareChunksKernel } from '../../kernels/gradientNorms.ts';
import { sqrt } from '../../ops/unary.ts';
import { tensor } from '../../tensor/create.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { StepEngine, StepExtras, StepNumbers } from './stepEngine.ts';
import { type Members, type StateSpec, type Unit, withReadableGradients } from './fusedVariables.ts';

/** The rule of an optimizer, as launches take it. */
export interface StepSettings {
  readonly kernel: StepKernel;
  /** What varies within one kind. */
  readonly variant: string;
  /** The kernel's own parameters. */
  readonly params: Readonly<Record<string, number | DynamicScalar>>;
}

/** Moves variables by the rule of a kernel. */
export class Stepper implements StepEngine {
  /** Names of the states, in their order. */
  readonly #states: readonly string[];
  #firstChunks: FirstChunks | null = null;

  constructor(
    private readonly members: Members,
    private readonly passes: readonly (readonly StateSpec[])[],
    private readonly settings: () => StepSettings,
    private readonly numbers: StepNumbers,
    private readonly extras: StepExtras,
  ) {
    this.#states = passes.flat().map(({ name }) => name);
  }

  get settled(): boolean {
    return this.members.settled;
  }

  settle(): void {
    this.members.settle();
  }

  /** States of a pass stand side by side for each variable; passes follow each other. */
  get stateVariables(): Variable[] {
    let first = 0;
    return this.passes.flatMap((pass) => {
      const begin = first;
      first += pass.length;
      return this.members.list.flatMap(({ states }) => states.slice(begin, first));
    });
  }

  /** One step. Call it in a scope that frees what is made on the way. */
  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    const { numbers } = this;
    const { kernel, variant, params } = this.settings();
    const { clipping, useEma, accumulating, scaled, decayed } = this.extras;
    // Earlier gradients that were added up, and values that were clipped, have no slices.
    const squares = !accumulating && clipping !== 'value';
    const units = withReadableGradients(this.members.units(gradients, squares));
    const filler = units.flatMap(({ members }) => members).find(({ gradient }) => gradient)
      ?.gradient as Tensor;
    const scales = this.#clipScales(units, filler);
    const options = {
      variant,
      states: this.#states,
      clipping,
      scaled,
      accumulated: accumulating,
      decayed,
      averaged: useEma,
    };
    for (const { place, members, first } of units) {
      // Without a gradient, a running average alone goes on.
      if (!useEma && !members.some(isPresent)) continue;
      stepKernel(filler.device, {
        kernel,
        options,
        place,
        members,
        filler,
        scales: scales && { storage: scales, first },
        shared: { ...numbers },
        own: params,
      });
    }
    scales?.release();
  }

  /** The factors that clip gradients by their lengths, by the members' numbers; null where lengths don't matter. */
  #clipScales(units: readonly Unit[], filler: Tensor): Storage | null {
    const { numbers } = this;
    const { clipping, accumulating, scaled } = this.extras;
    if (clipping !== 'norm' && clipping !== 'globalNorm') return null;
    const { device } = filler;
    this.#firstChunks ??= firstChunks(device, this.members.numbered);
    const { table, starts } = this.#firstChunks;
    const chunks = starts.at(-1) as number;
    const sums = device.allocate(4 * chunks, 'optimizer');
    for (const { place, members, first } of units) {
      squareChunksKernel(device, {
        place,
        members: members.map(withLengthOfSlices),
        filler,
        lossScale: scaled ? numbers.loss_scale : null,
        accumulation: accumulating
          ? { role: 1 + this.#states.indexOf(accumulatorState), steps: numbers.accumulation_steps }
          : null,
        sums,
        firstChunk: starts[first] as number,
      });
    }
    const count = clipping === 'norm' ? starts.length - 1 : 1;
    const scales = device.allocate(4 * count, 'optimizer');
    clipScalesKernel(device, {
      sums,
      chunks,
      firstChunks: clipping === 'norm' ? table.storage : null,
      count,
      clip: numbers.clip,
      scales,
    });
    sums.release();
    return scales;
  }

  /** Variables take the values of their running averages. */
  takeAverages(variables: readonly Variable[]): void {
    const index = this.#states.indexOf(averageState);
    for (const { variable, states } of this.members.list) {
      if (!variables.includes(variable) || variable.disposed) continue;
      const average = states[index] as Variable;
      const own = variable.device.allocate(variable.bytes, variable.label);
      variable.device.copy(average.storage, own, wholeWords(variable.bytes));
      void variable.storage;
      variable.adopt(own);
    }
  }

  dispose(): void {
    this.members.dispose();
    this.#firstChunks?.table.dispose();
  }
}

/** A sum of slices is as long as the slices beside each other. */
function withLengthOfSlices(member: StepMember): StepMember {
  return member.squares ? { ...member, gradient: sqrt(member.squares) } : member;
}

/** Where the sums of each gradient begin, by the members' numbers, and where the last one's end. */
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
