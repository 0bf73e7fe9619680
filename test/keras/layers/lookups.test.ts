/**
 * @file Layers that look up and hash strings and integers. Expected values come from Keras's own tests and docstrings
 * (3.15), from users of FarmHash, and from the SipHash paper.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { type ByteSource, bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive, readText } from '../../../src/formats/keras/index.ts';
import { writeZip, ZipArchive } from '../../../src/formats/zip/index.ts';
import { FormatError, init, ShapeError, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { layers, modelFromJSON, modelToJSON, sequential } from '../../../src/keras/index.ts';
import { fingerprint64 } from '../../../src/keras/layers/preprocessing/hashes/farmHash.ts';
import { sipHash } from '../../../src/keras/layers/preprocessing/hashes/sipHash.ts';

beforeAll(async () => {
  await init();
});

const bytes = (text: string) => new TextEncoder().encode(text);
const valuesOf = async (x: Tensor) => Array.from(await x.data());
const close = (values: readonly number[], expected: readonly number[]) => {
  expect(values).toHaveLength(expected.length);
  values.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i] as number, 5);
  });
};

describe('hashes', () => {
  test.each([
    ['', 0x9ae16a3b2f90404fn],
    ['a', 0xb3454265b6df75e3n],
    ['abc', 0x24a5b3a074e7f369n],
    ['abcde', 0xc22f4663e54e04d4n],
    ['#cDR^sLO', 328147020574120176n],
    ['?c^6BkI#-SLw', 13133570674398037786n],
    ['9JqLl0AW7e69Y.&vMHQ5C', 2827089714349584095n],
    ['wi=%v]GoIPI6zm[Rrgmq]7J?.|', 8222623341199956836n],
    ['2/?98ns)xbzEVL^:wCS$7l3@_g!zP^<D.-bd6', 9728733090894310797n],
    ['F7479877-4690-4A44-AFC9-8FE987EA512F:some_other_id', 6862335115798125349n],
  ])('the fingerprint of %j', (text, expected) => {
    expect(fingerprint64(bytes(text))).toBe(expected);
  });

  test('SipHash of its paper', () => {
    const key = [0x0706050403020100n, 0x0f0e0d0c0b0a0908n] as const;
    expect(
      sipHash(
        Uint8Array.from({ length: 15 }, (_, i) => i),
        key,
      ),
    ).toBe(0xa129ca6149be45e5n);
  });
});

describe('hashing', () => {
  const words = ['omar', 'stringer', 'marlo', 'wire', 'skywalker'];
  test.each([
    [{ numBins: 2 }, words, [0, 0, 1, 0, 0]],
    [{ numBins: 3, maskValue: '' }, words, [1, 1, 2, 1, 1]],
    [{ numBins: 3, maskValue: 'omar' }, words, [0, 1, 2, 1, 1]],
    [{ numBins: 2, salt: [133, 137] }, words, [0, 1, 0, 1, 0]],
    [{ numBins: 2, salt: [211, 137] }, words, [1, 0, 1, 0, 1]],
    [{ numBins: 1 }, words, [0, 0, 0, 0, 0]],
    [{ numBins: 3 }, [0, 1, 2, 3, 4], [1, 0, 1, 0, 2]],
    [{ numBins: 3, salt: [133, 137] }, [0, 1, 2, 3, 4], [1, 1, 2, 0, 1]],
  ])('%j', async (options, inputs, expected) => {
    const layer = layers.hashing(options as layers.HashingOptions);
    const column = layers.Hashing.fromConfig(layer.getConfig() as never).apply(
      inputs.map((value) => [value]) as never,
    );
    expect(column.shape).toEqual([5, 1]);
    expect(column.dtype).toBe('int32');
    expect(await valuesOf(column)).toEqual(expected);
  });

  test('encodings of buckets', async () => {
    const hot = layers.hashing({ numBins: 2, outputMode: 'oneHot' }).apply(['omar', 'marlo']);
    expect(await valuesOf(hot)).toEqual([1, 0, 0, 1]);
    const counted = layers.hashing({ numBins: 2, outputMode: 'count' }).apply([words]);
    expect(await valuesOf(counted)).toEqual([4, 1]);
  });

  test('features that occur together', async () => {
    const features = [
      ['A', 'B', 'A', 'B', 'A'],
      [101, 101, 101, 102, 102],
    ];
    expect(await valuesOf(layers.hashedCrossing({ numBins: 5 }).apply(features))).toEqual([1, 4, 1, 1, 3]);
    const hot = layers.hashedCrossing({ numBins: 5, outputMode: 'oneHot' }).apply(features);
    expect(hot.shape).toEqual([5, 5]);
    expect((await valuesOf(hot)).slice(0, 10)).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
  });
});

const rows = [
  ['a', 'c', 'd'],
  ['d', 'z', 'b'],
];
const vocabulary = ['a', 'b', 'c', 'd'];

describe('stringLookup', () => {
  test('a vocabulary that is given, and one that is learned', async () => {
    const given = layers.stringLookup({ vocabulary });
    expect(await valuesOf(given.apply(rows))).toEqual([1, 3, 4, 4, 0, 2]);
    const learned = layers.stringLookup();
    learned.adapt(rows);
    expect(learned.getVocabulary()).toEqual(['[UNK]', 'd', 'z', 'c', 'b', 'a']);
    expect(await valuesOf(learned.apply(rows))).toEqual([5, 3, 1, 1, 2, 4]);
    const again = layers.StringLookup.fromConfig(JSON.parse(JSON.stringify(learned.getConfig())));
    expect(again.getVocabulary()).toEqual(learned.getVocabulary());
  });

  test('several indices of unknown strings, a mask, and back', async () => {
    const data = [
      ['a', 'c', 'd'],
      ['m', 'z', 'b'],
    ];
    const two = layers.stringLookup({ vocabulary, numOovIndices: 2 });
    expect(await valuesOf(two.apply(data))).toEqual([2, 4, 5, 0, 1, 3]);
    const masked = layers.stringLookup({ vocabulary, maskToken: '' });
    expect(await valuesOf(masked.apply(['', 'x', 'a']))).toEqual([0, 1, 2]);
    const inverse = layers.stringLookup({
      vocabulary: masked.getVocabulary(),
      maskToken: '',
      invert: true,
    });
    expect(
      inverse.apply([
        [2, 0],
        [9, 5],
      ]),
    ).toEqual([
      ['a', ''],
      ['[UNK]', 'd'],
    ]);
  });

  test('encodings, with weights as in Keras', async () => {
    const data = [
      ['a', 'c', 'd', 'd'],
      ['d', 'z', 'b', 'z'],
    ];
    const encoded = (options: layers.StringLookupOptions) =>
      layers.stringLookup({ vocabulary, ...options }).apply(data);
    expect(await valuesOf(encoded({ outputMode: 'multiHot' }))).toEqual([0, 1, 0, 1, 1, 1, 0, 1, 0, 1]);
    expect(await valuesOf(encoded({ outputMode: 'count' }))).toEqual([0, 1, 0, 1, 2, 2, 0, 1, 0, 1]);
    const weighed = encoded({ outputMode: 'tfIdf', idfWeights: [0.25, 0.75, 0.6, 0.4] });
    close(await valuesOf(weighed), [0, 0.25, 0, 0.6, 0.8, 1, 0, 0.75, 0, 0.4]);
    const padded = encoded({ outputMode: 'count', maxTokens: 7, padToMaxTokens: true });
    expect(padded.shape).toEqual([2, 7]);
    const learned = layers.stringLookup({ outputMode: 'tfIdf' });
    learned.adapt(data);
    // log(1 + 2 / (1 + documents)) for d, z, c, b, a.
    const [both, one] = [Math.log(1 + 2 / 3), Math.log(2)];
    close(await valuesOf(learned.apply([['d'], ['q']])), [
      0,
      both,
      0,
      0,
      0,
      0,
      (both + 4 * one) / 5,
      0,
      0,
      0,
      0,
      0,
    ]);
    const again = layers.StringLookup.fromConfig(learned.getConfig() as never);
    close(await valuesOf(again.apply([['d', 'd']])), [0, 2 * both, 0, 0, 0, 0]);
  });

  test.each([
    [() => layers.stringLookup().apply(['a']), ValueError],
    [() => layers.stringLookup({ vocabulary: ['a', 'a'] }), ValueError],
    [() => layers.stringLookup({ vocabulary: [] }), ValueError],
    [() => layers.stringLookup({ vocabulary, maxTokens: 3 }), ValueError],
    [() => layers.stringLookup({ vocabulary, outputMode: 'tfIdf' }), ValueError],
    [() => layers.stringLookup({ vocabulary, numOovIndices: 0 }).apply(['x']), ValueError],
    [() => layers.stringLookup({ vocabulary, invert: true, outputMode: 'count' }), ValueError],
    [() => layers.stringLookup({ vocabulary }).apply([['a'], ['a', 'b']]), ShapeError],
    [() => layers.stringLookup({ vocabulary }).apply(tensor([1]) as never), ValueError],
    [() => layers.stringLookup({ vocabularies: vocabulary } as never), ValueError],
    [() => layers.hashing({ numBins: 2, salt: [1] as never }), ValueError],
    [() => layers.hashedCrossing({ numBins: 2 }).apply([['a']]), ShapeError],
    [() => layers.textVectorization({ outputMode: 'count', outputSequenceLength: 3 }), ValueError],
    [() => layers.integerLookup({ salt: 3 }), ValueError],
  ])('bad input: %s', (call, type) => {
    expect(call).toThrow(type);
  });
});

describe('integerLookup', () => {
  const tokens = [12, 36, 1138, 42];
  const ids = () =>
    tensor(
      [
        [12, 1138, 42],
        [42, 1000, 36],
      ],
      { dtype: 'int32' },
    );

  test('in a model, from Keras’s JSON and back', async () => {
    const net = sequential([
      layers.inputLayer({ shape: [3], dtype: 'int32' }),
      layers.integerLookup({ vocabulary: tokens }),
    ]);
    expect(await valuesOf(net.apply(ids()) as Tensor)).toEqual([1, 3, 4, 4, 0, 2]);
    const json = JSON.parse(modelToJSON(net));
    expect(json.config.layers[1].config).toMatchObject({
      vocabulary: tokens,
      num_oov_indices: 1,
      oov_token: -1,
      vocabulary_size: 5,
    });
    const again = modelFromJSON(JSON.stringify(json));
    expect(await valuesOf(again.apply(ids()) as Tensor)).toEqual([1, 3, 4, 4, 0, 2]);
  });

  test('remainders of unknown numbers, a mask, and back', async () => {
    const two = layers.integerLookup({ vocabulary: tokens, numOovIndices: 2, maskToken: 0 });
    const apply = (layer: layers.IntegerLookup, values: number[]) =>
      valuesOf(layer.apply(tensor(values, { dtype: 'int32' })) as Tensor);
    expect(await apply(two, [0, 1000, 1001, -3, 12])).toEqual([0, 1, 2, 2, 3]);
    const inverse = layers.integerLookup({ vocabulary: tokens, invert: true });
    expect(await apply(inverse, [1, 4, 0, 9, -2])).toEqual([12, 42, -1, -1, -1]);
    const counted = layers.integerLookup({ vocabulary: tokens, outputMode: 'count' });
    expect(await valuesOf(counted.apply(ids()) as Tensor)).toEqual([0, 1, 0, 1, 1, 1, 0, 1, 0, 1]);
  });

  describe('in a file', () => {
    const made = async (outputMode: 'int' | 'multiHot', numbers: number[] | null = [7, 7, 3, 9]) => {
      const lookup = layers.integerLookup({ outputMode, name: 'ids' });
      if (numbers) await lookup.adapt(numbers);
      const net = sequential([layers.inputLayer({ shape: [2], dtype: 'int32' }), lookup]);
      return net;
    };
    const saved = async (net: Awaited<ReturnType<typeof made>>) => {
      const target = new BytesTarget();
      await net.save(target);
      const archive = await ZipArchive.open(bytesSource(target.bytes, 'net.keras'));
      const { config } = await openKerasArchive(archive);
      return { bytes: target.bytes, archive, options: JSON.parse(config).config.layers[1].config };
    };
    const vocabulary = 'assets/layers/integer_lookup/vocabulary.txt';

    test.each(['int', 'multiHot'] as const)('a vocabulary that was learned, with %s', async (mode) => {
      const net = await made(mode);
      const { bytes, archive, options } = await saved(net);
      expect(options).toMatchObject({ vocabulary: null, vocabulary_size: 4 });
      expect(await readText(archive, vocabulary)).toBe('-1\n7\n9\n3');
      const x = tensor(
        [
          [3, 7],
          [8, 9],
        ],
        { dtype: 'int32' },
      );
      const again = await loadModel(bytes);
      expect(await valuesOf(again.apply(x) as Tensor)).toEqual(await valuesOf(net.apply(x) as Tensor));
      // Once more: what was read is learned, too.
      expect((await saved(again as never)).options).toEqual(options);
    });

    test('none, and one that does not fit', async () => {
      const { bytes } = await saved(await made('int', null));
      const empty = (await loadModel(bytes)).getLayer('ids') as layers.IntegerLookup;
      expect(empty.getVocabulary(false)).toEqual([]);
      const { archive } = await saved(await made('multiHot'));
      for (const [text, message] of [
        ['-1\n7\nx\n3', /integer[\s\S]*x/],
        ['-1\n7\n7\n3', /once/],
        ['-1\n7\n3', /4 indices[\s\S]*3/],
        ['-1\n7\n9\n5000000000', /tokens/],
      ] as const) {
        const entries = await Promise.all(
          archive.names.map(async (name) => {
            const entry = (await archive.entry(name)) as ByteSource;
            const stored = await entry.read(0, entry.size);
            return { name, pieces: [name === vocabulary ? new TextEncoder().encode(text) : stored] };
          }),
        );
        const target = new BytesTarget();
        await target.write(writeZip(entries));
        const error = await loadModel(target.bytes).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(FormatError);
        expect(String(error)).toMatch(message);
        expect(String(error)).toContain('assets/layers/integer_lookup');
      }
    });
  });

  test('learns from numbers and tensors', async () => {
    const layer = layers.integerLookup();
    await layer.adapt([
      [12, 1138, 42],
      [42, 1000, 36],
    ]);
    expect(layer.getVocabulary()).toEqual([-1, 42, 1138, 1000, 36, 12]);
    const other = layers.integerLookup();
    await other.adapt(ids());
    expect(other.getVocabulary()).toEqual(layer.getVocabulary());
  });
});

describe('textVectorization', () => {
  test('texts as indices', async () => {
    const layer = layers.textVectorization({ maxTokens: 5000, outputSequenceLength: 4 });
    layer.adapt(['foo bar', 'bar baz', 'baz bada boom']);
    expect(layer.getVocabulary()).toEqual(['', '[UNK]', 'baz', 'bar', 'foo', 'boom', 'bada']);
    expect(await valuesOf(layer.apply([['foo qux bar'], ['qux baz']]))).toEqual([4, 1, 3, 0, 1, 2, 0, 0]);
    const again = layers.TextVectorization.fromConfig(JSON.parse(JSON.stringify(layer.getConfig())));
    expect(await valuesOf(again.apply(['Foo, QUX! bar?\t baz baz']))).toEqual([4, 1, 3, 2]);
  });

  test('custom steps, n-grams and encodings', async () => {
    const bigrams = layers.textVectorization({ ngrams: 2, outputMode: 'multiHot' });
    bigrams.adapt(['a b', 'b a']);
    expect(bigrams.getVocabulary()).toEqual(['[UNK]', 'b', 'a', 'b a', 'a b']);
    expect(await valuesOf(bigrams.apply(['a b c']))).toEqual([1, 1, 1, 0, 1]);
    const characters = layers.textVectorization({
      split: 'character',
      standardize: null,
      vocabulary: ['é', 'A'],
    });
    expect(await valuesOf(characters.apply('Aé!'))).toEqual([3, 2, 1]);
    const own = layers.textVectorization({
      split: (text) => text.split('-'),
      standardize: (text) => text.trim(),
      vocabulary: ['x', 'y'],
    });
    const ragged = own.apply([' x-y ', 'y']);
    expect(ragged.shape).toEqual([2, 2]);
    expect(await valuesOf(ragged)).toEqual([2, 3, 3, 0]);
    const whole = layers.textVectorization({ split: null, vocabulary: ['new york'] });
    expect(await valuesOf(whole.apply([['New York', 'x']]))).toEqual([2, 1]);
  });
});
