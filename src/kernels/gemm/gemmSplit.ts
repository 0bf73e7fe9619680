/** @file Selects the number of parts of the k axis of a GEMM. */
import { gemmInvocations, type GemmTile } from '../../../shaders/gemm.ts';
import type { GemmProfile } from '../selection/adapterProfile.ts';
import { type GemmSize, type Split, whole } from './gemmProblem.ts';
import { gpuKernels } from '../loading/gpuKernels.ts';
import { upTo } from '../launch/rounding.ts';

const maxParts = 256;

/** Splits k if C has too few tiles to keep the device busy, and if that saves more than summing the parts costs. */
export function splitFor(tile: GemmTile, size: GemmSize, profile: GemmProfile): Split {
  const inOnePart = whole(size);
  const max = Math.min(Math.floor((size.segments * size.length) / profile.minPart), maxParts);
  if (max < 2) return inOnePart;
  if (tile.memory === 'shared') return gpuKernels().sharedSplit(tile, size, profile, max);
  const invocations = gemmInvocations(tile, size.m, size.n, size.slices);
  if (tile.memory === 'lanes' && invocations >= enoughReading) return inOnePart;
  const busy = tile.memory === 'lanes' ? busyLanes(size, profile) : profile.busyInvocations;
  const wanted = Math.min(max, Math.floor(busy / invocations));
  return wanted < 2 ? inOnePart : inParts(wanted, tile, size);
}

/** For few rows: invocations that keep memory busy, each with five loads of 16 bytes in flight. */
const enoughReading = 2 ** 12;
/** For few rows: the least elements of B per invocation. With fewer, the launch for the sums costs more than it saves. */
const minRead = 64;

/** Lanes mostly read, which takes more invocations, if there is enough to read. */
function busyLanes({ n, length, slices }: GemmSize, { busyInvocations }: GemmProfile): number {
  return Math.min(2 * busyInvocations, (n * length * slices) / minRead);
}

/** Splits k into about `wanted` parts. */
export function inParts(wanted: number, { depth }: GemmTile, { segments, length }: GemmSize): Split {
  if (segments > 1) {
    const segmentsPerPart = Math.ceil(segments / wanted);
    return { parts: Math.ceil(segments / segmentsPerPart), segmentsPerPart, stepsPerPart: length };
  }
  const stepsPerPart = upTo(Math.max(4, depth), length / wanted);
  return { parts: Math.ceil(length / stepsPerPart), segmentsPerPart: 1, stepsPerPart };
}
