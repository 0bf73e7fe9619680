/** @file Checks kernel variants one by one, so that each outcome is known as it comes. */
import { getDevice, verify } from 'retrograd';
import { profileOf } from '../../src/kernels/selection/deviceProfile.ts';
import { variantsOf } from '../../src/verify/variants.ts';
import type { VariantOutcome } from '../result.ts';

export interface VerificationEvents {
  begin(name: string): void;
  end(outcome: VariantOutcome): void;
}

/** The names of all variants that the device may run. */
export const variantNames = (): string[] =>
  variantsOf(getDevice(), profileOf(getDevice())).map(({ name }) => name);

export async function verifyVariants(
  names: readonly string[],
  { begin, end }: VerificationEvents,
): Promise<void> {
  for (const name of names) {
    begin(name);
    const only = new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
    const [found] = (await verify({ only, store: null })).variants;
    if (!found) continue;
    const { status, message, worstCheck, worstError } = found;
    const wrong = status === 'wrong' ? `${worstCheck}: error ${worstError.toPrecision(2)}` : null;
    end({ name, status, message: message ?? wrong });
  }
}
