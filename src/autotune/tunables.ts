/**
 * @file The autotuner's view of the tunables of kernels, tiles of a GEMM and algorithms of a convolution: keys, descriptions,
 * and launches of trials.
 */
import type { OperandLayout } from '../../shaders/gemm.ts';
import type { DType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import type { Device } from '../webgpu/device.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { conv2dOperands, type Conv2dProblem, conv2dResult } from '../kernels/convolution/conv2dCall.ts';
import type { GemmAlgorithm } from '../kernels/gemm/gemmAlgorithm.ts';
import type { GemmProblem } from '../kernels/gemm/gemmProblem.ts';
import { gemmAlgorithms } from '../kernels/gemm/gemmAlgorithms.ts';
import { kernels } from '../kernels/loading/loadKernels.ts';
import { output } from '../kernels/launch/output.ts';
import { sizeClass, type Trials, type TuningTask } from './tuningTask.ts';
import { type Conv2dAlgorithm, conv2dAlgorithms } from '../kernels/convolution/conv2dAlgorithm.ts';
import type { Tunable } from '../webgpu/autotuner.ts';
import { variantName } from '../kernels/selection/variantBlocklist.ts';
import { type DeviceProfile, profileOf } from '../kernels/selection/deviceProfile.ts';

const layoutText = ({ major, width, float16 }: OperandLayout) => `${major}${width}${float16 ? 'h' : ''}`;

const names = { forward: 'conv2d', inputGrad: 'conv2dInputGrad', filterGrad: 'conv2dFilterGrad' };

const nameOf = ({ conv2d }: GemmProblem) => (conv2d ? names[conv2d.direction] : 'matMul');

const gemmTrials: Trials<GemmProblem, GemmAlgorithm> = {
  algorithms: gemmAlgorithms,

  key(problem) {
    const { dtype, size, a, b, outWidth } = problem;
    const { m, n, segments, length, slices } = size;
    const sizes = [m, n, length, segments, slices].map(sizeClass).join(' ');
    return `${nameOf(problem)} ${dtype} ${sizes} ${layoutText(a)} ${layoutText(b)} ${outWidth}`;
  },

  describe(problem) {
    const { m, n, segments, length, slices } = problem.size;
    const k = segments > 1 ? `${segments} · ${length}` : `${length}`;
    return `tile of ${nameOf(problem)}, ${slices > 1 ? `${slices} times ` : ''}${m} × ${n}, k ${k}`;
  },

  launch(device, problem, algorithm) {
    if (problem.conv2d) launchConv2d(device, problem.conv2d, problem, algorithm);
    else launchMatMul(device, problem, algorithm);
  },
};

function launchConv2d(
  device: Device,
  conv2d: Conv2dProblem,
  problem: GemmProblem,
  algorithm: GemmAlgorithm,
): void {
  const op = 'tune';
  const [a, b] = conv2dOperands(conv2d).map((spec) => output(device, spec, op)) as [Tensor, Tensor];
  kernels().launchImplicitGemm(conv2d, { op, a, b, spec: conv2dResult(conv2d), problem, algorithm });
}

function launchMatMul(device: Device, problem: GemmProblem, algorithm: GemmAlgorithm): void {
  const { dtype, size, a, b } = problem;
  const { m, n, length: k, slices } = size;
  const batch = slices > 1 ? [slices] : [];
  const matrices = (shape: Shape, { float16 }: OperandLayout, transposed: boolean) => {
    const stored: DType = float16 ? 'float16' : dtype;
    return {
      values: output(device, { shape: [...batch, ...shape], dtype: stored }, 'tune'),
      batch,
      transposed,
    };
  };
  const call = {
    op: 'tune',
    a: matrices([m, k], a, a.major === 'mn'),
    b: matrices([k, n], b, b.major === 'k'),
    sizes: { m, n, k, batch },
    spec: { shape: [...batch, m, n], dtype },
  };
  kernels().launchMatMul(call, problem, algorithm);
}

const directions = {
  forward: 'conv2d',
  inputGrad: 'conv2d, image gradient',
  filterGrad: 'conv2d, kernel gradient',
};

const conv2dTrials: Trials<Conv2dProblem, Conv2dAlgorithm> = {
  algorithms: conv2dAlgorithms,

  key({ direction, geometry: { batch, rows, columns, inputs, outputs, groups }, dtypes }) {
    const pixels = [batch, rows.output, columns.output, inputs, outputs].map(sizeClass).join(' ');
    const windows = [rows, columns].map(({ window, stride, dilation }) => `${window}/${stride}/${dilation}`);
    const widths = [inputs, outputs].map((channels) => (channels % 4 === 0 ? 4 : 1));
    return `${direction} ${dtypes.join(' ')} ${pixels} ${windows.join(' ')} ${groups} ${widths.join(' ')}`;
  },

  describe({ direction, geometry: { batch, rows, columns, inputs, outputs } }) {
    const images = `${batch > 1 ? `${batch} times ` : ''}${rows.input} × ${columns.input}`;
    const kernel = `kernel ${rows.window} × ${columns.window}`;
    return `${directions[direction]} of ${images}, ${inputs} to ${outputs} channels, ${kernel}`;
  },

  launch(device, problem, algorithm) {
    const op = 'tune';
    const [a, b] = conv2dOperands(problem).map((spec) => output(device, spec, op)) as [Tensor, Tensor];
    kernels().launchConv2d({ op, problem, algorithm, a, b, spec: conv2dResult(problem), epilogue: {} });
  },
};

/** By the name of the tunable, which determines the types. */
const known: Readonly<Record<string, Trials<never, unknown> | undefined>> = {
  conv2d: conv2dTrials,
  gemm: gemmTrials,
};

function trialsOf<P extends object, A>({ name }: Tunable<P, A>): Trials<P, A> | undefined {
  return known[name] as Trials<P, A> | undefined;
}

/** Returns the key of a problem; null if its tunable can't be measured. */
export function keyOf<P extends object, A>(tunable: Tunable<P, A>, problem: P): string | null {
  const trials = trialsOf(tunable);
  return trials ? `${tunable.name}: ${trials.key(problem)}` : null;
}

/** Returns the algorithm named `name`; null if there is none. */
export function algorithmNamed<P extends object, A>(
  profile: DeviceProfile,
  tunable: Tunable<P, A>,
  problem: P,
  name: string,
): A | null {
  const candidates = trialsOf(tunable)?.algorithms(problem, profile);
  return candidates?.find((candidate) => candidate.name === name)?.algorithm ?? null;
}

/** Returns a problem with its candidates; null if its tunable can't be measured. */
export function taskOf<P extends object, A>(
  device: Device,
  tunable: Tunable<P, A>,
  problem: P,
): TuningTask<A> | null {
  const trials = trialsOf(tunable);
  if (!trials) return null;
  const profile = profileOf(device);
  const { blocklist } = device;
  const isBlocked = (name: string) => blocklist?.names.has(variantName(tunable.name, name)) ?? false;
  const all = trials.algorithms(problem, profile);
  const allowed = all.filter(({ name }) => !isBlocked(name));
  const usual = tunable.select(problem, profile);
  const chosen = blocklist?.alternative(tunable, problem, usual) ?? usual;
  // If all that are worth measuring are blocked, take the alternative.
  const candidates =
    allowed.length > 0 ? allowed : [{ name: 'alternative', algorithm: chosen, cost: null, rank: 0 }];
  const text = JSON.stringify(chosen);
  const selected = candidates.find(({ algorithm }) => JSON.stringify(algorithm) === text);
  if (!selected) throw new TypeError(`${tunable.name} selects an algorithm that it doesn't list: ${text}`);
  return {
    key: `${tunable.name}: ${trials.key(problem)}`,
    what: trials.describe(problem),
    candidates,
    selected,
    launch: (algorithm) => trials.launch(device, problem, algorithm),
  };
}
