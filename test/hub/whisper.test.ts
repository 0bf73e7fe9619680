/** @file Whisper: what it writes, token for token as transformers, and spectrograms of sounds. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  FormatError,
  init,
  memory,
  ShapeError,
  slice,
  type Tensor,
  ValueError,
  zeros,
} from '../../src/index.ts';
import { FilesTarget } from '../../src/io/index.ts';
import { AudioToText, fromPretrained, loadAudioConverter, savePretrained } from '../../src/hub/index.ts';
import { Expected, expectClose, filesOf, folderOf } from './checkpoints.ts';

/** What is computed of texts, in order. */
const noted = vi.hoisted((): { kind: string; value: number }[] => []);
vi.mock('../../src/hub/generation/compressionRatio.ts', async (original) => {
  const { compressionRatio } =
    await original<typeof import('../../src/hub/generation/compressionRatio.ts')>();
  return {
    compressionRatio: async (tokens: readonly number[], count: number) => {
      // The order is that of the calls.
      const note = { kind: 'ratio', value: 0 };
      noted.push(note);
      note.value = await compressionRatio(tokens, count);
      return note.value;
    },
  };
});
vi.mock('../../src/hub/generation/speechFigures.ts', async (original) => {
  const { figuresOf } = await original<typeof import('../../src/hub/generation/speechFigures.ts')>();
  return {
    figuresOf: async (...given: Parameters<typeof figuresOf>) => {
      const figures = await figuresOf(...given);
      for (const { logProbability, noSpeech } of figures)
        noted.push({ kind: 'probability', value: logProbability }, { kind: 'silence', value: noSpeech });
      return figures;
    },
  };
});
vi.mock('../../src/hub/generation/verdict.ts', async (original) => {
  const { verdictOf } = await original<typeof import('../../src/hub/generation/verdict.ts')>();
  return {
    verdictOf: (...given: Parameters<typeof verdictOf>) => {
      const verdict = verdictOf(...given);
      noted.push({ kind: 'verdict', value: verdict as never });
      return verdict;
    },
  };
});

beforeAll(async () => {
  await init();
});

describe('transcribe', () => {
  const expected = new Expected('whisper');
  let net: AudioToText;

  beforeAll(async () => {
    net = await fromPretrained(folderOf('whisper'), { task: 'audioToText' });
  });
  afterAll(() => net.dispose());

  const wanted = (name: string) => [0, 1].map((i) => expected.values(`${name}.${i}`));

  test('writes the tokens of transformers, without those that are suppressed', async () => {
    const frames = expected.tensor('frames');
    expect(await net.transcribe(frames, { maxNewTokens: 10 })).toEqual(wanted('transcribed'));
    const before = memory().bytes;
    const options = { maxNewTokens: 10, startTokens: [3, 20, 31] };
    expect(await net.transcribe(frames, options)).toEqual(wanted('continued'));
    expect(memory().bytes).toBe(before);
    expect([net.startTokens, net.stopTokens]).toEqual([[3], [2]]);
    expect([net.suppressedTokens, net.suppressedFirstTokens]).toEqual([
      [24, 0],
      [48, 2],
    ]);
  });

  test('refuses sounds of another length, unknown tokens and options', async () => {
    await expect(net.transcribe(zeros([1, 8, 8]))).rejects.toThrow(ShapeError);
    const frames = expected.tensor('frames');
    await expect(net.transcribe(frames, { startTokens: [99] })).rejects.toThrow(ValueError);
    await expect(net.transcribe(frames, { startToken: [1] } as never)).rejects.toThrow(/startTokens/);
    expect(() => new AudioToText({ backbone: net.backbone, stopTokens: [-1] })).toThrow(ValueError);
  });
});

