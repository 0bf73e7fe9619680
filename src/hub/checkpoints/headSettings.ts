/** @file headSettings: what the head of a checkpoint is created with, from the options of the caller and the files. */
import { FormatError } from '../../core/errors.ts';
import { requireInteger } from '../../core/shape.ts';
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import type { Wanted } from './checkpoint.ts';
import type { HeadSettings } from './family.ts';
import type { Folder } from './folder.ts';
import { readIfThere } from './readFile.ts';
import { tokensIn } from './tokensIn.ts';

/** Far more classes than a new head needs. One that is in the files is as large as its weights. */
const maxNewClasses = 2 ** 16;

/** Errors: FormatError for fields that no model has; ValueError for a number of classes that the caller may not ask for. */
export async function headSettings(
  folder: Folder,
  json: JsonObject,
  { labels, numClasses }: Wanted,
  isStored: boolean,
): Promise<HeadSettings> {
  const named = labels ?? labelsIn(json);
  const count = numClasses ?? named?.length ?? countIn(json);
  if (numClasses === undefined && labels === undefined && !isStored && count > maxNewClasses)
    throw invalid('id2label', `of a new head has at most ${maxNewClasses} classes`, `${count} classes`);
  requireInteger('fromPretrained', 'numClasses', count, 1);
  const generation = await readIfThere(folder, 'generation_config.json');
  return {
    numClasses: count,
    labels: named?.length === count ? named : null,
    stopTokens: tokensIn('eos_token_id', generation?.eos_token_id ?? json.eos_token_id),
    dropout: dropoutIn(json),
    generation: { ...json, ...generation },
  };
}

/** The dropout of a classifier, by the names that families have for it. */
function dropoutIn({ classifier_dropout, seq_classif_dropout, hidden_dropout }: JsonObject): number | null {
  const found = classifier_dropout ?? seq_classif_dropout ?? hidden_dropout ?? null;
  if (found === null || (typeof found === 'number' && found >= 0 && found < 1)) return found;
  throw invalid('classifier_dropout', 'is a number from 0 to 1', JSON.stringify(found));
}

/** transformers takes two classes where a file doesn't say how many. */
function countIn({ num_labels: count = null }: JsonObject): number {
  if (count === null) return 2;
  if (Number.isSafeInteger(count) && (count as number) > 0) return count as number;
  throw invalid('num_labels', 'is a positive integer', JSON.stringify(count));
}

/** The names of classes, in the order of their numbers. */
function labelsIn({ id2label: given = null }: JsonObject): readonly string[] | null {
  if (given === null) return null;
  const names: Readonly<Record<string, Json>> = isObject(given) ? given : {};
  const count = Object.keys(names).length;
  const found = Array.from({ length: count }, (_, id) => names[id]);
  const isRight = isObject(given) && found.every((name) => typeof name === 'string');
  if (isRight) return count > 0 ? (found as string[]) : null;
  throw invalid('id2label', 'has a name for each number from 0', JSON.stringify(given));
}

function invalid(field: string, rule: string, received: string): FormatError {
  return new FormatError({
    op: 'config.json',
    rule: `\`${field}\` ${rule}.`,
    received,
    hint: 'the file is damaged, or of another kind of model.',
  });
}
