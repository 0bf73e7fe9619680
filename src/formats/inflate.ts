/**
 * @file Inflates deflated bytes with the platform's DecompressionStream, which adds no code to the bundle and runs outside
 * the main thread. Output is counted as it arrives, so that a few bytes can't expand beyond the declared size.
 */
import { joinedBytes } from './joinedBytes.ts';

/**
 * Returns the `length` bytes that `bytes` inflate to. `form` is 'deflate' for the zlib format, 'deflate-raw' for zip archives.
 * `invalid` creates the error for damaged bytes, or for bytes that inflate to another length.
 */
export async function inflate(
  bytes: Uint8Array<ArrayBuffer>,
  form: 'deflate' | 'deflate-raw',
  length: number,
  invalid: (received: string) => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form)).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((): never => {
      throw invalid('bytes that were not deflated, or are damaged');
    });
    if (done) break;
    total += value.length;
    if (total > length) {
      await reader.cancel().catch(() => {});
      throw invalid(`more than ${length} bytes`);
    }
    parts.push(value);
  }
  if (total !== length) throw invalid(`${total} bytes of ${length}`);
  return joinedBytes(parts, length);
}
