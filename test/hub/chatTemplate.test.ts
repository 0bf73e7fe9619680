/** @file Chat templates: the texts of transformers for the same conversations, where templates come from, and what is refused. */
import fs from 'node:fs';
import { Template } from '@huggingface/jinja';
import { describe, expect, test } from 'vitest';
import { FormatError, ValueError } from '../../src/index.ts';
import { type ChatMessage, loadChatTemplate } from '../../src/hub/index.ts';

interface Case {
  readonly name: string;
  readonly template: string;
  readonly conversations: readonly {
    readonly messages: readonly ChatMessage[];
    readonly options: { readonly add_generation_prompt?: boolean; readonly tools?: readonly object[] };
    readonly text: string | null;
  }[];
}

const cases = JSON.parse(
  fs.readFileSync(new URL('../fixtures/hub/chats.json', import.meta.url), 'utf8'),
) as readonly Case[];

const tokens = { bos_token: { __type: 'AddedToken', content: '<bos>' }, eos_token: '</s>' };
const jinja = (text: string) => new File([text], 'chat_template.jinja');
const config = (fields: object) =>
  new File([JSON.stringify({ ...tokens, ...fields })], 'tokenizer_config.json');

describe.each(cases)('$name', ({ template, conversations }) => {
  test.each(conversations)('writes conversation %# as transformers', async ({ messages, options, text }) => {
    const { add_generation_prompt: addGenerationPrompt, tools, ...variables } = options;
    const given = { addGenerationPrompt, tools, variables };
    for (const files of [[jinja(template), config({})], [config({ chat_template: template })]]) {
      const chat = await loadChatTemplate(files, Template);
      if (text === null) expect(() => chat(messages, given)).toThrow(ValueError);
      else expect(chat(messages, given)).toBe(text);
    }
  });
});

test('a template is chosen by its name, where there are several', async () => {
  const list = [
    { name: 'default', template: 'plain' },
    { name: 'tool_use', template: 'with tools' },
  ];
  const files = [config({ chat_template: list })];
  const written = async (name?: string) => (await loadChatTemplate(files, Template, { name }))([]);
  expect(await written()).toBe('plain');
  expect(await written('tool_use')).toBe('with tools');
  await expect(written('rag')).rejects.toThrow(/rag.*default, tool_use/s);
});

test('tools and documents that aren’t given are none, as in transformers', async () => {
  const text = '{{ tools is not none }} {{ documents is not none }} {{ bos_token }}';
  const chat = await loadChatTemplate([jinja(text), config({})], Template);
  expect(chat([])).toBe('false false <bos>');
  expect(chat([], { tools: [{ name: 'f' }], variables: { documents: ['a'] } })).toBe('true true <bos>');
});

test('what is no template, no class, and no message is refused by name', async () => {
  await expect(loadChatTemplate([config({})], Template)).rejects.toThrow(FormatError);
  await expect(loadChatTemplate([jinja('{% for %}')], Template)).rejects.toThrow(FormatError);
  await expect(loadChatTemplate([jinja('x'.repeat(2 ** 20 + 1))], Template)).rejects.toThrow(/bytes/);
  await expect(loadChatTemplate([jinja('')], {} as never)).rejects.toThrow(/@huggingface\/jinja/);
  await expect(loadChatTemplate([jinja('')], Template, { names: 'x' } as never)).rejects.toThrow(ValueError);
  const chat = await loadChatTemplate([jinja("{{ messages[0]['content'] }}")], Template);
  expect(chat([{ role: 'user', content: 'Hello' }])).toBe('Hello');
  for (const messages of ['Hello', [{ content: 'Hello' }], ['Hello']])
    expect(() => chat(messages as never)).toThrow(/role/);
  expect(() => chat([], { generate: true } as never)).toThrow(ValueError);
});
