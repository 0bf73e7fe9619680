/** @file State dictionaries of PyTorch, compared with PyTorch's values. */
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FormatError, UnsafeModelError } from '../../src/index.ts';
import { type HostTensor, readPyTorch, readSafetensors } from '../../src/io/index.ts';
import { writeZip } from '../../src/formats/zip/index.ts';

const folder = new URL('../fixtures/pytorch/', import.meta.url);
const read = (file: string) => fs.readFileSync(new URL(file, folder));
const values = ({ data }: HostTensor) => [...data].map(Number);

describe('tensors', async () => {
  const expected = readSafetensors(read('dtypes.safetensors')).tensors;
  const found = await readPyTorch(read('dtypes.pt'));

  test.each([...expected.keys()])('%s', (name) => {
    const [mine, theirs] = [found.get(name), expected.get(name)] as [HostTensor, HostTensor];
    expect(mine.shape).toEqual(theirs.shape);
    expect(values(mine)).toEqual(values(theirs));
  });

  test('dtypes', () => {
    expect(found.size).toBe(expected.size);
    const dtypes = Object.fromEntries([...found].map(([name, { dtype }]) => [name, dtype]));
    expect(dtypes).toMatchObject({ bfloat16: 'float32', int64: 'int32', uint32: 'uint32', bool: 'bool' });
    expect(({} as { shape?: unknown }).shape).toBeUndefined();
  });

  test('the other order of bytes', async () => {
    const swapped = await readPyTorch(read('big_endian.pt'));
    for (const [name, tensor] of swapped)
      expect(values(tensor), name).toEqual(values(expected.get(name) as HostTensor));
    expect(swapped.size).toBe(3);
  });

  test('tensors that share a storage', async () => {
    const shared = await readPyTorch(read('shared.pt'));
    expect(Object.fromEntries([...shared].map(([name, tensor]) => [name, values(tensor)]))).toEqual({
      a: [0, 1, 2, 3, 4, 5],
      b: [2, 3, 4, 5],
      c: [0, 3, 1, 4, 2, 5],
    });
  });

  test('checkpoints, and files before PyTorch 1.6', async () => {
    const net = await readPyTorch(read('network.pth'));
    const legacy = await readPyTorch(read('network_legacy.pth'));
    const checkpoint = await readPyTorch(read('checkpoint.pth'));
    expect(legacy).toEqual(net);
    expect([...checkpoint.keys()]).toEqual([...net.keys()].map((name) => `module.${name}`));
    expect([...checkpoint.values()]).toEqual([...net.values()]);
  });
});

/** Returns a file of PyTorch with a pickle of these bytes. */
async function fileOf(pickle: readonly (number | string)[]): Promise<Uint8Array> {
  const bytes = pickle.flatMap((part) =>
    typeof part === 'number' ? [part] : [...Buffer.from(part, 'latin1')],
  );
  const pieces: Uint8Array[] = [];
  const entries = [
    { name: 'a/data.pkl', pieces: [Uint8Array.from(bytes)] },
    { name: 'a/data/0', pieces: [new Uint8Array(16)] },
  ];
  for await (const piece of writeZip(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** {'w': a tensor} with this offset, size and strides, of a storage of four floats. */
const view = (offset: string, size: string, strides: string) => [
  '\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n',
  '((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ',
  `${offset}${size}${strides}\x89ccollections\nOrderedDict\n)RtRs.`,
];

describe('pickles that are not state dictionaries', () => {
  test.each<[string, readonly (number | string)[], RegExp]>([
    ['a function', ['\x80\x02cos\nsystem\n(X\x02\x00\x00\x00lstR.'], /'os\.system'/],
    ['a function by name on the stack', ['\x80\x04\x8c\x02os\x8c\x06system\x93.'], /'os\.system'/],
    ['a builtin', ['\x80\x02c__builtin__\neval\n.'], /'__builtin__\.eval'/],
    ['an attribute of an allowed module', ['\x80\x02ctorch\nload\n.'], /'torch\.load'/],
    ['an inherited name', ['\x80\x02ccollections\n__proto__\n.'], /'collections\.__proto__'/],
    ['an instance', ['\x80\x02(cos\nsystem\n.'], /os\.system/],
    ['opcode INST', ['\x80\x02(ios\nsystem\n.'], /opcode 0x69/],
    ['an extension', ['\x80\x02\x82\x01.'], /opcode 0x82/],
    [
      'the state of a tensor',
      [
        ...view('K\x00', 'K\x04\x85', 'K\x01\x85').slice(0, 2),
        'K\x00K\x04\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR}b.',
      ],
      /the state of a tensor/,
    ],
    ['a call of a storage', ['\x80\x02ctorch\nFloatStorage\n)R.'], /'torch\.FloatStorage'/],
  ])('%s', async (_, pickle, message) => {
    const error = await readPyTorch(await fileOf(pickle), { file: 'bad.pth' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UnsafeModelError);
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain('bad.pth');
  });

  test.each<[string, readonly (number | string)[], RegExp]>([
    ['a view beyond its storage', view('K\x01', 'K\x04\x85', 'K\x01\x85'), /4 elements/],
    ['strides beyond it', view('K\x00', 'K\x02K\x02\x86', 'K\x03K\x01\x86'), /4 elements/],
    [
      'a huge view of few values',
      view('K\x00', 'J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86', 'K\x00K\x00\x86'),
      /4 elements/,
    ],
    ['negative strides', view('K\x03', 'K\x02\x85', 'J\xff\xff\xff\xff\x85'), /arguments/],
    ['other ranks', view('K\x00', 'K\x02\x85', 'K\x01K\x01\x86'), /arguments/],
    ['no end', ['\x80\x02}'], /ends with its last operation/],
    ['an empty stack', ['\x80\x02.'], /stack/],
    ['a mark that is missing', ['\x80\x02}u.'], /mark/],
    ['a list that has itself', ['\x80\x02]q\x00h\x00a.'], /tensors by name/],
    ['a value never kept', ['\x80\x02h\x07.'], /number 7/],
    ['a string beyond the end', ['\x80\x02X\xff\xff\xff\xffabc.'], /ends with its last operation/],
    ['bytes after it', ['\x80\x02}.more'], /4 bytes after/],
    ['another protocol', ['\x80\x09}.'], /protocol 9/],
    ['other values', ['\x80\x02}X\x05\x00\x00\x00epochK\x03s.'], /'epoch'/],
  ])('%s', async (_, pickle, message) => {
    const error = await readPyTorch(await fileOf(pickle), { file: 'bad.pth' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FormatError);
    expect(error).not.toBeInstanceOf(UnsafeModelError);
    expect(String(error)).toMatch(message);
  });
});