describe('languages, tasks, times and long sounds', () => {
  const expected = new Expected(path.join(folderOf('speech'), 'expected.safetensors'));
  const generation = fs.readFileSync(path.join(folderOf('speech'), 'generation_config.json'), 'utf8');
  const speaking = (changes: object = {}) =>
    fromPretrained(
      {
        ...filesOf('whisper'),
        'generation_config.json': new File(
          [JSON.stringify({ ...JSON.parse(generation), ...changes })],
          'generation_config.json',
        ),
      },
      { task: 'audioToText' },
    );
  let net: AudioToText;
  let long: Tensor;
  let short: Tensor;
  let first: Tensor;

  beforeAll(async () => {
    net = await speaking();
    long = expected.tensor('frames');
    short = slice(long, { begin: [0, 0, 0], size: [2, 20, 8] });
    first = slice(long, { begin: [0, 0, 0], size: [1, 70, 8] });
  });
  afterAll(() => net.dispose());

  const tokensOf = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => expected.values(`${name}.tokens.${i}`));
  const withoutEnd = (texts: number[][]) => texts.map((text) => text.filter((token) => token !== 40));

  test.each([
    ['short', {}],
    ['french', { language: 'fr' }],
    ['french', { language: 'French' }],
    ['both', { language: ['french', '<|en|>'], task: 'translate' }],
    ['task', { task: 'translate' }],
    ['french', { startTokens: [41, 43, 45, 47] }],
    ['searched', { language: 'fr', numBeams: 3 }],
  ])('%s: %o', async (name, options) => {
    expect(withoutEnd(await net.transcribe(short, options))).toEqual(tokensOf(name, 2));
  });

  test.each([
    ['timed', () => short, { language: 'en' }],
    ['beams', () => short, { language: 'en', numBeams: 3 }],
    ['long', () => first, { language: 'en', task: 'translate' }],
    ['few', () => first, { maxNewTokens: 6 }],
    ['batch', () => long, { language: 'en', frameCounts: [70, 43] }],
    ['previous', () => first, { language: 'en', conditionOnPreviousText: true }],
    ['repeated', () => first, { language: 'en', repetitionPenalty: 1.5, noRepeatNgramSize: 2 }],
  ])('%s: the segments of transformers', async (name, frames, options) => {
    const parts = await net.transcribeSegments(frames(), options);
    // Constants that are kept for later calls are there now.
    const before = memory().bytes;
    expect(parts.length).toBe(frames().shape[0]);
    for (const [i, segments] of parts.entries()) {
      expect(segments.flatMap(({ tokens }) => tokens)).toEqual(expected.values(`${name}.tokens.${i}`));
      expect(segments.map(({ tokens }) => tokens.length)).toEqual(expected.values(`${name}.counts.${i}`));
      const times = segments.flatMap(({ start, end }) => [start, end]);
      for (const [j, time] of expected.values(`${name}.times.${i}`).entries())
        expect(times[j]).toBeCloseTo(time, 6);
      expect(segments.every(({ sound }) => sound === i)).toBe(true);
    }
    const texts = await net.transcribe(frames(), { ...options, returnTimestamps: true });
    expect(texts).toEqual(tokensOf(name, parts.length));
    expect(memory().bytes).toBe(before);
  });

  test('segments are streamed, and a loop may be left', async () => {
    const found: number[] = [];
    const heard: number[] = [];
    const onToken = (_: number, sound: number) => heard.push(sound);
    const before = memory().bytes;
    for await (const { tokens, end } of net.streamSegments(first, { maxNewTokens: 6, onToken })) {
      found.push(...tokens);
      if (end > 0.1) break;
    }
    expect(memory().bytes).toBe(before);
    expect(found).toEqual(expected.values('few.tokens.0').slice(0, found.length));
    expect(found.length).toBe(12);
    expect(new Set(heard)).toEqual(new Set([0]));
  });

  test('languages are detected', async () => {
    const names = await net.detectLanguage(long);
    const detected = tokensOf('short', 2);
    const starts = names.map((name) => [41, name === '<|en|>' ? 42 : 43, 47]);
    for (const [i, startTokens] of starts.entries()) {
      const sound = slice(short, { begin: [i, 0, 0], size: [1, 20, 8] });
      expect(withoutEnd(await net.transcribe(sound, { startTokens }))[0]).toEqual(detected[i]);
    }
  });

  test('forced tokens of older files, and the language and task of a file', async () => {
    for (const changes of [
      {
        forced_decoder_ids: [
          [1, 43],
          [2, 45],
        ],
      },
      { language: 'fr', task: 'transcribe' },
      {
        language: 'fr',
        forced_decoder_ids: [
          [1, null],
          [2, 44],
        ],
      },
    ]) {
      const other = await speaking(changes);
      expect(withoutEnd(await other.transcribe(short))).toEqual(tokensOf('french', 2));
      other.dispose();
    }
    const translating = await speaking({
      forced_decoder_ids: [
        [1, null],
        [2, 44],
      ],
    });
    expect(withoutEnd(await translating.transcribe(short))).toEqual(tokensOf('task', 2));
    translating.dispose();
  });

  test('are saved for transformers, and in `.keras` files', async () => {
    const target = new FilesTarget();
    await savePretrained(net, target);
    const again = await fromPretrained(target.files, { task: 'audioToText' });
    expect([again.speech, again.startTokens]).toEqual([net.speech, net.startTokens]);
    again.dispose();
    const written = target.files.find(({ name }) => name === 'generation_config.json');
    const { lang_to_id, no_timestamps_token_id } = JSON.parse(await (written as File).text());
    expect([lang_to_id, no_timestamps_token_id]).toEqual([{ '<|en|>': 42, '<|fr|>': 43 }, 47]);
    const { speech } = net.getConfig() as { speech: object };
    expect(new AudioToText({ backbone: net.backbone, speech }).speech).toEqual(net.speech);
  });

  test.each([
    [{ language: 'de' }, 'a language is one of <|en|> <|fr|>'],
    [{ language: ['en'] }, 'for each of 2 sounds'],
    [{ language: '__proto__' }, 'a language is one of'],
    [{ task: 'toString' }, 'a task is one of transcribe, translate'],
    [{ task: 'translate', startTokens: [41] }, '`startTokens` say the language'],
    [{ returnTimestamps: 1 }, 'returnTimestamps'],
    [{ maxNewTokens: 40 }, '20 positions'],
    [{ startTokens: new Array<number>(20).fill(41) }, '20 positions'],
    [{ frameCounts: [20] }, '`frameCounts`'],
    [{ frameCounts: [20, 99] }, '`frameCounts`'],
    [{ returnTimestamps: true, numReturnSequences: 2, numBeams: 2 }, 'one text is made'],
  ])('refuses %o', async (options, message) => {
    const before = memory().bytes;
    const error = await net.transcribe(short, options as never).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(ValueError);
    expect((error as Error).message).toContain(message);
    expect(memory().bytes).toBe(before);
  });

  test('refuses sounds that need times without them, and several without their lengths', async () => {
    await expect(net.transcribe(first, { returnTimestamps: false })).rejects.toThrow(ShapeError);
    await expect(net.transcribe(long)).rejects.toThrow(/frameCounts/);
    await expect(net.transcribeSegments(zeros([1, 8, 8]))).rejects.toThrow(ShapeError);
    await expect(net.transcribeSegments([1] as never)).rejects.toThrow(ValueError);
    const plain = await fromPretrained(folderOf('whisper'), { task: 'audioToText' });
    await expect(plain.transcribe(first)).rejects.toThrow(/tokens of times/);
    await expect(plain.transcribe(short, { language: 'en' })).rejects.toThrow(/one language/);
    await expect(plain.transcribe(short, { task: 'translate' })).rejects.toThrow(/one task/);
    await expect(plain.detectLanguage(short)).rejects.toThrow(/several languages/);
    plain.dispose();
  });

  test.each([
    [{ lang_to_id: { '<|en|>': 99 } }, 'lang_to_id'],
    [{ lang_to_id: [42] }, 'lang_to_id'],
    [{ max_initial_timestamp_index: -1 }, 'max_initial_timestamp_index'],
    [{ task_to_id: { translate: [44] } }, 'task_to_id'],
    [{ no_timestamps_token_id: 1.5 }, 'no_timestamps_token_id'],
    [{ forced_decoder_ids: [[2, 43]] }, 'forced_decoder_ids'],
    [{ forced_decoder_ids: 7 }, 'forced_decoder_ids'],
    [{ language: 7 }, 'language'],
  ])('refuses a file with %o', async (changes, field) => {
    const error = await speaking(changes).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as Error).message).toContain(`\`${field}\``);
    expect(() => new AudioToText({ backbone: net.backbone, speech: { languages: [1] } as never })).toThrow(
      ValueError,
    );
  });
});

