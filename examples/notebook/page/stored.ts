/**
 * @file Results of an earlier run, which cells show until they run themselves. `node scripts/notebook-results.mjs` records
 * them in results.json.
 */
import type { Output, Picture } from '../protocol.ts';

/** An output and its slot. */
type Shown = readonly [slot: number, output: Output];

/** Pixels are base64, as JSON has no bytes. */
interface StoredPicture extends Omit<Picture, 'pixels'> {
  pixels: { width: number; height: number; data: string };
}
type StoredOutput = Exclude<Output, { kind: 'pictures' }> | { kind: 'pictures'; pictures: StoredPicture[] };

/** The results by the names of their cells. They are loaded after the page. */
export async function storedResults(): Promise<Map<string, readonly Shown[]>> {
  const { default: stored } = await import('../results.json');
  const cells = stored as unknown as Record<string, readonly (readonly [number, StoredOutput])[]>;
  return new Map(
    Object.entries(cells).map(([cell, outputs]) => [
      cell,
      outputs.map(([slot, output]) => [slot, readOutput(output)] as const),
    ]),
  );
}

function readOutput(output: StoredOutput): Output {
  if (output.kind !== 'pictures') return output;
  return { kind: 'pictures', pictures: output.pictures.map(readPicture) };
}

function readPicture({ pixels, ...picture }: StoredPicture): Picture {
  const data = Uint8ClampedArray.from(atob(pixels.data), (sign) => sign.charCodeAt(0));
  return { ...picture, pixels: { ...pixels, data } };
}
