/** @file The report of `verify`: its progress, and the result as data and as text that can be copied. */
import { version } from '../core/version.ts';
import type { AdapterDescription } from '../webgpu/adapter.ts';
import { adapterText } from '../autotune/report.ts';

/** The progress of `verify`. */
export interface VerificationProgress {
  /** Checks that are done, and all of them. */
  readonly done: number;
  readonly total: number;
  /** The variant and the check that run now; null at the end. */
  readonly variant: string | null;
  readonly check: string | null;
}

/** The result of `verify` for one variant. */
export interface VariantReport {
  /** The name of the variant, such as 'gemm: block' or 'reduce'. */
  readonly name: string;
  /** 'failed': it didn't compile, or ended with an error. */
  readonly status: 'right' | 'wrong' | 'failed';
  /** Checks that ran, each several times. */
  readonly checks: number;
  /** The largest error, relative to the largest value of its result; infinite for NaN. */
  readonly worstError: number;
  /** The check with the largest error in units of its tolerance; the first that failed. */
  readonly worstCheck: string | null;
  /** The sum of the fastest runs of its checks, with their readbacks. */
  readonly milliseconds: number;
  /** Why it failed. */
  readonly message: string | null;
}

export interface VerificationResult {
  readonly adapter: AdapterDescription;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly variants: readonly VariantReport[];
  readonly avoided: readonly string[];
  readonly milliseconds: number;
}

/** The result of `verify` on a device. As JSON it has the same fields. */
export class VerificationReport implements VerificationResult {
  readonly library = `retrograd ${version}`;
  readonly adapter: AdapterDescription;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly variants: readonly VariantReport[];
  /** Variants that are blocked on this device from now on. */
  readonly avoided: readonly string[];
  readonly milliseconds: number;

  /** Called by `verify`. */
  constructor(result: VerificationResult) {
    this.adapter = result.adapter;
    this.features = result.features;
    this.limits = result.limits;
    this.variants = result.variants;
    this.avoided = result.avoided;
    this.milliseconds = result.milliseconds;
  }

  /** Variants with wrong values, and those that failed. */
  get wrong(): readonly VariantReport[] {
    return this.variants.filter(({ status }) => status !== 'right');
  }

  /** Whether every variant is correct. */
  get ok(): boolean {
    return this.wrong.length === 0;
  }

  toString(): string {
    const { library, adapter, features, limits, variants, avoided, milliseconds, wrong } = this;
    const width = Math.max(...variants.map(({ name }) => name.length));
    const rows = variants.map((variant) => `  ${variantText(variant, width)}`);
    const verdict = this.ok
      ? `all ${variants.length} variants are right`
      : `${wrong.length} of ${variants.length} variants are wrong: ${wrong.map(({ name }) => name).join(', ')}`;
    return [
      `${library} on ${adapterText(adapter)}`,
      `${verdict} (${(milliseconds / 1000).toFixed(1)} s)`,
      ...(avoided.length > 0 ? [`avoided here from now on: ${avoided.join(', ')}`] : []),
      ...rows,
      `features: ${features.join(', ') || 'none'}`,
      `limits: ${Object.entries(limits)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
    ].join('\n');
  }
}

function variantText(
  { name, status, checks, worstError, worstCheck, milliseconds, message }: VariantReport,
  width: number,
): string {
  const error = `largest error ${worstError.toExponential(1)}`;
  const facts = `${checks} checks, ${error}, ${milliseconds.toFixed(1)} ms`;
  const where = status === 'right' || worstCheck === null ? '' : `\n      ${worstCheck}`;
  const why = message === null ? '' : `\n      ${message.replaceAll('\n', '\n      ')}`;
  return `${name.padEnd(width)}  ${status.padEnd(6)}  ${facts}${where}${why}`;
}
