/** @file Runs the checks of all variants on a device, and blocks those that are wrong. */
import { DeviceLostError } from '../core/errors.ts';
import type { Device } from '../webgpu/device.ts';
import { DryRun } from '../execution/dryRun.ts';
import { dryRunCall } from '../autodiff/dryRunCall.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { profileOf } from '../kernels/selection/deviceProfile.ts';
import { blocklistOf } from '../kernels/selection/variantBlocklist.ts';
import type { TuningStore } from '../autotune/store.ts';
import { readAvoided, writeAvoided } from '../autotune/avoidedStore.ts';
import { type Check, runCheck } from './check.ts';
import { VerificationReport, type VariantReport, type VerificationProgress } from './report.ts';
import { type Force, type Variant, variantsOf } from './variants.ts';

export interface VerificationRun {
  readonly store: TuningStore | null;
  readonly only: RegExp | null;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: VerificationProgress) => void) | undefined;
}

/** Checks the variants of `device` one after the other. */
export async function runVerification(device: Device, run: VerificationRun): Promise<VerificationReport> {
  const { store, only, signal, onProgress } = run;
  const start = performance.now();
  await recall(device, store);
  const variants = variantsOf(device, device.blocklist ? blocklistOf(device).base : profileOf(device)).filter(
    ({ name }) => only === null || only.test(name),
  );
  const total = variants.reduce((sum, { checks }) => sum + checks.length, 0);
  const reports: VariantReport[] = [];
  let done = 0;
  for (const variant of variants) {
    const report = await checkVariant(device, variant, signal, (check) => {
      onProgress?.({ done: done++, total, variant: variant.name, check });
    });
    reports.push(report);
    if (report.status !== 'right') await avoid(device, variant, store, report);
  }
  onProgress?.({ done: total, total, variant: null, check: null });
  return new VerificationReport({
    adapter: device.adapter,
    features: [...device.gpu.features].sort(),
    limits: limitsOf(device.gpu.limits),
    variants: reports,
    avoided: [...(device.blocklist?.names ?? [])],
    milliseconds: performance.now() - start,
  });
}

/** Runs the checks of a variant until one throws. */
async function checkVariant(
  device: Device,
  { name, checks, force }: Pick<Variant, 'name' | 'checks' | 'force'>,
  signal: AbortSignal | undefined,
  begin: (check: string) => void,
): Promise<VariantReport> {
  let [worst, worstError, milliseconds] = [0, 0, 0];
  let worstCheck: string | null = null;
  await compileAll(device, checks, force);
  for (const [i, check] of checks.entries()) {
    signal?.throwIfAborted();
    begin(check.name);
    try {
      const outcome = await runCheck(device, check, force);
      milliseconds += outcome.milliseconds;
      worstError = Math.max(worstError, outcome.relativeError);
      if (outcome.error > worst) worstCheck = check.name;
      worst = Math.max(worst, outcome.error);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return {
        name,
        status: 'failed',
        checks: i + 1,
        worstError,
        worstCheck: check.name,
        milliseconds,
        message,
      };
    }
  }
  const status = worst <= 1 ? 'right' : 'wrong';
  return { name, status, checks: checks.length, worstError, worstCheck, milliseconds, message: null };
}

/** Compiles the kernels of the checks in parallel. Those that don't compile are reported by their check. */
async function compileAll(device: Device, checks: readonly Check[], force: Force): Promise<void> {
  const specs = checks.map(({ inputs }) => inputs);
  const runAll = (given: Tensor[][]) =>
    checks.forEach((check, i) => {
      force(() => check.run(given[i] as Tensor[]));
    });
  try {
    const runs = await dryRunCall('verify', device, runAll, [specs], () => new DryRun());
    await Promise.allSettled(runs.flatMap(({ compilations }) => [...compilations]));
  } catch {
    // The checks will throw it again.
  }
}

/** Blocks a variant, if its replacement is correct. Errors: DeviceLostError if that loses the device. */
async function avoid(
  device: Device,
  variant: Variant,
  store: TuningStore | null,
  { message }: VariantReport,
): Promise<void> {
  const lost = device.isLost;
  const name = lost ? variant.name : await rightAlternative(device, variant);
  if (name === null) return;
  blocklistOf(device).add(name);
  await writeAvoided(device, store, [...blocklistOf(device).names]);
  if (!lost) return;
  throw new DeviceLostError({
    op: 'verify',
    rule: 'a device must survive the kernels that it runs.',
    received: `lost while the variant '${variant.name}' ran: ${message ?? 'no message'}`,
    hint: 'call init({ tuning: tuning() }) again: the variant is avoided from then on. Then verify the others.',
  });
}

/** Returns the name to block so that the checks of `variant` pass; null if none helps. */
async function rightAlternative(device: Device, variant: Variant): Promise<string | null> {
  const { name, checks, alternatives } = variant;
  // The autotuner lists other candidates, each with its own checks.
  if (name.includes(': ')) return name;
  for (const { part, force } of alternatives) {
    const { status } = await checkVariant(device, { name, checks, force }, undefined, () => {});
    if (status === 'right') return part;
  }
  return null;
}

/** Blocks the variants that an earlier visit found wrong. */
async function recall(device: Device, store: TuningStore | null): Promise<void> {
  for (const name of await readAvoided(device, store)) blocklistOf(device).add(name);
}

function limitsOf(limits: GPUSupportedLimits): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name in limits) {
    const value = (limits as unknown as Record<string, unknown>)[name];
    if (typeof value === 'number') found[name] = value;
  }
  return found;
}
