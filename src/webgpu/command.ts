/** @file Commands: prepared launches and copies, to be appended to a device's stream once or repeatedly. */
import type { FaultReport } from './faults.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import type { ParamLayout, ParamValue } from './params.ts';
import type { Pipeline } from './pipelines.ts';
import type { BoundRange } from './boundRange.ts';

/** The call of an op, as reports name it. */
export interface ProfiledCall {
  readonly op: string;
  /** The layer calls around it, outermost first, joined by slashes; empty outside of layers. */
  readonly layer: string;
  /** Whether it computes the gradient of `op`. */
  readonly backward: boolean;
}

/** What a launch is attributed to. */
export interface Attribution {
  /** Several if the launch computes several calls. */
  readonly calls: readonly ProfiledCall[];
  /** Floating-point operations; null if the op doesn't say. All those of a call are attributed to its first launch. */
  readonly flops: number | null;
}

/** How many commands are prepared for replays between two yields to other tasks. */
export const commandsPerPiece = 256;

/** A launch with its pipeline. */
export interface PreparedLaunch {
  readonly kind: 'launch';
  readonly kernel: Kernel;
  readonly options: KernelOptions;
  readonly pipeline: Pipeline;
  readonly ranges: readonly BoundRange[];
  readonly layout: ParamLayout;
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly grid: readonly [number, number, number];
  /** Its estimated cost, in multiply-adds. */
  readonly work: number;
  readonly fault: FaultReport | null;
  /** Null outside of ops, and if nothing is profiled or captured. */
  readonly attribution: Attribution | null;
}

export interface CopyCommand {
  readonly kind: 'copy';
  readonly source: BoundRange;
  readonly target: BoundRange;
  readonly bytes: number;
}

export type Command = PreparedLaunch | CopyCommand;

/** Returns the ranges that a command binds or copies. */
export function rangesOf(command: Command): readonly BoundRange[] {
  return command.kind === 'launch' ? command.ranges : [command.source, command.target];
}

/** Returns the ranges that a command writes. */
export function rangesWrittenBy(command: Command): readonly BoundRange[] {
  if (command.kind === 'copy') return [command.target];
  const { ranges, pipeline } = command;
  return ranges.filter((_, i) => pipeline.bindings.writes[i]);
}

/** Returns the attribution of one launch that replaces several. */
export function joinAttributions(attributions: readonly (Attribution | null)[]): Attribution | null {
  const known = attributions.filter((attribution) => attribution !== null);
  if (known.length === 0) return null;
  const flops = known.map((attribution) => attribution.flops).filter((n) => n !== null);
  return {
    calls: known.flatMap(({ calls }) => calls),
    flops: flops.length > 0 ? flops.reduce((total, n) => total + n) : null,
  };
}