describe('thresholds', () => {
  const expected = new Expected(path.join(folderOf('speech'), 'expected.safetensors'));
  const threshold = () => expected.values('threshold.logprob')[0] as number;
  // All are used, and none decides.
  const open = { compressionRatioThreshold: 1e3, logprobThreshold: -1e3, noSpeechThreshold: 0 };
  let net: AudioToText;
  let long: Tensor;

  beforeAll(async () => {
    const file = path.join(folderOf('speech'), 'generation_config.json');
    net = await fromPretrained(
      {
        ...filesOf('whisper'),
        'generation_config.json': new File([fs.readFileSync(file)], 'generation_config.json'),
      },
      { task: 'audioToText' },
    );
    long = expected.tensor('frames');
  });
  afterAll(() => net.dispose());

  test.each([
    ['taken', { temperatures: [0, 1], ...open }],
    ['silent', { ...open, compressionRatioThreshold: undefined, logprobThreshold: threshold() }],
    ['previousTaken', { temperatures: [0, 0.2], conditionOnPreviousText: true, ...open }],
    ['partly', { temperatures: [0, 0.7], topK: 1, ...open, compressionRatioThreshold: 0.97 }],
    [
      'again',
      {
        temperatures: [0, 0.7],
        topK: 1,
        conditionOnPreviousText: true,
        ...open,
        compressionRatioThreshold: 0.94,
      },
    ],
  ])('%s: figures, verdicts and segments are those of transformers', async (name, options) => {
    const isOfOne = 'conditionOnPreviousText' in options;
    const frames = isOfOne ? slice(long, { begin: [0, 0, 0], size: [1, 70, 8] }) : long;
    const frameCounts = isOfOne ? undefined : [70, 43];
    noted.splice(0);
    const parts = await net.transcribeSegments(frames, { ...options, language: 'en', frameCounts });
    const found = (kind: string) => noted.flatMap((each) => (each.kind === kind ? [each.value] : []));
    const close = (values: readonly number[], wanted: readonly number[], scale: number) => {
      expect(values.length).toBe(wanted.length);
      for (const [i, value] of wanted.entries()) expect(values[i]).toBeCloseTo(value, scale);
    };
    if (options.compressionRatioThreshold !== undefined)
      close(found('ratio'), expected.values(`${name}.ratios`), 6);
    // Among the most probable token only, transformers' logarithms are 0.
    if (!('topK' in options)) close(found('probability'), expected.values(`${name}.probabilities`), 4);
    // Of a window that is written again, transformers takes that of the window in its place among all.
    if (name !== 'partly') close(found('silence'), expected.values(`${name}.silences`), 5);
    const verdicts = found('verdict').map((verdict) =>
      ['take', 'again', 'silent'].indexOf(verdict as unknown as string),
    );
    expect(verdicts).toEqual(expected.values(`${name}.verdicts`));
    for (const [i, segments] of parts.entries()) {
      expect(segments.flatMap(({ tokens }) => tokens)).toEqual(expected.values(`${name}.tokens.${i}`));
      const times = segments.flatMap(({ start, end }) => [start, end]);
      close(times, expected.values(`${name}.times.${i}`), 6);
    }
  });

  test('a short sound in which nothing is said has no tokens, and nothing is left on the device', async () => {
    const short = slice(long, { begin: [0, 0, 0], size: [2, 20, 8] });
    const silent = { language: 'en', logprobThreshold: 0, noSpeechThreshold: 0 };
    expect(await net.transcribe(short, silent)).toEqual([[], []]);
    const before = memory().bytes;
    expect(await net.transcribe(short, { ...silent, noSpeechThreshold: 1 })).toEqual(
      await net.transcribe(short, { language: 'en' }),
    );
    expect(memory().bytes).toBe(before);
  });

  test.each([
    [{ temperatures: [0, 0.2] }, 'a threshold says'],
    [{ temperatures: [], logprobThreshold: -1 }, '`temperatures` are'],
    [{ temperatures: [0, -1], logprobThreshold: -1 }, '`temperatures` are'],
    [{ temperatures: [0, 1], temperature: 1, logprobThreshold: -1 }, 'one temperature, or a list'],
    [{ logprobThreshold: -1 }, 'the next of several'],
    [{ compressionRatioThreshold: 2, logprobThreshold: -1, noSpeechThreshold: 0.6 }, 'the next of several'],
    [{ temperatures: [0, 1], compressionRatioThreshold: Number.NaN }, 'compressionRatioThreshold'],
    [{ noSpeechThreshold: 0.6 }, 'no `logprobThreshold`'],
    [{ temperatures: [0, 1], logprobThreshold: -1, numBeams: 2 }, 'numBeams'],
    [{ temperatures: [0, 1], logprobThreshold: -1, onToken: () => {} }, 'onToken'],
  ])('refuses %o', async (options, message) => {
    const short = slice(long, { begin: [0, 0, 0], size: [2, 20, 8] });
    const error = await net.transcribe(short, options as never).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(ValueError);
    expect((error as Error).message).toContain(message);
  });
});

