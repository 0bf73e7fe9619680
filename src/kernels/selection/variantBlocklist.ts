/**
 * @file The variants that a device must not launch, and their alternatives. Loaded when the first one is found: by
 * `verify` (wrong values), in a tuning store, or by a pipeline that doesn't compile.
 */
import { type VariantBlocklist, type Candidate, cheapest, type Tunable } from '../../webgpu/autotuner.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Kernel, KernelOptions } from '../../webgpu/kernel.ts';
import type { GemmTile } from '../../../shaders/gemm.ts';
import { type DeviceProfile, profileOf } from './deviceProfile.ts';
import {
  type Conv2dAlgorithm,
  conv2dAlgorithms,
  conv2dName,
  conv2dTunable,
} from '../convolution/conv2dAlgorithm.ts';
import type { Conv2dProblem } from '../convolution/conv2dCall.ts';
import { type GemmAlgorithm, gemmTunable } from '../gemm/gemmAlgorithm.ts';
import type { GemmProblem } from '../gemm/gemmProblem.ts';
import { gemmAlgorithms, tiledAlgorithms, tileName } from '../gemm/gemmAlgorithms.ts';
import { isProfilePart, profilePartOf, withoutPart } from './profileParts.ts';

const wholeSuffix = ', k in one part';

/** Returns the name under which a candidate is blocked: a tile is one variant, with or without a split of k. */
export function variantName(tunable: string, candidate: string): string {
  const isWhole = candidate.endsWith(wholeSuffix);
  return `${tunable}: ${isWhole ? candidate.slice(0, -wholeSuffix.length) : candidate}`;
}

export class DeviceBlocklist implements VariantBlocklist {
  version = 0;
  readonly #names = new Set<string>();

  /** The device's profile with all variants. */
  readonly base: DeviceProfile;

  constructor(private readonly device: Device) {
    this.base = profileOf(device);
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Blocks a variant. A part of the profile is replaced by its simplest form. */
  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    if (isProfilePart(name)) this.device.profile = withoutPart(profileOf(this.device), name);
    this.version++;
  }

  alternative<P extends object, A>(tunable: Tunable<P, A>, problem: P, chosen: A): A {
    // Tunables with the same name have the same types.
    const given = problem as unknown;
    if (tunable.name === gemmTunable.name)
      return this.#gemm(given as GemmProblem, chosen as GemmAlgorithm) as A;
    if (tunable.name === conv2dTunable.name)
      return this.#conv2d(given as Conv2dProblem, chosen as Conv2dAlgorithm) as A;
    return chosen;
  }

  #gemm(problem: GemmProblem, chosen: GemmAlgorithm): GemmAlgorithm {
    const isAvoided = (name: string) => this.#names.has(variantName(gemmTunable.name, name));
    const safe =
      chosen.fallback && isAvoided(tileName(chosen.fallback)) ? { ...chosen, fallback: null } : chosen;
    // Integers have only one tile.
    if (!problem.dtype.startsWith('float') || !isAvoided(tileName(chosen.tile))) return safe;
    const profile = profileOf(this.device);
    const right = (list: Candidate<GemmAlgorithm>[]) => list.filter(({ name }) => !isAvoided(name));
    const usual = right(gemmAlgorithms(problem, profile));
    const others = usual.length > 0 ? usual : right(tiledAlgorithms(problem, profile));
    return cheapest(others, ({ cost }) => cost ?? 0)?.algorithm ?? chosen;
  }

  #conv2d(problem: Conv2dProblem, chosen: Conv2dAlgorithm): Conv2dAlgorithm {
    const isAvoided = (name: string) => this.#names.has(variantName(conv2dTunable.name, name));
    if (!isAvoided(conv2dName(chosen))) return chosen;
    const others = conv2dAlgorithms(problem, profileOf(this.device)).filter(({ name }) => !isAvoided(name));
    return cheapest(others, ({ cost }) => cost ?? 0)?.algorithm ?? { kind: 'implicitGemm' };
  }
}

/** Returns the blocklist of `device`, which is empty at first. */
export function blocklistOf(device: Device): DeviceBlocklist {
  // Only set here, to this type.
  device.blocklist ??= new DeviceBlocklist(device);
  return device.blocklist as DeviceBlocklist;
}

/** Blocks the variant that a pipeline belongs to. Returns a message; null if there is no other variant. */
export function blockPipeline(device: Device, kernel: Kernel, options: KernelOptions): string | null {
  const name = variantOfPipeline(kernel, options);
  if (name === null) return null;
  blocklistOf(device).add(name);
  return `the variant '${name}' is avoided on this device from now on`;
}

function variantOfPipeline({ name }: Kernel, options: KernelOptions): string | null {
  if (options.tile) return variantName(gemmTunable.name, tileName(options.tile as unknown as GemmTile));
  if (name.startsWith('winograd'))
    return variantName(conv2dTunable.name, conv2dName({ kind: 'winograd', block: options.block as 2 | 4 }));
  if (name === 'directConvolution') return variantName(conv2dTunable.name, 'direct');
  if (name.startsWith('patch')) return variantName(conv2dTunable.name, 'patches');
  if (name === 'col2im') return variantName(conv2dTunable.name, conv2dName({ kind: 'gemmCol2im' }));
  if (options.subgroups === true) return 'subgroups';
  return profilePartOf(name);
}
