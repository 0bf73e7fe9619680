/** @file Errors of file readers: the file, the place in it, the rule, what was found, and a hint. */
import { FormatError } from '../core/errors.ts';

/** The file being read, for errors. */
export interface FileContext {
  /** The name of the file, such as 'weights.safetensors'. */
  readonly file: string;
  /** The name of the format. */
  readonly format: string;
}

export interface FaultParts {
  /** Where in the file, such as "tensor 'dense/kernel'". */
  place: string;
  rule: string;
  received: string;
  hint?: string;
  cause?: unknown;
}

/** Returns the error for a file that violates its format. */
export function fault(
  { file, format }: FileContext,
  { place, hint, received, ...parts }: FaultParts,
): FormatError {
  return new FormatError({
    op: `${file} (${format})`,
    ...parts,
    received: `${received}, at ${place}`,
    hint: hint ?? 'the file is damaged or has another format: fetch it again, or save it again.',
  });
}
