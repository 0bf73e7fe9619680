/** @file The profile by which the kernels of a device are selected: that of its adapter, and what the device can do. */
import type { SubgroupMatrixSize } from '../../../shaders/gemm/problem.ts';
import type { AdapterKind } from '../../webgpu/adapter.ts';
import type { Device } from '../../webgpu/device.ts';
import type { AdapterProfile } from './adapterProfile.ts';
import { adapterProfiles } from './adapterProfiles.ts';

/** A profile together with properties of the device. */
export interface DeviceProfile extends AdapterProfile {
  /** Whether the feature `subgroups` is enabled. */
  readonly subgroups: boolean;
  /** Size of the subgroup matrices that float16 matmul may use; null if unsupported or not requested. */
  readonly subgroupMatrix: SubgroupMatrixSize | null;
  readonly workgroupInvocations: number;
  readonly workgroupBytes: number;
}

/** Returns the profile of `device`, as if its adapter were of kind `kind`. */
export function createProfile(
  { adapter, gpu, limits, subgroupMatrix }: Device,
  kind: AdapterKind = adapter.kind,
): DeviceProfile {
  return {
    ...adapterProfiles[kind],
    subgroups: gpu.features.has('subgroups'),
    subgroupMatrix,
    workgroupInvocations: limits.maxComputeInvocationsPerWorkgroup,
    workgroupBytes: limits.maxComputeWorkgroupStorageSize,
  };
}

/** Returns the profile by which kernels are selected for `device`. It is made once, or set by `init` or a test. */
export function profileOf(device: Device): DeviceProfile {
  device.profile ??= createProfile(device);
  // The device's layer can't name the type, since profiles belong to the kernels. It is only ever set to a DeviceProfile.
  return device.profile as DeviceProfile;
}
