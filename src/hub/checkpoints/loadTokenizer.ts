/** @file loadTokenizer: opens the tokenizer of a pretrained network, which a package of Hugging Face runs. */
import { checkSignal } from '../../core/abortSignal.ts';
import { describe } from '../../core/describe.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import { checkTokenizer } from './checkTokenizer.ts';
import { type Folder, openFolder, type PretrainedSource } from './folder.ts';
import { readFile, readIfThere } from './readFile.ts';

/** A class of tokenizers that is made of the contents of `tokenizer.json` and `tokenizer_config.json`. */
export type TokenizerClass<T> = new (tokenizer: object, config: object) => T;

export interface LoadTokenizerOptions {
  /** Aborts the loading of the files. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Loads the tokenizer of a pretrained network from its files, `tokenizer.json` and, if there is one, `tokenizer_config.json`. What turns
 * texts into tokens is the package `@huggingface/tokenizers`, which the app installs and passes:
 *
 *     import { Tokenizer } from '@huggingface/tokenizers';
 *
 *     const tokenizer = await loadTokenizer('models/gpt2', Tokenizer);
 *     const [tokens] = await net.generate([tokenizer.encode('Once upon a time').ids]);
 *     console.log(tokenizer.decode(tokens));
 *
 * Errors: FormatError for files that are missing or damaged, and for patterns that some texts would take for ever with; ValueError for
 * anything but a source and a class.
 */
export async function loadTokenizer<T>(
  source: PretrainedSource,
  tokenizer: TokenizerClass<T>,
  options: LoadTokenizerOptions = {},
): Promise<T> {
  checkOptions('loadTokenizer', options, ['signal']);
  const { signal } = options;
  checkSignal('loadTokenizer', signal);
  if (typeof tokenizer !== 'function') {
    throw new ValueError({
      op: 'loadTokenizer',
      rule: 'it takes the class that runs tokenizers.',
      received: describe(tokenizer),
      hint: "install @huggingface/tokenizers, and pass its class: import { Tokenizer } from '@huggingface/tokenizers'.",
    });
  }
  const folder: Folder = await openFolder(source, { signal });
  const description = await readFile(folder, 'tokenizer.json');
  const config: JsonObject = (await readIfThere(folder, 'tokenizer_config.json')) ?? {};
  checkTokenizer(description);
  try {
    return new tokenizer(description, config);
  } catch (cause) {
    throw new FormatError({
      op: 'tokenizer.json',
      rule: 'a tokenizer has the parts that the class of tokenizers knows.',
      received: cause instanceof Error ? cause.message : String(cause),
      hint: 'the file is damaged, or of a newer version: update @huggingface/tokenizers.',
      cause,
    });
  }
}