describe('loadAudioConverter', () => {
  const root = folderOf('sounds');
  const expected = new Expected(path.join(root, 'expected.safetensors'));

  test('makes the spectrograms of transformers', async () => {
    const convert = await loadAudioConverter(root);
    const sounds = ['short', 'long'].map((name) => Float32Array.from(expected.values(`sound.${name}`)));
    const spectrograms = convert(sounds);
    expect(spectrograms.shape).toEqual([2, 100, 12]);
    const both = ['short', 'long'].flatMap((name) => expected.values(`frames.${name}`));
    await expectClose(spectrograms, both, 1e-4);
    await expectClose(convert(expected.tensor('sound.long')), expected.values('frames.long'), 1e-4);
    const whole = convert(sounds, { truncate: false });
    expect(whole.shape).toEqual([2, 125, 12]);
    await expectClose(whole, expected.values('frames.whole'), 1e-4);
    // A short sound fills a window.
    expect(convert(sounds[0] as Float32Array, { truncate: false }).shape).toEqual([1, 100, 12]);
    expect(() => convert(sounds, { truncate: 1 } as never)).toThrow(/truncate/);
    expect(() => convert(sounds, { truncated: true } as never)).toThrow(/truncate/);
    for (const none of [[], new Float32Array(0), [1, 2]])
      expect(() => convert(none as never)).toThrow(ValueError);
    expect(() => convert(zeros([100, 2]))).toThrow(ShapeError);
  });

  test.each([
    [{ dither: 0.1 }, 'dither'],
    [{ feature_extractor_type: 'Wav2Vec2FeatureExtractor' }, 'feature_extractor_type'],
    [{ chunk_length: 1e9 }, 'chunk_length'],
    [{ n_fft: 1e7 }, 'n_fft'],
    [{ window: 'hann' }, 'window'],
  ])('refuses %o by its field', async (config, field) => {
    const file = new File([JSON.stringify(config)], 'preprocessor_config.json');
    const error = await loadAudioConverter([file]).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as Error).message).toContain(`\`${field}\``);
  });
});
