/** @file The profiling executor: attributes launches to the ops that make them, and forwards them. */
import type { Kernel } from '../webgpu/kernel.ts';
import { type Launch, prepareLaunch } from '../webgpu/launch.ts';
import { ForwardingExecutor } from './forwardingExecutor.ts';
import { CallScope } from './profilerScope.ts';

export class ProfilingExecutor extends ForwardingExecutor {
  override readonly profiler = new CallScope();

  /** Doesn't use fallback variants, so that the profile shows what runs from the second call on. */
  override launch(kernel: Kernel, launch: Launch): void {
    const pipeline = this.base.pipelineOf(kernel, launch.options, launch.key);
    this.base.run(prepareLaunch(kernel, launch, pipeline, this.profiler.take()));
  }
}
