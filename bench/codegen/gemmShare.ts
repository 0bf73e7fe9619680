/** @file The useful share of a problem's multiply-adds. */
import type { GemmWork } from './gemmWork.ts';

/** The share of executed multiply-adds that is asked for; null without a GEMM. */
export function usefulShare(gemms: readonly GemmWork[]): number | null {
  const sum = (key: 'useful' | 'executed') => gemms.reduce((total, gemm) => total + gemm[key], 0);
  return gemms.length > 0 ? sum('useful') / sum('executed') : null;
}
