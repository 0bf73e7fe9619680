/** @file WAV files: PCM of 8, 16, 24 and 32 bits, and floats of 32 bits. Source: Microsoft, Multimedia Programming Interface, 1991. */
import { fault, type FileContext } from './formatErrors.ts';

/** Samples of a sound. */
export interface Sound {
  /** From -1 to 1, those of all channels at one time after those of the time before. */
  readonly samples: Float32Array<ArrayBuffer>;
  /** The number of samples of each channel. */
  readonly frames: number;
  readonly channels: number;
  /** Samples of a channel per second. */
  readonly sampleRate: number;
}

interface Format {
  readonly encoding: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bits: number;
}

const pcm = 1;
const floats = 3;
/** The encoding is in an extension of the format. */
const extensible = 0xfffe;
/** The size that writers of streams leave in the header. */
const unknownSize = 0xffffffff;

/** Reads a WAV file, of which `limit` frames are kept. Errors: FormatError for other files, and for encodings that aren't read. */
export function readWav(bytes: Uint8Array, file: string, limit = Number.POSITIVE_INFINITY): Sound {
  const context: FileContext = { file, format: 'WAV' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || text(view, 0) !== 'RIFF' || text(view, 8) !== 'WAVE')
    throw fault(context, {
      place: 'byte 0',
      rule: 'a WAV file begins with RIFF, its size, and WAVE.',
      received: bytes.length < 12 ? `${bytes.length} bytes` : 'other bytes',
      hint: 'convert it: ffmpeg -i sound.mp3 sound.wav.',
    });
  let format: Format | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [name, size] = [text(view, at), view.getUint32(at + 4, true)];
    const begin = at + 8;
    const isOpen = name === 'data' && size === unknownSize;
    const end = isOpen ? bytes.length : begin + size;
    if (end > bytes.length)
      throw fault(context, {
        place: `byte ${at}`,
        rule: 'a part of the file is as long as it says.',
        received: `'${name.replaceAll(/[^ -~]/g, '?')}' of ${size} bytes, of which ${bytes.length - begin} are there`,
      });
    if (name === 'fmt ') format = formatOf(context, view, begin, size);
    if (name === 'data') {
      if (!format) break;
      return samplesOf(context, view, format, { begin, end }, limit);
    }
    at = end + (size % 2);
  }
  throw fault(context, {
    place: 'the end',
    rule: 'a WAV file has a format, and data behind it.',
    received: format ? 'no data' : 'no format',
  });
}

function formatOf(context: FileContext, view: DataView, at: number, size: number): Format {
  const invalid = (rule: string, received: string) => fault(context, { place: `byte ${at}`, rule, received });
  if (size < 16) throw invalid('a format has 16 bytes or more.', `${size}`);
  const code = view.getUint16(at, true);
  const [channels, sampleRate] = [view.getUint16(at + 2, true), view.getUint32(at + 4, true)];
  const bits = view.getUint16(at + 14, true);
  if (code === extensible && size < 26) throw invalid('an extended format has 26 bytes or more.', `${size}`);
  const encoding = code === extensible ? view.getUint16(at + 24, true) : code;
  const isRead = encoding === pcm ? [8, 16, 24, 32].includes(bits) : encoding === floats && bits === 32;
  if (!isRead)
    throw fault(context, {
      place: `byte ${at}`,
      rule: 'samples are PCM of 8, 16, 24 or 32 bits, or floats of 32 bits.',
      received: `encoding ${encoding} of ${bits} bits`,
      hint: 'convert it: ffmpeg -i sound.wav -c:a pcm_s16le other.wav.',
    });
  if (channels === 0 || sampleRate === 0)
    throw invalid(
      'a sound has a channel or more, and a rate.',
      `${channels} channels, ${sampleRate} per second`,
    );
  const block = view.getUint16(at + 12, true);
  if (block !== (channels * bits) / 8)
    throw invalid(
      `${channels} samples of ${bits} bits are ${(channels * bits) / 8} bytes.`,
      `${block} bytes`,
    );
  return { encoding, channels, sampleRate, bits };
}

function samplesOf(
  context: FileContext,
  view: DataView,
  { encoding, channels, sampleRate, bits }: Format,
  { begin, end }: { begin: number; end: number },
  limit: number,
): Sound {
  const width = bits / 8;
  const length = end - begin;
  if (length % (width * channels) !== 0)
    throw fault(context, {
      place: `byte ${begin}`,
      rule: `data are whole samples of all channels, ${width * channels} bytes each.`,
      received: `${length} bytes`,
    });
  const frames = Math.min(limit, length / (width * channels));
  const read = readers[encoding === floats ? 'floats' : bits] as (view: DataView, at: number) => number;
  const samples = Float32Array.from({ length: frames * channels }, (_, i) => read(view, begin + i * width));
  return { samples, frames, channels, sampleRate };
}

/** How a sample is read, as a number from -1 to 1. */
const readers: Readonly<Record<string, (view: DataView, at: number) => number>> = {
  8: (view, at) => (view.getUint8(at) - 128) / 128,
  16: (view, at) => view.getInt16(at, true) / 2 ** 15,
  24: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 2 ** 23,
  32: (view, at) => view.getInt32(at, true) / 2 ** 31,
  floats: (view, at) => view.getFloat32(at, true),
};

function text(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}
