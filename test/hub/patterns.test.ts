/** @file Which patterns of tokenizers are refused, because some texts would take for ever with them. */
import { expect, test } from 'vitest';
import { patternFault } from '../../src/core/patternFault.ts';

test.each([
  ['GPT-2', String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`],
  [
    'Llama 3',
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ],
  [
    'o200k',
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ],
  [
    'DeepSeek',
    String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`,
  ],
  ['CLIP', String.raw`<\|startoftext\|>|<\|endoftext\|>|'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`],
  ['BLOOM', ' ?[^(\\s|[.,!?…。，、।۔،])]+'],
  ['groups of three digits', String.raw`(?=(\d{3})+(?!\d))`],
  ['words with marks', String.raw`(?:\s\p{L}+)*(?:-[a-z]+)+`],
  ['no characters', ''],
])('%s may be used', (_, pattern) => {
  expect(patternFault(pattern)).toBeNull();
});

test.each([
  ['a repetition of repetitions', '(?:a+)+$'],
  ['as a group with a name', String.raw`(?<word>\w+\s?)*!`],
  ['of a choice', '(?:a|aa)*b'],
  ['of what may be empty', '(?:a?b?)*c'],
  ['deep inside', String.raw`\s|(?:x|(?=(?:[a-z]*)*\d))`],
  ['a class and a part of it', String.raw`(?:[\p{L}\p{N}]|\p{L})+!`],
  ['three of a kind in a row', String.raw`\s*\s*\s*x`],
  ['in other words', String.raw`[^a]*\w+[\s\S]*?x`],
  ['with a number', 'a{0,}a{1,}a{500}b'],
  ['with what may be empty between', 'a*b?a*(?!c)a*d'],
  ['open brackets', '(a'],
  ['closed brackets', 'a)'],
  ['too deep', `${'('.repeat(60)}a${')'.repeat(60)}`],
  ['far too deep', '('.repeat(16_000)],
  ['too long', 'a'.repeat(20_000)],
])('%s may not', (_, pattern) => {
  expect(patternFault(pattern)).not.toBeNull();
});
