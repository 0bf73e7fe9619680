/**
 * @file Errors for commands that WebGPU finds invalid after they were recorded. Engines word the reasons differently; those that
 * an app can cause are stated here in the same way for all of them, with WebGPU's own text as the cause.
 */
import { DeviceError } from '../core/errors.ts';

/** A reason, and what is known of it from WebGPU's text. */
interface Reason {
  readonly matches: RegExp;
  readonly rule: string;
  readonly received: string;
  readonly hint: string;
}

const reasons: readonly Reason[] = [
  {
    matches:
      /associated with \[Device|from a different device|device ?mismatch|device .*doesn't match|belongs? to .*device/i,
    rule: 'a buffer is used on the device that created it.',
    received: 'of another GPUDevice',
    hint: 'share the app’s device, init({ device }), or copy: tensor(await values.data()).',
  },
  {
    matches: /destroyed/i,
    rule: 'a buffer is used as long as it isn’t destroyed.',
    received: 'that was destroyed',
    hint: 'keep it until its tensors are disposed of.',
  },
  {
    matches: /mapped/i,
    rule: 'a buffer isn’t mapped while the device uses it.',
    received: 'that is mapped',
    hint: 'unmap() it before its tensors are used.',
  },
  {
    matches: /usage/i,
    rule: 'a buffer has usage STORAGE, and COPY_SRC to be read back.',
    received: 'without such a usage',
    hint: 'create it with usage STORAGE | COPY_SRC | COPY_DST.',
  },
];

/** The error for commands that WebGPU's `message` calls invalid. `others` says what is wrong where the reason is none of the known. */
export function invalidUse(
  message: string,
  others: { readonly rule: string; readonly hint?: string },
  op?: string,
): DeviceError {
  const found = reasons.find(({ matches }) => matches.test(message));
  const label = /Buffer(?: with)? ["']([^"'\]]+)["']/.exec(message)?.[1];
  return new DeviceError({
    ...(op ? { op } : {}),
    rule: (found ?? others).rule,
    received: found ? `a buffer${label ? ` '${label}'` : ''} ${found.received}` : message,
    hint: (found ?? others).hint ?? 'look at the first error reported: the others may follow from it.',
    cause: new Error(message),
  });
}
