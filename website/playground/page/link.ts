/**
 * @file The program in the fragment of the page's address, compressed: a fragment is never sent to a server.
 * `scripts/website` writes the same format.
 */

/** What the address requests: a program of the gallery, code in the address, or nothing. */
export type Asked = { program: string } | { code: string } | null;

export async function readLink(fragment: string): Promise<Asked> {
  const asked = new URLSearchParams(fragment.replace(/^#/, ''));
  const code = asked.get('code');
  if (code !== null) return { code: await unpack(code) };
  const program = asked.get('program');
  return program === null ? null : { program };
}

export const codeLink = async (source: string): Promise<string> => `#code=${await pack(source)}`;

async function pack(text: string): Promise<string> {
  const bytes = await through(new Blob([text]), new CompressionStream('deflate-raw'));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

async function unpack(packed: string): Promise<string> {
  const letters = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(new Blob([bytes]), new DecompressionStream('deflate-raw')));
}

async function through(blob: Blob, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(blob.stream().pipeThrough(stream)).arrayBuffer());
}
