/** @file Generation: streams, sampling, stop tokens, aborting, and what is freed. Greedy tokens are in pretrained.test.ts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory, tensor, ValueError } from '../../src/index.ts';
import { typical } from '../../src/hub/generation/likely.ts';
import { type CausalLM, fromPretrained, loadGenerationOptions } from '../../src/hub/index.ts';
import { Expected, folderOf } from './checkpoints.ts';

let net: CausalLM;
const expected = new Expected('qwen2');
const prompts = [0, 1].map((i) => expected.values(`prompt.${i}`));
const greedy = [0, 1].map((i) => expected.values(`generated.${i}`));

beforeAll(async () => {
  await init();
  net = await fromPretrained(folderOf('qwen2'), { task: 'causalLM' });
});

test('streams tokens, also to a callback, and frees everything', async () => {
  await net.generate(prompts, { maxNewTokens: 2 });
  const before = memory().bytes;
  const streamed: number[][] = [[], []];
  const called: number[][] = [[], []];
  const onToken = (token: number, prompt: number) => called[prompt]?.push(token);
  for await (const { token, prompt } of net.stream(prompts, { maxNewTokens: 5, onToken }))
    streamed[prompt]?.push(token);
  expect(streamed).toEqual(greedy.map((tokens) => tokens.slice(0, 5)));
  expect(called).toEqual(streamed);
  expect(memory().bytes).toBe(before);
});

test('ends at stop tokens, each text by itself', async () => {
  const [first, second] = greedy as [number[], number[]];
  const stop = first.find((token) => !second.includes(token)) ?? (first[3] as number);
  const untilStop = (tokens: number[]) =>
    tokens.includes(stop) ? tokens.slice(0, tokens.indexOf(stop) + 1) : tokens;
  const made = await net.generate(prompts, { maxNewTokens: 12, stopTokens: [stop] });
  expect(made).toEqual([untilStop(first), untilStop(second)]);
});

test('a text has as many tokens as the network has positions', async () => {
  const gpt2 = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
  const prompt = new Array<number>(30).fill(5);
  // The last of 33 tokens isn't read.
  const [made] = await gpt2.generate([prompt], { stopTokens: [] });
  expect(made?.length).toBe(3);
  expect(await gpt2.generate([prompt], { maxNewTokens: 3, stopTokens: [] })).toEqual([made]);
  const [searched] = await gpt2.generate([prompt], { numBeams: 2, stopTokens: [] });
  expect(searched?.length).toBe(3);
  for (const [given, options] of [
    [prompt, { maxNewTokens: 4 }],
    [[...prompt, 1, 2, 3], {}],
  ] as const)
    await expect(gpt2.generate([given], options)).rejects.toThrow(ValueError);
  gpt2.dispose();
});

describe('what is in a text changes what follows, as in transformers', () => {
  let gpt2: CausalLM;
  beforeAll(async () => {
    gpt2 = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
    await gpt2.generate([[5]], { maxNewTokens: 2, minNewTokens: 1 });
  });

  // Greedy tokens of transformers 5.18, each prompt by itself.
  test.each([
    [
      { repetitionPenalty: 1.8 },
      [25, 54, 26, 12, 60, 30, 19, 11, 29, 59, 0, 62],
      [8, 52, 4, 56, 14, 22, 61, 24, 29, 26, 22, 41],
    ],
    [
      { repetitionPenalty: 0.6 },
      [25, 25, 25, 24, 24, 14, 14, 24, 24, 24, 24, 24],
      [7, 7, 7, 14, 14, 14, 14, 14, 14, 14, 14, 14],
    ],
    [
      { noRepeatNgramSize: 1 },
      [25, 54, 26, 12, 60, 30, 19, 11, 29, 59, 0, 62],
      [8, 52, 4, 56, 14, 22, 61, 24, 29, 26, 11, 0],
    ],
    [
      { noRepeatNgramSize: 2 },
      [25, 25, 24, 24, 22, 22, 61, 24, 29, 29, 22, 41],
      [8, 52, 52, 22, 22, 52, 8, 8, 22, 24, 52, 24],
    ],
    [{ minNewTokens: 5, stopTokens: [52] }, null, [8, 8, 8, 22, 22, 52]],
    [
      { minNewTokens: 5, stopTokens: [52], noRepeatNgramSize: 2, repetitionPenalty: 1.4 },
      null,
      [8, 22, 29, 26, 14, 56, 52],
    ],
  ])('%o', async (options, first, second) => {
    const before = memory().bytes;
    const prompts = [
      [5, 9, 14, 20],
      [31, 7],
    ];
    const [one, other] = await gpt2.generate(prompts, { maxNewTokens: 12, ...options });
    if (first) expect(one).toEqual(first);
    expect(other).toEqual(second);
    expect(memory().bytes).toBe(before);
  });

  test.each([
    [{ suppressTokens: [8, 22, 25] }, [24, 26, 12, 34, 34, 34, 19, 11], [7, 52, 52, 14, 14, 14, 14, 14]],
    [{ beginSuppressTokens: [8, 25] }, [24, 22, 15, 15, 15, 12, 26, 1], [7, 8, 52, 14, 14, 14, 14, 14]],
    [
      { suppressTokens: [8, 25], numBeams: 3, noRepeatNgramSize: 2 },
      [26, 34, 12, 12, 26, 14, 19, 19],
      [52, 52, 4, 56, 14, 14, 22, 22],
    ],
  ])('%o, in eight tokens', async (options, first, second) => {
    const texts = [
      [5, 9, 14, 20],
      [31, 7],
    ];
    expect(await gpt2.generate(texts, { maxNewTokens: 8, ...options })).toEqual([first, second]);
  });

  test.each([
    [{ typicalP: 0 }, /typicalP/],
    [{ typicalP: 1.1 }, /typicalP: 1.1/],
    [{ suppressTokens: [67] }, /suppressTokens/],
    [{ beginSuppressTokens: 5 }, /beginSuppressTokens/],
    [{ repetitionPenalty: 0 }, /repetitionPenalty/],
    [{ noRepeatNgramSize: -1 }, /noRepeatNgramSize/],
    [{ minNewTokens: 1.5 }, /minNewTokens/],
    [{ minP: 1.5 }, /minP/],
    [{ badWords: [[]] }, /badWords/],
    [{ badWords: [[67]] }, /badWords/],
    [{ stopStrings: ['a'] }, /decode/],
    [{ stopStrings: [''], decode: String }, /stopStrings/],
    [{ numBeams: 0 }, /numBeams/],
    [{ numBeams: 4, temperature: 1 }, /numBeams: 4, temperature: 1/],
    [{ numBeams: 4, onToken: () => {} }, /onToken/],
    [{ numBeams: 2, numReturnSequences: 3 }, /numReturnSequences: 3/],
    [{ earlyStopping: 'soon' }, /earlyStopping/],
    [{ lengthPenalty: Number.NaN }, /lengthPenalty/],
  ])('refuses %o', async (options, message) => {
    const making = gpt2.generate([[5]], options as never);
    await expect(making).rejects.toThrow(message);
    await expect(making).rejects.toThrow(ValueError);
  });
});

describe('searches', () => {
  const two = [
    [5, 9, 14, 20],
    [31, 7],
  ];
  let gpt2: CausalLM;
  beforeAll(async () => {
    gpt2 = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
    await gpt2.generate([[5]], { maxNewTokens: 2, numBeams: 2, badWords: [[1]] });
  });

  // Beams of transformers 5.18, each prompt by itself.
  test.each([
    [{ numBeams: 3 }, [[25, 26, 12, 12, 26, 14]], [[8, 52, 52, 52, 8, 8]]],
    [
      { numBeams: 3, numReturnSequences: 2, stopTokens: [25, 52], lengthPenalty: 2 },
      [
        [26, 34, 34, 34, 34, 34],
        [26, 34, 34, 34, 26, 14],
      ],
      [
        [8, 22, 22, 22, 22, 52],
        [8, 22, 22, 22, 8, 52],
      ],
    ],
    [{ numBeams: 2, stopTokens: [8, 25], earlyStopping: true }, [[25]], [[8]]],
    [
      {
        numBeams: 3,
        stopTokens: [8],
        earlyStopping: 'never',
        lengthPenalty: 0.5,
        noRepeatNgramSize: 2,
        badWords: [[25], [8, 52]],
      },
      [[26, 34, 12, 12, 26, 14]],
      [[8]],
    ],
    [
      { badWords: [[25], [8, 8], [2]], stopTokens: [2] },
      [[24, 22, 15, 15, 15, 12]],
      [[8, 52, 52, 52, 8, 52]],
    ],
  ] as const)('%o', async (options, ...wanted) => {
    const before = memory().bytes;
    expect(await gpt2.generate(two, { maxNewTokens: 6, ...options })).toEqual(wanted.flat());
    expect(memory().bytes).toBe(before);
  });

  test('are aborted, and have no stream', async () => {
    const before = memory().bytes;
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(gpt2.generate(two, { numBeams: 2, signal })).rejects.toThrow('enough');
    await expect(gpt2.stream(two, { numBeams: 2 }).next()).rejects.toThrow(/stream/);
    expect(memory().bytes).toBe(before);
  });
});

describe('stop strings', () => {
  const decode = (tokens: number[]) => tokens.map((token) => `<${token}>`).join('');
  const textOf = (tokens: readonly number[]) => decode([...tokens]);

  test('end a text with the token that completes one', async () => {
    const [first] = greedy as [number[]];
    const stop = textOf(first.slice(2, 4)).slice(1, -1);
    const [made = []] = await net.generate(prompts.slice(0, 1), { stopStrings: ['none', stop], decode });
    expect(textOf(made)).toContain(stop);
    expect(textOf(made.slice(0, -1))).not.toContain(stop);
  });

  test('may begin in the prompt, but what the prompt has already ends nothing', async () => {
    const prompt = prompts[0] as number[];
    const [first] = greedy as [number[]];
    const across = `${prompt.at(-1)}><${first[0]}`;
    const options = { maxNewTokens: 5, decode };
    expect(await net.generate([prompt], { ...options, stopStrings: [across] })).toEqual([first.slice(0, 1)]);
    const before = textOf(prompt);
    expect(await net.generate([prompt], { ...options, stopStrings: [before] })).toEqual([first.slice(0, 5)]);
  });

  test('may be completed by a part of a character', async () => {
    // Each token is a byte of an é.
    const bytes = (tokens: number[]) =>
      new TextDecoder().decode(new Uint8Array(tokens.map((_, i) => [0xc3, 0xa9][i % 2] as number)));
    const prompt = [5];
    const options = { maxNewTokens: 5, stopStrings: ['é'], decode: bytes };
    expect((await net.generate([prompt], options))[0]).toHaveLength(1);
  });
});

describe('sampling', () => {
  test('makes several texts of a prompt', async () => {
    const options = { maxNewTokens: 4, temperature: 3, seed: 1, numReturnSequences: 3 };
    const made = await net.generate(prompts, options);
    expect(made).toHaveLength(6);
    const copies = prompts.flatMap((prompt) => [prompt, prompt, prompt]);
    expect(made).toEqual(await net.generate(copies, { ...options, numReturnSequences: 1 }));
  });

  test('leaves out what is less probable than minP times the best', async () => {
    const prompt = prompts[0] as number[];
    const logits = await net.apply(tensor([prompt], { dtype: 'int32' })).data();
    const last = [...logits.slice(-net.backbone.tokenEmbedding.inputDim)];
    const best = Math.max(...last);
    const allowed = last.flatMap((logit, token) => (Math.exp((logit - best) / 2) >= 0.6 ? [token] : []));
    const copies = Array.from({ length: 200 }, () => prompt);
    const drawn = (
      await net.generate(copies, { maxNewTokens: 1, temperature: 2, minP: 0.6, seed: 5 })
    ).flat();
    expect([...new Set(drawn)].sort((a, b) => a - b)).toEqual(allowed);
  });

  test('draws typical tokens: those that TypicalLogitsWarper leaves', async () => {
    const logits = [
      [-0.15, 0.72, -1.56, 0.14, 1.33, -0.57, 3.24, -3.19, -0.1],
      [-0.61, 0.5, -0.07, -0.69, 0.99, -0.16, -3.61, -0.95, -0.59],
      [-0.7, 2.71, 0.75, 0.03, 1.55, -0.22, -0.54, 0.28, 0.26],
    ];
    const left = async (typicalP: number) => {
      const values = await typical(tensor(logits), typicalP, 1.5).data();
      return logits.map((row, i) =>
        row.flatMap((logit, j) => (Math.fround(logit) === values[9 * i + j] ? [j] : [])),
      );
    };
    expect(await left(0.2)).toEqual([
      [1, 4],
      [2, 5],
      [2, 4],
    ]);
    expect(await left(0.5)).toEqual([
      [1, 4, 6],
      [1, 2, 5, 8],
      [1, 2, 3, 4, 7, 8],
    ]);
    expect(await left(0.9)).toEqual([
      [0, 1, 3, 4, 6, 8],
      [0, 1, 2, 3, 4, 5, 8],
      [1, 2, 3, 4, 5, 7, 8],
    ]);
    const draws = { maxNewTokens: 3, temperature: 2, typicalP: 0.5, seed: 5 };
    expect(await net.generate(prompts, draws)).toEqual(await net.generate(prompts, draws));
  });

  test('repeats with a seed, and is greedy where one token is left', async () => {
    const draw = (seed: number) =>
      net.generate(prompts, { maxNewTokens: 8, temperature: 3, seed, stopTokens: [] });
    const [one, again, other] = [await draw(1), await draw(1), await draw(2)];
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    const wanted = greedy.map((tokens) => tokens.slice(0, 4));
    expect(await net.generate(prompts, { maxNewTokens: 4, temperature: 2, topK: 1 })).toEqual(wanted);
    expect(await net.generate(prompts, { maxNewTokens: 4, temperature: 2, topP: 1e-6 })).toEqual(wanted);
  });

  test('draws tokens by their probabilities', async () => {
    const prompt = prompts[0] as number[];
    const logits = await net.apply(tensor([prompt], { dtype: 'int32' })).data();
    const last = [...logits.slice(-net.backbone.tokenEmbedding.inputDim)].map((logit) => Math.exp(logit / 2));
    const total = last.reduce((sum, weight) => sum + weight, 0);
    const count = 400;
    const copies = Array.from({ length: count }, () => prompt);
    const drawn = (await net.generate(copies, { maxNewTokens: 1, temperature: 2, seed: 5 })).flat();
    // The most probable token, within five standard deviations.
    const likely = last.indexOf(Math.max(...last));
    const p = (last[likely] as number) / total;
    const found = drawn.filter((token) => token === likely).length;
    expect(Math.abs(found - count * p)).toBeLessThan(5 * Math.sqrt(count * p * (1 - p)));
  });
});

test('is for networks whose tokens see no later ones', async () => {
  const net = await fromPretrained(folderOf('gemma3-both'), { task: 'causalLM' });
  await expect(net.generate([[5, 9]], { maxNewTokens: 1 })).rejects.toThrow(/attention in both directions/);
  net.dispose();
});

test('is aborted before its next token, and frees everything', async () => {
  const before = memory().bytes;
  const controller = new AbortController();
  const tokens: number[] = [];
  const onToken = (token: number) => {
    tokens.push(token);
    if (tokens.length === 3) controller.abort(new Error('enough'));
  };
  const options = { maxNewTokens: 12, onToken, signal: controller.signal };
  await expect(net.generate(prompts.slice(0, 1), options)).rejects.toThrow('enough');
  expect(tokens).toEqual(greedy[0]?.slice(0, 3));
  for await (const _ of net.stream(prompts)) break;
  expect(memory().bytes).toBe(before);
});

test.each([
  ['no prompts', [], {}],
  ['an empty prompt', [[]], {}],
  ['a token that there is not', [[61]], {}],
  ['a text', ['once'], {}],
  ['a fraction of a token', [[1]], { maxNewTokens: 0.5 }],
  ['a negative temperature', [[1]], { temperature: -1 }],
  ['a topP above 1', [[1]], { temperature: 1, topP: 2 }],
  ['a topK of 0', [[1]], { temperature: 1, topK: 0 }],
  ['a seed of text', [[1]], { seed: 'a' }],
  ['an option that there is not', [[1]], { maxTokens: 3 }],
])('rejects %s', async (_, given, options) => {
  const before = memory().bytes;
  await expect(net.generate(given as never, options as never)).rejects.toThrow(ValueError);
  expect(memory().bytes).toBe(before);
});

describe('the settings of generation_config.json', () => {
  const load = (fields: object, options = {}) =>
    loadGenerationOptions(
      { 'generation_config.json': new File([JSON.stringify(fields)], 'a.json') },
      options,
    );

  test('are options, as transformers reads them', async () => {
    const drawn = { do_sample: true, temperature: 0.6, top_p: 0.9, eos_token_id: [1, 2], pad_token_id: 0 };
    expect(await load(drawn)).toEqual({ temperature: 0.6, topK: 50, topP: 0.9 });
    expect(await load({ do_sample: true, top_k: 0, typical_p: 0.8 })).toEqual({
      temperature: 1,
      typicalP: 0.8,
    });
    expect(await load({ temperature: 0.6, top_k: 20, max_length: 30, transformers_version: '5' })).toEqual(
      {},
    );
    const search = { num_beams: 3, early_stopping: true, length_penalty: 2, repetition_penalty: 1.1 };
    expect(await load({ ...search, max_new_tokens: 9, bad_words_ids: [[4]], guidance_scale: 1 })).toEqual({
      numBeams: 3,
      earlyStopping: true,
      lengthPenalty: 2,
      repetitionPenalty: 1.1,
      maxNewTokens: 9,
      badWords: [[4]],
    });
    expect(await load({ suppress_tokens: [3], begin_suppress_tokens: null })).toEqual({
      suppressTokens: [3],
    });
  });

  test('are refused where generate has no option, unless the app leaves them out', async () => {
    const fields = { guidance_scale: 2, max_time: 3, epsilon_cutoff: 0, num_beams: 2 };
    await expect(load(fields)).rejects.toThrow(FormatError);
    await expect(load(fields)).rejects.toThrow(/guidance_scale: 2; max_time: 3/);
    expect(await load(fields, { ignoreConfig: ['guidance_scale', 'max_time'] })).toEqual({ numBeams: 2 });
    await expect(load(fields, { ignoreConfig: 'max_time' })).rejects.toThrow(ValueError);
    await expect(loadGenerationOptions({})).rejects.toThrow(FormatError);
  });
});
