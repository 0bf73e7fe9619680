/** @file Files that a page offers as downloads. A download starts when the file is complete. */
import { FormatError, ValueError } from '../core/errors.ts';
import type { BrowserStore } from './browserStore.ts';
import { blobOf } from './fileTarget.ts';

/** Time, in milliseconds, that the browser may take to start a download. */
const beginsWithin = 60_000;

export const downloads: BrowserStore = {
  open: async ({ text }) => {
    throw new FormatError({
      op: text,
      rule: 'a page can offer downloads, but not read them.',
      received: `'${text}'`,
      hint: 'let the user choose the file: pass the File of an <input type="file">.',
    });
  },

  target: ({ path, text }) => ({
    write: async (pieces) => {
      const page = requirePage(text);
      const link = page.createElement('a');
      link.href = URL.createObjectURL(await blobOf(pieces));
      link.download = path.slice(path.lastIndexOf('/') + 1);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), beginsWithin);
    },
  }),

  list: async () => [],
  remove: async () => false,
};

function requirePage(text: string): Document {
  const { document } = globalThis as { document?: Document };
  if (document) return document;
  throw new ValueError({
    op: 'save',
    rule: 'downloads start in a page.',
    received: `'${text}' in a worker, or outside of a browser`,
    hint: 'in a worker save to a BytesTarget and post its bytes to the page; in Node pass a path.',
  });
}
