/** @file ChatTemplate: writes a conversation as the text that a network was trained on, by the template of the network. */
import { describe } from '../../core/describe.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../../core/options.ts';

/** A class of templates that is made of the text of one: `Template` of `@huggingface/jinja`. */
export type TemplateClass = new (text: string) => { render(variables: Record<string, unknown>): string };

/** A message of a conversation. Templates may read further fields, such as `tool_calls`. */
export interface ChatMessage {
  /** Who says it: 'system', 'user', 'assistant', or what else the template knows. */
  readonly role: string;
  /** What is said: a text, or the parts that a template knows. */
  readonly content: unknown;
  readonly [field: string]: unknown;
}

/** Options of a chat template. */
export interface ChatOptions {
  /** Whether the text ends where an answer of the network begins. Default false. */
  readonly addGenerationPrompt?: boolean | undefined;
  /** The functions that the network may call, as templates read them. Default: none. */
  readonly tools?: readonly object[] | undefined;
  /** Further variables of the template. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes a conversation as the text that the network was trained on. */
export type ChatTemplate = (messages: readonly ChatMessage[], options?: ChatOptions) => string;

/** What transformers passes as none: templates ask for it by `is not none`, as Mistral's. */
const absent = { tools: null, documents: null };

const optionNames: OptionNames<ChatOptions> = { addGenerationPrompt: false, tools: false, variables: false };

/** Makes a chat template of its text. `tokens` are the special tokens by their names. Errors: FormatError for a text that can't be read. */
export function chatTemplateOf(
  template: TemplateClass,
  text: string,
  tokens: Readonly<Record<string, string>>,
): ChatTemplate {
  const parsed = parse(template, text);
  return (messages, options = {}) => {
    checkOptions('chat template', options, optionNames);
    requireMessages(messages);
    const { addGenerationPrompt = false, tools, variables = {} } = options;
    const known = { messages, add_generation_prompt: addGenerationPrompt, ...(tools && { tools }) };
    try {
      return parsed.render({ ...absent, ...tokens, ...variables, ...known });
    } catch (cause) {
      throw new ValueError({
        op: 'chat template',
        rule: 'the template of the network takes the messages.',
        received: cause instanceof Error ? cause.message : String(cause),
        hint: 'templates may want roles to alternate, or know no system messages and tools.',
        cause,
      });
    }
  };
}

function requireMessages(messages: unknown): void {
  const isMessage = (message: unknown) =>
    isPlainObject(message) && typeof (message as Partial<ChatMessage>).role === 'string';
  if (isListOf(messages, isMessage)) return;
  throw new ValueError({
    op: 'chat template',
    rule: 'messages are a list of { role, content }.',
    received: describe(messages),
    hint: "pass [{ role: 'user', content: 'Hello' }].",
  });
}

function parse(template: TemplateClass, text: string) {
  try {
    return new template(text);
  } catch (cause) {
    throw new FormatError({
      op: 'loadChatTemplate',
      rule: 'a chat template is written in the part of Jinja that the class of templates knows.',
      received: cause instanceof Error ? cause.message : String(cause),
      hint: 'update @huggingface/jinja, or write the conversation as a text by yourself.',
      cause,
    });
  }
}
