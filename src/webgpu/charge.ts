/**
 * @file Charges: to the call of which op, in which layer, a launch belongs. Dispatch says so while someone keeps the
 * account: a profile, or a recording, whose replays may be profiled later. Otherwise nobody asks, and nothing is noted.
 */
import { activeRecording } from './activeRecording.ts';

/** The call of an op, as reports name it. */
export interface ProfiledCall {
  readonly op: string;
  /** The layer calls around it, outermost first, joined by slashes; empty outside of layers. */
  readonly layer: string;
  /** Whether it computes the gradient of `op`. */
  readonly backward: boolean;
}

/** What a launch is charged to. */
export interface Charge {
  /** Several where the launch stands for several calls. */
  readonly calls: readonly ProfiledCall[];
  /** Floating-point operations; null where none of the ops says. Those of a call are all with its first launch. */
  readonly flops: number | null;
}

/** The call to which launches are charged now. */
interface OpenCall {
  readonly call: ProfiledCall;
  /** The layer call in which it was made. */
  readonly frame: object | null;
  /** Operations that no launch has taken yet. */
  flops: number | null;
}

let accounts = 0;
let open: OpenCall | null = null;
/** Whether a call around has told its operations, so that those inside are among them. */
let told = false;

/** Keeps the account until the function that it returns is called. */
export function keepAccount(): () => void {
  accounts++;
  return () => {
    accounts--;
  };
}

/** Whether anyone wants to know. */
export function isCharging(): boolean {
  return accounts > 0 || activeRecording() !== null;
}

/**
 * Charges the launches of `body` to the call that `describe` names. A call inside of another is part of that, unless it is
 * made in a layer, `frame`, which that doesn't know: what a checkpoint computes anew belongs to its layers.
 */
export function chargedTo<T>(
  describe: () => ProfiledCall,
  frame: object | null,
  flops: number | null,
  body: () => T,
): T {
  const before = { open, told };
  if (!open || (frame !== null && frame !== open.frame)) {
    open = { call: describe(), frame, flops: null };
    told = false;
  }
  if (flops !== null && !told) {
    open.flops = (open.flops ?? 0) + flops;
    told = true;
  }
  try {
    return body();
  } finally {
    ({ open, told } = before);
  }
}

/** Charges the launches of `body` to the gradient of `call`, whatever is under way. */
export function chargedToGradient<T>(
  call: Omit<ProfiledCall, 'backward'>,
  frame: object | null,
  body: () => T,
): T {
  const before = { open, told };
  open = { call: { ...call, backward: true }, frame, flops: null };
  told = false;
  try {
    return body();
  } finally {
    ({ open, told } = before);
  }
}

/** The charge of a launch that happens now; null outside of ops, and where nobody asks. */
export function takeCharge(): Charge | null {
  if (!open) return null;
  const { call, flops } = open;
  open.flops = null;
  return { calls: [call], flops };
}

/** The charge of one launch in place of several. */
export function joinCharges(charges: readonly (Charge | null)[]): Charge | null {
  const known = charges.filter((charge) => charge !== null);
  if (known.length === 0) return null;
  const flops = known.map((charge) => charge.flops).filter((n) => n !== null);
  return {
    calls: known.flatMap(({ calls }) => calls),
    flops: flops.length > 0 ? flops.reduce((total, n) => total + n) : null,
  };
}
