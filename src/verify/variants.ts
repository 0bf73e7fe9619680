/** @file The variants of kernels that a profile may choose, each with its checks and the way to force it. */
import type { Autotuner, Tunable } from '../webgpu/autotuner.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceProfile } from '../kernels/selection/deviceProfile.ts';
import { variantName } from '../kernels/selection/variantBlocklist.ts';
import {
  allowsCol2im,
  allowsWinograd,
  type Conv2dAlgorithm,
  conv2dName,
  conv2dTunable,
} from '../kernels/convolution/conv2dAlgorithm.ts';
import type { Conv2dProblem } from '../kernels/convolution/conv2dCall.ts';
import { gpuKernels } from '../kernels/loading/gpuKernels.ts';
import { gemmTunable, onTile } from '../kernels/gemm/gemmAlgorithm.ts';
import { tiledAlgorithms, tileName } from '../kernels/gemm/gemmAlgorithms.ts';
import type { GemmProblem } from '../kernels/gemm/gemmProblem.ts';
import { gemmTiles } from '../kernels/gemm/gemmTiles.ts';
import { subgroupMatrixTile } from '../kernels/gemm/matrixTiles.ts';
import { softwareKernels } from '../kernels/loading/softwareKernels.ts';
import { type ProfilePart, withoutPart } from '../kernels/selection/profileParts.ts';
import type { Check } from './check.ts';
import {
  elementwiseOps,
  gathers,
  groupings,
  movements,
  pools,
  resizes,
  scatters,
  transposes,
} from './checks/elements.ts';
import { lines, reductions } from './checks/reductions.ts';
import {
  depthwiseConvolutions,
  fewChannelConvolutions,
  implicitGemms,
  matMuls,
  patchConvolutions,
  rowProducts,
  winogradConvolutions,
} from './checks/matMul.ts';
import { attentions, recurrences } from './checks/sequences.ts';
import { optimizerSteps, randomDraws } from './checks/updates.ts';

/** Forces a variant: runs `body` with it, ignoring the device's blocklist and measurements. */
export type Force = <R>(body: () => R) => R;

/** A variant with its checks. */
export interface Variant {
  /** The name under which it is blocked. */
  readonly name: string;
  readonly checks: readonly Check[];
  readonly force: Force;
  /** The alternatives that must be checked first; none if an autotuner lists them. */
  readonly alternatives: readonly { readonly part: ProfilePart; readonly force: Force }[];
}

type Answer = (tunable: string, problem: object) => unknown;

/** Returns a function that runs `body` with `profile`, and with `answer` as autotuner. */
function forcing(device: Device, profile: DeviceProfile, answer: Answer): Force {
  return (body) => {
    const { autotuner, blocklist, profile: before } = device;
    const forced: Autotuner = {
      // A separate version, so that compiled functions are captured again.
      version: -1,
      measuring: null,
      // The name of a tunable determines its types.
      choose: <P extends object, A>(tunable: Tunable<P, A>, problem: P) =>
        answer(tunable.name, problem) as A | null,
    };
    Object.assign(device, { autotuner: forced, blocklist: null, profile });
    try {
      return body();
    } finally {
      Object.assign(device, { autotuner, blocklist, profile: before });
    }
  };
}

/** Returns all variants that `profile` may choose on `device`. */
export function variantsOf(device: Device, profile: DeviceProfile): Variant[] {
  return [
    ...gemmVariants(device, profile),
    ...conv2dVariants(device, profile),
    ...partVariants(device, profile),
  ];
}

function gemmVariants(device: Device, profile: DeviceProfile): Variant[] {
  const { minPart, tiles } = profile.gemm;
  const checks = [...matMuls(minPart), ...implicitGemms()];
  const rows = rowProducts(minPart);
  const isShared = tiles === 'shared';
  const suits = Object.entries(gemmTiles).filter(
    ([, { memory }]) => memory === 'registers' || (isShared && memory === 'shared'),
  );
  const names = [
    ...suits.map(([name]) => name),
    ...(isShared ? ['lanes'] : []),
    ...(profile.subgroupMatrix ? ['subgroup matrices'] : []),
  ];
  const algorithmOn = (name: string, problem: GemmProblem) => {
    if (name === 'subgroup matrices') {
      const tile = subgroupMatrixTile(problem, profile);
      return tile && onTile(tile, problem, profile);
    }
    const all = tiledAlgorithms(problem, profile);
    return all.find((candidate) => tileName(candidate.algorithm.tile) === name)?.algorithm ?? null;
  };
  const problem = sampleProblem;
  return names
    .filter((name) => name === 'lanes' || name === 'subgroup matrices' || algorithmOn(name, problem))
    .map((name) => ({
      name: variantName(gemmTunable.name, name),
      checks: name === 'lanes' ? rows : checks,
      alternatives: [],
      force: forcing(device, profile, (tunable, given) => {
        if (tunable === conv2dTunable.name) return { kind: 'implicitGemm' } satisfies Conv2dAlgorithm;
        const algorithm = algorithmOn(name, given as GemmProblem);
        return algorithm && { ...algorithm, fallback: null };
      }),
    }));
}

