/** @file Recognizes files without readable weights by their content, and suggests what to do instead. */
import type { ByteSource } from './byteSource.ts';

/** A description of a file, and advice on what to do with it. */
export interface OtherFile {
  readonly what: string;
  readonly hint: string;
}

/** Enough for a pointer of Git LFS, and for the signature of a tar archive. */
const begin = 512;

const fromServer =
  'a server sent a page in place of the file: check the address, and whether it asks for a login; the file itself may have another address.';

/** Returns what `source` is if it is not a weight file; null if that isn't known. Reads its first bytes. */
export async function recognizeOther(source: ByteSource): Promise<OtherFile | null> {
  const bytes = await source.read(0, Math.min(source.size, begin));
  // Each byte as the character with that code.
  const text = String.fromCharCode(...bytes);
  return textFile(text) ?? packedFile(text) ?? modelFile(text);
}

function textFile(text: string): OtherFile | null {
  const start = text.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (start.startsWith('version https://git-lfs.github.com/spec/')) {
    const size = /^size (\d+)/m.exec(start)?.[1];
    return {
      what: `a pointer of Git LFS${size ? ` to a file of ${size} bytes` : ''}`,
      hint: "fetch the file itself: git lfs pull, or download it from its own address instead of the repository's.",
    };
  }
  if (/^<(!doctype\s+html|html|head|body|script)\b/i.test(start))
    return { what: 'an HTML page', hint: fromServer };
  if (/^<(\?xml|error)\b/i.test(start)) return { what: 'an XML document', hint: fromServer };
  return null;
}

const unpack = 'unpack it first, and pass the file inside.';

function packedFile(text: string): OtherFile | null {
  if (text.startsWith('\x1f\x8b')) return { what: 'a file packed with gzip', hint: unpack };
  if (text.startsWith('BZh')) return { what: 'a file packed with bzip2', hint: unpack };
  if (text.startsWith('\xfd7zXZ') || text.startsWith('7z\xbc\xaf'))
    return { what: 'a file packed with xz or 7z', hint: unpack };
  return text.startsWith('ustar', 257) ? { what: 'a tar archive', hint: unpack } : null;
}

function modelFile(text: string): OtherFile | null {
  if (text.startsWith('TFL3', 4))
    return {
      what: 'a model of TensorFlow Lite',
      hint: 'save the model of Keras that it was made from, with model.save("model.keras").',
    };
  if (text.startsWith('GGUF'))
    return { what: 'a GGUF file', hint: 'use the safetensors file that it was made from.' };
  if (text.startsWith('\x93NUMPY'))
    return {
      what: 'an array of NumPy',
      hint: 'save weights with model.save_weights("model.weights.h5"), or with safetensors.numpy.save_file.',
    };
  const message = protocolBuffer(text);
  if (message !== null) return message;
  if (text.startsWith('\x80') && isVersion(text, 2, 5))
    return {
      what: 'a pickle of Python',
      hint: "a pickle is code and isn't read: save a state dictionary with torch.save, or safetensors.",
    };
  return null;
}

/** Returns whether the second byte is a version between `min` and `max`. */
function isVersion(text: string, min: number, max: number): boolean {
  const version = text.charCodeAt(1);
  return version >= min && version <= max;
}

/** A protocol buffer whose first field is a version; the next field identifies its origin. */
function protocolBuffer(text: string): OtherFile | null {
  if (text.charCodeAt(0) !== 8 || !isVersion(text, 1, 15)) return null;
  // The second field: a graph with its length, or the name of the program that wrote the file.
  const isSecond = text.charCodeAt(2) === 0x12;
  const graph = text.slice(3).search(/[^\x80-\xff]/) + 4;
  if (isSecond && text.charCodeAt(graph) === 10)
    return {
      what: 'a SavedModel of TensorFlow (saved_model.pb)',
      hint: 'it holds no layers: open the model in Keras, and save it with model.save("model.keras").',
    };
  if ((isSecond && /^[ -~]{3}/.test(text.slice(4))) || /^[:B]/.test(text.slice(2)))
    return {
      what: 'an ONNX model',
      hint: 'save the weights of the network that it was made from: torch.save(net.state_dict(), "net.pth"), or model.save("model.keras").',
    };
  return null;
}
