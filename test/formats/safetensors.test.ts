import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  DTypeError,
  explainHistory,
  FormatError,
  init,
  memory,
  type Tensor,
  tensor,
  ValueError,
} from '../../src/index.ts';
import { loadTensors, readSafetensors, saveTensors, writeSafetensors } from '../../src/io/index.ts';

const folder = new URL('../fixtures/malformed/', import.meta.url);
const read = (file: string) => new Uint8Array(readFileSync(new URL(file, folder)));

interface Case {
  file: string;
  kind: string;
  must: 'load' | 'reject';
  why: string;
}

const { files } = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { files: Case[] };

beforeAll(async () => {
  await init();
});

describe('valid and invalid files', () => {
  for (const { file, must, why } of files.filter(({ kind }) => kind === 'safetensors')) {
    test(`${must} ${file}: ${why}`, () => {
      const load = () => readSafetensors(read(file), { file });
      if (must === 'load') expect(load().tensors).toBeInstanceOf(Map);
      else {
        expect(load).toThrow(FormatError);
        expect(load).toThrow(
          new RegExp(`${file} \\(safetensors\\): .*\\n {2}received: .*, at .*\\n {2}hint: `),
        );
      }
      expect((Object.prototype as Record<string, unknown>).dtype).toBeUndefined();
    });
  }

  test('a tensor may have any name', () => {
    expect([...readSafetensors(read('proto_name.safetensors')).tensors.keys()]).toEqual(['__proto__']);
  });

  test('a header begins with a brace, not with a byte order mark', () => {
    const whole = read('valid.safetensors');
    const marked = Uint8Array.from([...whole.slice(0, 8), 0xef, 0xbb, 0xbf, ...whole.slice(8)]);
    new DataView(marked.buffer).setUint32(
      0,
      new DataView(whole.buffer, whole.byteOffset).getUint32(0, true) + 3,
      true,
    );
    expect(() => readSafetensors(marked)).toThrow(FormatError);
  });

  test('no prefix of a valid file is valid', () => {
    const whole = read('valid.safetensors');
    for (let length = 0; length < whole.length; length++)
      expect(() => readSafetensors(whole.slice(0, length))).toThrow(FormatError);
  });

  test('no changed byte leads to anything but values or a FormatError', () => {
    const whole = read('valid.safetensors');
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 0x22, 0x7b, 0xff]) {
        const changed = whole.slice();
        changed[at] = value;
        try {
          readSafetensors(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }
    }
  });
});

/** Returns a file with one tensor `t` of stored type `type`. */
function fileOf(type: string, shape: number[], bytes: Uint8Array): Uint8Array {
  const header = new TextEncoder().encode(
    JSON.stringify({ t: { dtype: type, shape, data_offsets: [0, bytes.length] } }),
  );
  const file = new Uint8Array(8 + header.length + bytes.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  file.set(bytes, 8 + header.length);
  return file;
}

describe('values', () => {
  test('of other types are converted to those of tensors', () => {
    const values = (type: string, bytes: ArrayBufferView, count: number) => {
      const raw = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return [...(readSafetensors(fileOf(type, [count], raw)).tensors.get('t')?.data ?? [])];
    };
    expect(values('F16', Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7c00, 0x3555), 5)).toEqual([
      1,
      -2,
      2 ** -24,
      Number.POSITIVE_INFINITY,
      0.333251953125,
    ]);
    expect(values('BF16', Uint16Array.of(0x3f80, 0xc040), 2)).toEqual([1, -3]);
    expect(values('F64', Float64Array.of(0.5, -1e300), 2)).toEqual([0.5, Number.NEGATIVE_INFINITY]);
    expect(values('I64', BigInt64Array.of(-7n, 2n ** 31n - 1n), 2)).toEqual([-7, 2 ** 31 - 1]);
    expect(values('U16', Uint16Array.of(65535), 1)).toEqual([65535]);
    expect(values('I8', Int8Array.of(-3), 1)).toEqual([-3]);
    expect(() => values('I64', BigInt64Array.of(2n ** 40n), 1)).toThrow(FormatError);
    expect(() => values('F8_E4M3', Uint8Array.of(1), 1)).toThrow(FormatError);
  });

  test('come back as they were', async () => {
    const given = new Map<string, Tensor>([
      ['flags', tensor([true, false, true])],
      [
        'weights',
        tensor([
          [1.5, Number.NaN],
          [-0, 1e-45],
        ]),
      ],
      ['ids', tensor([1, -2], { dtype: 'int32' })],
      ['words', tensor(Uint32Array.of(2 ** 32 - 1))],
      ['scalar', tensor(3)],
      ['nothing', tensor(new Float32Array(0), { shape: [0, 4] })],
      ['__proto__', tensor([1])],
    ]);
    const file = await saveTensors(given, { made: 'here' });
    expect(readSafetensors(file).metadata.get('made')).toBe('here');
    const loaded = loadTensors(file, { file: 'all.safetensors' });
    expect(new Set(loaded.keys())).toEqual(new Set(given.keys()));
    for (const [name, before] of given) {
      const after = loaded.get(name);
      expect([after?.shape, after?.dtype]).toEqual([before.shape, before.dtype]);
      expect(await after?.data()).toEqual(await before.data());
    }
    expect(await saveTensors(given, { made: 'here' })).toEqual(file);
    const explained = explainHistory(loaded.get('weights') as never);
    expect(explained.cause).toBe('loaded');
    expect(explained.why).toContain('all.safetensors');
  });

  test('anything but a file, and a name that the format reserves', () => {
    expect(() => readSafetensors('file' as never)).toThrow(ValueError);
    const one = { shape: [1], dtype: 'float32', data: Float32Array.of(1) } as const;
    expect(() => writeSafetensors(new Map([['__metadata__', one]]))).toThrow(ValueError);
    expect(() => tensor([1], { dtype: 'constructor' as never })).toThrow(DTypeError);
  });

  test('a rejected file leaves nothing on the device', () => {
    const before = memory().tensors;
    expect(() => loadTensors(read('hole.safetensors'))).toThrow(FormatError);
    expect(memory().tensors).toBe(before);
  });
});
