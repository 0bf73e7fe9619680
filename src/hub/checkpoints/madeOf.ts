/** @file madeOf: creates a network of a configuration, which may describe none that there can be. */
import { FormatError, ShapeError, ValueError } from '../../core/errors.ts';

/** Errors: FormatError where layers refuse what `file` says; others are as they were, such as those of the device. */
export function madeOf<T>(file: string, create: () => T): T {
  try {
    return create();
  } catch (cause) {
    if (!(cause instanceof ValueError || cause instanceof ShapeError)) throw cause;
    throw new FormatError({
      op: file,
      rule: 'a network can be made as the configuration says.',
      received: `${cause.received ?? 'another'}, where ${cause.rule}`,
      hint: 'the file is damaged, or of another kind of model.',
      cause,
    });
  }
}
