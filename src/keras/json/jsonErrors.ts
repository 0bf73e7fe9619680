/** @file Errors of reading and writing Keras's JSON, with the place in the document. */
import { FormatError, RetrogradError, UnsafeModelError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

export interface InvalidPart {
  /** Where in the document, such as `config.layers[2].config.units`. */
  place: string;
  rule: string;
  received: unknown;
  /** Default: to pass what Keras writes. */
  hint?: string;
  cause?: unknown;
}

const defaultHint = "pass the output of Keras's to_json().";

export function invalid(
  source: string,
  { place, rule, received, hint = defaultHint, cause }: InvalidPart,
): FormatError {
  const text = typeof received === 'string' ? received : describe(received);
  return new FormatError({ op: source, rule, received: `${text}, at ${place}`, hint, cause });
}

export function unsafe(
  source: string,
  { place, rule, received, hint = defaultHint }: InvalidPart,
): UnsafeModelError {
  return new UnsafeModelError({ op: source, rule, received: `${String(received)}, at ${place}`, hint });
}

/** Runs `body`; adds the place in the document to its errors. */
export function placed<T>(source: string, place: string, body: () => T): T {
  try {
    return body();
  } catch (cause) {
    throw placedError(source, place, cause);
  }
}

/** Returns `cause` with the place in the document, unless it has one. */
export function placedError(source: string, place: string, cause: unknown): FormatError {
  if (cause instanceof FormatError) return cause;
  const known = cause instanceof RetrogradError ? cause : null;
  const rule = known ? known.rule : 'the configuration makes a layer.';
  return invalid(source, {
    place,
    rule: known?.op ? `${known.op}: ${rule}` : rule,
    received: known?.received ?? String(cause),
    hint: known?.hint ?? 'save the model again.',
    cause,
  });
}
