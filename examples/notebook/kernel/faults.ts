/** @file Explains errors to visitors: what happened, and what they can do. The library's own message is shown below. */
import { DeviceError, DeviceLostError, FormatError, OutOfMemoryError, UnsafeModelError } from 'retrograd';
import type { Fault } from '../protocol.ts';

/** An error whose message is made for the visitor. */
export class PlainError extends Error {}

const browsers =
  'WebGPU is in Chrome and Edge 113 and newer (Linux: 144, or chrome://flags/#enable-unsafe-webgpu), in Safari 26, and in ' +
  'Firefox 141 on Windows and 145 on macOS (elsewhere: Nightly, or dom.webgpu.enabled in about:config). The page must come ' +
  'over https or from localhost. If your browser is new enough, hardware acceleration may be off in its settings.';

export function faultOf(error: unknown, address: string | undefined): Fault {
  const message = error instanceof Error ? error.message : String(error);
  const line = lineOf(error, address);
  if (error instanceof PlainError) return { title: message, text: '', line: null };
  if (error instanceof DeviceLostError)
    return {
      title: 'The GPU was lost.',
      text: `The browser or the driver took it away. Try again: a new one is opened.\n\n${message}`,
      line,
    };
  if (error instanceof OutOfMemoryError)
    return {
      title: 'The GPU has no memory left for this.',
      text: `Choose a smaller size or fewer layers, or close other tabs.\n\n${message}`,
      line,
    };
  if (error instanceof DeviceError && /navigator\.gpu|no adapter/.test(message))
    return { title: 'This browser gives no WebGPU here.', text: `${browsers}\n\n${message}`, line: null };
  if (error instanceof DeviceError && /a device must be open/.test(message))
    return { title: 'The program needs `await init()` first.', text: message, line };
  if (error instanceof DeviceError)
    return { title: 'The GPU did not do this.', text: `The library says:\n\n${message}`, line };
  const name = error instanceof Error ? error.name : 'Error';
  if (error instanceof UnsafeModelError)
    return { title: 'The file holds code, which is never run.', text: `${name}: ${message}`, line: null };
  if (error instanceof FormatError)
    return { title: 'This file can’t be used.', text: `${name}: ${message}`, line: null };
  return { title: name, text: message, line };
}

/** The line of the cell's source, if the error's stack contains it. */
function lineOf(error: unknown, address: string | undefined): number | null {
  if (!(error instanceof Error) || !error.stack || !address) return null;
  const at = error.stack.indexOf(address);
  const found = at < 0 ? null : /^:(\d+)/.exec(error.stack.slice(at + address.length));
  return found ? Number(found[1]) : null;
}
