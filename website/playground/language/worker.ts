/** @file The Worker of the language service. It can transpile at once; the rest waits until the types are loaded. */
import type { FromLanguage, ToLanguage } from './protocol.ts';
import { Language, transpile } from './service.ts';

let language: Promise<Language> | undefined;

async function load(address: string): Promise<Language> {
  const answer = await fetch(address);
  const files = (await answer.json()) as Record<string, string>;
  return new Language(new Map(Object.entries(files)));
}

async function answerTo(message: Exclude<ToLanguage, { type: 'types' }>): Promise<unknown> {
  if (message.type === 'transpile') return transpile(message.source);
  const service = await language;
  if (!service) throw new Error('the types must be sent before a request');
  if (message.type === 'complete') return service.complete(message.source, message.at);
  if (message.type === 'describe') return service.describe(message.source, message.at, message.label);
  return service.problems(message.source);
}

addEventListener('message', async ({ data }: MessageEvent<ToLanguage>) => {
  if (data.type === 'types') {
    language = load(data.address);
    return;
  }
  const { id } = data;
  const post = (message: FromLanguage) => postMessage(message);
  try {
    post({ id, answer: await answerTo(data) });
  } catch (error) {
    post({ id, error: String(error) });
  }
});
