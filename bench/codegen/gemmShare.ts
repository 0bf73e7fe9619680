/** @file The useful fraction of a problem's multiply-adds. */
import type { GemmWork } from './gemmWork.ts';

/** Returns the fraction of executed multiply-adds that the problem needs; null without a GEMM. */
export function usefulShare(gemms: readonly GemmWork[]): number | null {
  const sum = (key: 'useful' | 'executed') => gemms.reduce((total, gemm) => total + gemm[key], 0);
  return gemms.length > 0 ? sum('useful') / sum('executed') : null;
}