/** A matmul that every tile can compute, if the device can run the tile. */
const sampleProblem: GemmProblem = {
  dtype: 'float32',
  size: { m: 36, n: 44, segments: 1, length: 20, slices: 1 },
  a: { major: 'k', width: 4, float16: false },
  b: { major: 'mn', width: 4, float16: false },
  outWidth: 4,
  conv2d: null,
};

function conv2dVariants(device: Device, profile: DeviceProfile): Variant[] {
  const variantOf = (
    name: string,
    checks: readonly Check[],
    algorithmFor: (problem: Conv2dProblem) => Conv2dAlgorithm | null,
  ): Variant => ({
    name: variantName(conv2dTunable.name, name),
    checks,
    alternatives: [],
    force: forcing(device, profile, (tunable, problem) => {
      if (tunable !== conv2dTunable.name) return null;
      return algorithmFor(problem as Conv2dProblem) ?? { kind: 'implicitGemm' };
    }),
  });
  const variant = (
    algorithm: Conv2dAlgorithm,
    checks: readonly Check[],
    allows: (problem: Conv2dProblem) => boolean,
  ): Variant => variantOf(conv2dName(algorithm), checks, (problem) => (allows(problem) ? algorithm : null));
  const ofKind = (kind: 'direct' | 'patches', checks: readonly Check[]): Variant =>
    variantOf(kind, checks, (problem) => {
      const algorithm = gpuKernels().fewChannelsAlgorithm(problem, profile);
      return algorithm?.kind === kind ? algorithm : null;
    });
  return [
    ...(profile.conv2d.blocks
      ? [
          variantOf(
            'blocks',
            [...fewChannelConvolutions(), ...patchConvolutions()],
            softwareKernels().blockAlgorithm,
          ),
        ]
      : []),
    variant({ kind: 'gemmCol2im' }, fewChannelConvolutions(), allowsCol2im),
    ...(profile.conv2d.direct
      ? [ofKind('direct', fewChannelConvolutions()), ofKind('patches', patchConvolutions())]
      : []),
    ...([2, 4] as const).map((block) =>
      variant({ kind: 'winograd', block }, winogradConvolutions(), allowsWinograd),
    ),
  ];
}

/** Kernels with a single variant: if they are wrong, there is nothing else to launch. */
const singleParts = ['pool', 'resize', 'optimizer', 'random'] as const;
type SinglePart = (typeof singleParts)[number];

const isSingle = (name: ProfilePart | SinglePart): name is SinglePart =>
  singleParts.some((single) => single === name);

function partVariants(device: Device, profile: DeviceProfile): Variant[] {
  const selected: Answer = () => null;
  const parts: readonly (readonly [ProfilePart | SinglePart, readonly Check[]])[] = [
    ['elementwise', elementwiseOps(profile)],
    ['reduce', reductions()],
    ['lines', lines(profile)],
    ['strided', movements()],
    ['transpose', transposes()],
    ['indices', gathers()],
    ['scatter', scatters(profile)],
    ['grouping', groupings()],
    ['depthwise', depthwiseConvolutions(profile.depthwise.strips)],
    ['attention', attentions()],
    ['recurrent', recurrences()],
    ['pool', pools()],
    ['resize', resizes()],
    ['optimizer', optimizerSteps()],
    ['random', randomDraws()],
  ];
  const alternativeTo = (part: ProfilePart) => ({
    part,
    force: forcing(device, withoutPart(profile, part), selected),
  });
  return parts.map(([name, checks]) => {
    const folds = (name === 'reduce' || name === 'lines') && profile.subgroups;
    const others: readonly ProfilePart[] = isSingle(name) ? [] : folds ? ['subgroups', name] : [name];
    // Grouping is only used if no other scatter algorithm is.
    const used = name === 'grouping' ? withoutPart(profile, 'scatter') : profile;
    return {
      name,
      checks,
      force: forcing(device, used, selected),
      alternatives: others.map(alternativeTo),
    };
  });
}
