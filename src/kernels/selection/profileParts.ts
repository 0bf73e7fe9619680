/**
 * @file The parts of an adapter profile that choose between kernel variants outside of autotuning, and the simplest form of
 * each, which a device gets if the form in its profile computes wrong values.
 */
import { adapterProfiles } from './adapterProfiles.ts';
import type { DeviceProfile } from './deviceProfile.ts';

const { software, discrete } = adapterProfiles;

/** For each part, a profile without the variants that it chooses. */
const plainest = {
  /** Lines are reduced in workgroup memory instead of by subgroup operations. */
  subgroups: (profile) => ({ ...profile, subgroups: false }),
  elementwise: (profile) => {
    const never = Number.POSITIVE_INFINITY;
    const minElements = { 2: never, 4: never };
    return { ...profile, elementwise: { ...profile.elementwise, minElements, follows: false } };
  },
  reduce: (profile) => other(profile, 'reduce'),
  lines: (profile) => ({ ...profile, lines: { ...profile.lines, shared: !profile.lines.shared } }),
  strided: (profile) => other(profile, 'strided'),
  indices: (profile) => other(profile, 'indices'),
  scatter: (profile) => ({
    ...profile,
    scatter: { direct: { steps: 0, indices: 0 }, owned: 0, binned: 0 },
  }),
  grouping: (profile) => other(profile, 'grouping'),
  transpose: (profile) => other(profile, 'transpose'),
  depthwise: (profile) => ({ ...profile, depthwise: { ...profile.depthwise, strips: {} } }),
  attention: (profile) => other(profile, 'attention'),
  recurrent: (profile) => other(profile, 'recurrent'),
} satisfies Readonly<Record<string, (profile: DeviceProfile) => DeviceProfile>>;

export type ProfilePart = keyof typeof plainest;

/** Returns `profile` with a part switched from that of software to that of GPUs, or vice versa. */
function other<K extends keyof DeviceProfile & keyof typeof software>(
  profile: DeviceProfile,
  part: K,
): DeviceProfile {
  const isSoftware = JSON.stringify(profile[part]) === JSON.stringify(software[part]);
  return { ...profile, [part]: (isSoftware ? discrete : software)[part] };
}

export function isProfilePart(name: string): name is ProfilePart {
  return Object.hasOwn(plainest, name);
}

/** Returns `profile` without the variants that `part` chooses. */
export function withoutPart(profile: DeviceProfile, part: ProfilePart): DeviceProfile {
  return plainest[part](profile);
}

/** Patterns of kernel names, with the part that chooses the variant. */
const kernelParts: readonly (readonly [RegExp, ProfilePart])[] = [
  [/^elementwise$|^fused elementwise$/, 'elementwise'],
  [/^reduce$|^fused reduce$/, 'reduce'],
  // Kernels that compute a chain where they store what it reads.
  [/^fused /, 'elementwise'],
  [/^(softmax|layerNorm|rmsNorm|scan|quantized mat|vocabulary)/, 'lines'],
  [/^(copy|pad|join)$/, 'strided'],
  [/^(gather|rows|check indices)/, 'indices'],
  [/^scatter/, 'scatter'],
  [/^sort /, 'grouping'],
  [/^transpose$/, 'transpose'],
  [/^depthwise/, 'depthwise'],
  [/^attention/, 'attention'],
  [/^(lstm|gru)Step/, 'recurrent'],
];

/** Returns the part of the profile that chooses between the variants of a kernel; null if it has only one. */
export function profilePartOf(kernel: string): ProfilePart | null {
  return kernelParts.find(([name]) => name.test(kernel))?.[1] ?? null;
}
