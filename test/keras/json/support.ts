/** @file Descriptions of models written by Keras, unchanged and changed. */
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/models/', import.meta.url);

export const fixtureNames = readdirSync(folder);

export function configOf(name: string): string {
  return readFileSync(new URL(`${name}/config.json`, folder), 'utf8');
}

/** A parsed document without types: tests break it at any depth. */
export type Loose = ReturnType<typeof JSON.parse>;

/** Returns the description of a model, changed. */
export function changed(change: (document: Loose) => void, name = 'functional_shared'): string {
  const document = JSON.parse(configOf(name));
  change(document);
  return JSON.stringify(document);
}
