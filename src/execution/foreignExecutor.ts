/** @file The executor of other devices during a capture: a replay can't repeat work on them. */
import type { PreparedLaunch } from '../webgpu/command.ts';
import type { Executor } from '../webgpu/executor.ts';
import type { Kernel } from '../webgpu/kernel.ts';
import type { Launch } from '../webgpu/launch.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import { ForwardingExecutor } from './forwardingExecutor.ts';

export class ForeignExecutor extends ForwardingExecutor {
  /** The mode of the capture that this work belongs to. */
  override readonly mode = 'captured';

  constructor(
    base: Executor,
    private readonly onUse: () => void,
  ) {
    super(base);
  }

  override allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    this.onUse();
    return super.allocate(bytes, label, freed);
  }

  override launch(kernel: Kernel, launch: Launch): void {
    this.onUse();
    super.launch(kernel, launch);
  }

  override run(launch: PreparedLaunch): void {
    this.onUse();
    super.run(launch);
  }

  override copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.onUse();
    super.copy(source, target, bytes);
  }
}
