/** @file What is said of adapters that don't fit a model. */
import { FormatError } from '../../../core/errors.ts';
import { suggestionFor } from '../../../core/suggest.ts';

export function unknownModule(file: string, module: string, known: readonly string[]): FormatError {
  return new FormatError({
    op: file,
    rule: 'each module of the adapter is a layer of the model, by `modules`.',
    received: `'${module}'`,
    hint: suggestionFor(
      module,
      known,
      `the layers are the modules ${known.slice(0, 6).join(', ')}${known.length > 6 ? ', …' : ''}.`,
    ),
  });
}

export function misfit(file: string, rule: string, received: string): FormatError {
  return new FormatError({ op: file, rule, received, hint: 'check that the adapter is for this model.' });
}
