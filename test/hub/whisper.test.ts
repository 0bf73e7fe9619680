/** @file Whisper: what it writes, token for token as transformers, and spectrograms of sounds. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory, ShapeError, ValueError, zeros } from '../../src/index.ts';
import { AudioToText, fromPretrained, loadAudioConverter } from '../../src/hub/index.ts';
import { Expected, expectClose, folderOf } from './checkpoints.ts';

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
