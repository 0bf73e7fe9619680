/** @file Texts as rows of tokens: cut, continued, filled up, in pairs, of many scripts, as transformers. */
import fs from 'node:fs';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { beforeAll, describe, expect, test } from 'vitest';
import { init, ValueError } from '../../src/index.ts';
import { encodeTexts, type EncodeTextsOptions, loadTokenizer } from '../../src/hub/index.ts';
import { folderOf } from './checkpoints.ts';

const folder = process.env.RETROGRAD_HUB_TEXTS ?? folderOf('texts');
const kinds = ['bert', 'roberta', 'gpt2', 'llama', 'unigram'];
const tokenizers = new Map<string, Tokenizer>();

interface Case {
  readonly kind: string;
  readonly texts: readonly string[];
  readonly options: EncodeTextsOptions;
  readonly error?: string;
  readonly ids: number[][];
  readonly mask: number[][];
  readonly types: number[][];
  readonly rows: number[];
}

beforeAll(async () => {
  await init();
  for (const kind of kinds) tokenizers.set(kind, await loadTokenizer(path.join(folder, kind), Tokenizer));
});

describe('encodeTexts', () => {
  const cases: Case[] = JSON.parse(fs.readFileSync(path.join(folder, 'cases.json'), 'utf8'));

  test.each(kinds)('with a tokenizer of %s', async (kind) => {
    const tokenizer = tokenizers.get(kind) as Tokenizer;
    for (const { texts, options, error, ids, mask, types, rows } of cases.filter(
      (each) => each.kind === kind,
    )) {
      const about = JSON.stringify({ texts, options });
      if (error !== undefined) {
        expect(() => encodeTexts(tokenizer, texts, options), about).toThrow(ValueError);
        continue;
      }
      const made = encodeTexts(tokenizer, texts, options);
      const length = made.tokenIds.shape[1] as number;
      const lists = async (values: Promise<ArrayLike<number>>) => {
        const all = Array.from(await values);
        return made.rows.map((_, i) => all.slice(i * length, (i + 1) * length));
      };
      expect(await lists(made.tokenIds.data()), about).toEqual(ids);
      expect(await lists(made.paddingMask.data()), about).toEqual(mask);
      // Others have one segment, where the package in JavaScript numbers two. Without special tokens, encodings that are cut afterwards
      // have one, too, and so have rows that continue others.
      if (kind === 'bert' && options.addSpecialTokens !== false && options.stride === undefined)
        expect(await lists(made.segmentIds.data()), about).toEqual(types);
      expect(made.rows, about).toEqual(rows);
    }
  });

  test.each<[texts: unknown, options: object, message: string]>([
    [[], {}, 'at least one text'],
    ['text', {}, 'at least one text'],
    [[1], {}, 'at least one text'],
    [['a'], { pairs: ['b', 'c'] }, '1 texts'],
    [['a'], { maxLength: 0 }, 'maxLength'],
    [['a'], { maxLength: 1 }, 'room for special tokens'],
    [['a'], { stride: 2 }, 'need a `maxLength`'],
    [['a'], { padding: 'maxLength' }, 'need a `maxLength`'],
    [['a'], { maxLength: 8, stride: 6 }, 'more than `stride`'],
    [['a'], { maxLength: 8, pairs: ['b'], stride: 2 }, 'one text of a pair'],
    [['a'], { truncate: 'onlySecond' }, 'one of a pair'],
    [['a'], { maxLength: 9, stride: 1, truncationSide: 'left' }, 'begin at the beginning'],
    [['a'], { maxLength: 9, padToMultipleOf: 4 }, 'is a multiple'],
    [['a'], { truncate: 'longest' }, 'truncate'],
    [['a'], { paddingToken: -1 }, 'paddingToken'],
    [['a'], { maxlength: 5 }, 'maxLength'],
  ])('refuses %o with %o', (texts, options, message) => {
    const encoding = () => encodeTexts(tokenizers.get('bert') as Tokenizer, texts as never, options);
    expect(encoding).toThrow(ValueError);
    expect(encoding).toThrow(message);
    expect(() => encodeTexts({} as never, ['a'])).toThrow(/tokenizer/);
  });
});
