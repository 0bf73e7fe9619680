/**
 * @file The parts of an adapter profile that choose between variants of kernels which no autotuner lists, and the plainest
 * form of each: what a device gets where the form of its profile is wrong.
 */
import { adapterProfiles, type DeviceProfile } from './adapterProfiles.ts';

const { software, discrete } = adapterProfiles;

/** Of each part, a profile without the variants that it chooses. */
const plainest = {
  /** Lines that are folded by subgroup operations are folded in workgroup memory. */
  subgroups: (profile) => ({ ...profile, subgroups: false }),
  elementwise: (profile) => {
    const never = Number.POSITIVE_INFINITY;
    return { ...profile, elementwise: { ...profile.elementwise, least: { 2: never, 4: never } } };
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

/** `profile` with a part as it is on GPUs, where it is that of software; else as it is in software. */
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

/** `profile` without the variants that `part` of it chooses. */
export function withoutPart(profile: DeviceProfile, part: ProfilePart): DeviceProfile {
  return plainest[part](profile);
}

/** The names of kernels, from their beginning, by the part that chooses their variant. */
const kernelParts: readonly (readonly [RegExp, ProfilePart])[] = [
  [/^elementwise$|^fused elementwise$/, 'elementwise'],
  [/^reduce$/, 'reduce'],
  [/^(softmax|layerNorm|scan)/, 'lines'],
  [/^(copy|pad)$/, 'strided'],
  [/^(gather|rows|check indices)/, 'indices'],
  [/^scatter/, 'scatter'],
  [/^sort /, 'grouping'],
  [/^transpose$/, 'transpose'],
  [/^depthwise/, 'depthwise'],
  [/^attention/, 'attention'],
  [/^(lstm|gru)Step/, 'recurrent'],
];

/** The part of the profile that chooses between the variants of a kernel; null where it has one. */
export function profilePartOf(kernel: string): ProfilePart | null {
  return kernelParts.find(([name]) => name.test(kernel))?.[1] ?? null;
}
