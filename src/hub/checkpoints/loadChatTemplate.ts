/** @file loadChatTemplate: opens the template by which a pretrained network has conversations, which a package of Hugging Face renders. */
import { checkSignal } from '../../core/abortSignal.ts';
import { describe } from '../../core/describe.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import { textOf } from '../../keras/saving/jsonFile.ts';
import { type ChatTemplate, chatTemplateOf, type TemplateClass } from './chatTemplate.ts';
import { type Folder, openFolder, type PretrainedSource } from './folder.ts';
import { onlyIfMissing, readIfThere } from './readFile.ts';

export interface LoadChatTemplateOptions {
  /** Which one, where there are several. Default 'default'. */
  readonly name?: string | undefined;
  /** Aborts the loading of the files. */
  readonly signal?: AbortSignal | undefined;
}

const optionNames: OptionNames<LoadChatTemplateOptions> = { name: false, signal: false };

/** Far longer than any template. */
const maxBytes = 1 << 20;

/**
 * Loads the chat template of a pretrained network from `chat_template.jinja`, or from `chat_template` in `tokenizer_config.json`. What
 * renders it is the package `@huggingface/jinja`, which the app installs and passes:
 *
 *     import { Template } from '@huggingface/jinja';
 *
 *     const chat = await loadChatTemplate('models/smollm', Template);
 *     const text = chat([{ role: 'user', content: 'What is the sea?' }], { addGenerationPrompt: true });
 *     const [tokens] = await net.generate([tokenizer.encode(text, { add_special_tokens: false }).ids]);
 *
 * The text has its special tokens already. Errors: FormatError for files without a template, or with one that can't be read; ValueError
 * for anything but a source and a class, and, from the template, for messages that it refuses.
 */
export async function loadChatTemplate(
  source: PretrainedSource,
  template: TemplateClass,
  options: LoadChatTemplateOptions = {},
): Promise<ChatTemplate> {
  checkOptions('loadChatTemplate', options, optionNames);
  const { name = 'default', signal } = options;
  checkSignal('loadChatTemplate', signal);
  requireClass(template);
  const folder = await openFolder(source, { signal });
  const config: JsonObject = (await readIfThere(folder, 'tokenizer_config.json')) ?? {};
  const text = (name === 'default' ? await ownFile(folder) : null) ?? textIn(config.chat_template, name);
  return chatTemplateOf(template, text, specialTokens(config));
}

function requireClass(template: unknown): void {
  if (typeof template === 'function') return;
  throw new ValueError({
    op: 'loadChatTemplate',
    rule: 'it takes the class that renders templates.',
    received: describe(template),
    hint: "install @huggingface/jinja, and pass its class: import { Template } from '@huggingface/jinja'.",
  });
}

async function ownFile(folder: Folder): Promise<string | null> {
  const file = await folder.open('chat_template.jinja').catch(onlyIfMissing);
  if (!file) return null;
  try {
    if (file.size <= maxBytes) return await textOf(file);
  } finally {
    await file.close?.();
  }
  throw new FormatError({
    op: 'chat_template.jinja',
    rule: `a chat template has at most ${maxBytes} bytes.`,
    received: `${file.size} bytes`,
    hint: 'no template needs more: the file is of something else.',
  });
}

/** `chat_template` is a text, or a list of texts with names. */
function textIn(given: Json | undefined, name: string): string {
  if (typeof given === 'string' && name === 'default') return given;
  const list = Array.isArray(given) ? given.filter(isObject) : [];
  const found = list.find((entry) => entry.name === name)?.template;
  if (typeof found === 'string') return found;
  const names = list.map((entry) => String(entry.name));
  throw new FormatError({
    op: 'loadChatTemplate',
    rule: `the files have the chat template '${name}': chat_template.jinja, or \`chat_template\` in tokenizer_config.json.`,
    received: names.length > 0 ? names.join(', ') : 'none by that name',
    hint: 'networks that only continue texts have none: those for conversations are often called "instruct" or "chat".',
  });
}

/** bos_token, eos_token and others: texts, or objects that have the text. */
function specialTokens(config: JsonObject): Record<string, string> {
  const tokens = Object.entries(config).flatMap(([key, value]) => {
    const text = isObject(value) ? value.content : value;
    return key.endsWith('_token') && typeof text === 'string' ? [[key, text] as const] : [];
  });
  return Object.fromEntries(tokens);
}
