/** @file A limit of the compiler's figures. */
import type { AdapterKind } from '../../src/webgpu/adapter.ts';

export interface Limit {
  readonly what: string;
  /** Names of the problems that it applies to. */
  readonly problems: readonly string[];
  /** Kernels of the problems that it applies to, by label. */
  readonly kernels: RegExp;
  readonly reason: string;
  /** The profile by which kernels are selected; default: discrete. */
  readonly profile?: AdapterKind;
  /** The chip; default: rdna2. */
  readonly family?: 'rdna2' | 'gcn5';
  readonly registers?: number;
  /** Waves that a SIMD holds, at least. */
  readonly waves?: number;
  /** Smallest fraction of multiply-adds among all vector instructions of the main loop. */
  readonly fmaShare?: number;
  /** Instructions of the main loop per multiply-add. */
  readonly instructions?: number;
  /** Instructions per load, in the loop with the most loads. */
  readonly perLoad?: number;
  /** The minimum number of loads in flight. */
  readonly inFlight?: number;
  /** Clamped addresses in the main loop. */
  readonly clamps?: number;
  /** Smallest fraction of multiply-adds that are executed while loads of the main loop are in flight. */
  readonly overlap?: number;
  /** Smallest fraction of executed multiply-adds that the problem needs. */
  readonly useful?: number;
  /** Invocations of the launch, at least. */
  readonly invocations?: number;
  /** Launches of the problem. */
  readonly launches?: number;
  /** Bytes that a launch binds. */
  readonly bytes?: number;
}
