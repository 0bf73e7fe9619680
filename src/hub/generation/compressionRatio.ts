/** @file How well the tokens of a text compress: texts that repeat themselves do so well. As transformers' `_retrieve_compression_ratio`. */

/** The number of bytes of tokens from 0 to `count` - 1, each of the same length, divided by that of their zlib stream. */
export async function compressionRatio(tokens: readonly number[], count: number): Promise<number> {
  const length = Math.floor(Math.log2(count) / 8) + 1;
  const bytes = Uint8Array.from(tokens.flatMap((token) => bytesOf(token, length)));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  const { byteLength } = await new Response(stream).arrayBuffer();
  return bytes.length / byteLength;
}

/** The lowest byte first. */
const bytesOf = (token: number, length: number): number[] =>
  Array.from({ length }, (_, i) => Math.floor(token / 256 ** i) % 256);
