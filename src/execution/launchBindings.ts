/** @file The bind groups of captured launches: made in advance, or at each run for launches that bind its results. */
import type { BoundRange } from '../webgpu/boundRange.ts';
import type { PreparedLaunch } from '../webgpu/command.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import type { BindingLayout } from '../webgpu/pipelines.ts';
import type { Storage } from '../webgpu/storage.ts';
import { keyOfRanges } from '../webgpu/stream.ts';

/** From each result's storage in the recording to the one that a run made for it. */
export type Results = ReadonlyMap<Storage, Storage>;

/** Returns the bind group for a run that made `results`. */
export type GroupFor = (results: Results) => GPUBindGroup;

/** The maximum number of bind groups cached per launch. */
const maxGroups = 64;

export class LaunchBindings {
  /** Planned memory has few ranges, so many launches bind the same ones. */
  readonly #known = new Map<BindingLayout, Map<number | string, GPUBindGroup>>();

  /** Parameters are in `params`; null for the stream's uniform ring. */
  constructor(
    private readonly device: Device,
    private readonly params: DeviceBuffer | null,
  ) {}

  /** `isResult` tells ranges that each run replaces by others. */
  groupFor(launch: PreparedLaunch, isResult: (range: BoundRange) => boolean): GroupFor {
    if (launch.ranges.some(isResult)) return this.#rebinding(launch);
    const group = this.#shared(launch);
    return () => group;
  }

  #shared(launch: PreparedLaunch): GPUBindGroup {
    const { ranges, pipeline } = launch;
    const ofLayout = this.#known.get(pipeline.bindings) ?? new Map<number | string, GPUBindGroup>();
    this.#known.set(pipeline.bindings, ofLayout);
    const key = keyOfRanges(ranges);
    const group = ofLayout.get(key) ?? this.#make(launch, ranges);
    ofLayout.set(key, group);
    return group;
  }

  /**
   * Binds a launch to the storages made by each run, instead of the recorded ones. The pool hands out the same few buffers
   * again and again, so their bind groups are cached.
   */
  #rebinding(launch: PreparedLaunch): GroupFor {
    const groups = new Map<string, GPUBindGroup>();
    return (results) => {
      const bound = launch.ranges.map((range) => results.get(range as Storage) ?? range);
      const key = bound.map(({ buffer }) => buffer.id).join();
      const known = groups.get(key);
      if (known) return known;
      const group = this.#make(launch, bound);
      if (groups.size >= maxGroups) groups.clear();
      groups.set(key, group);
      return group;
    };
  }

  #make({ pipeline, layout, fault }: PreparedLaunch, ranges: readonly BoundRange[]): GPUBindGroup {
    const { stream, faults } = this.device;
    return stream.makeBindGroup(
      pipeline,
      ranges,
      fault ? faults.buffer : null,
      layout,
      this.params ?? undefined,
    );
  }
}
