import { picker, pictures, PlainError } from 'notebook';
import { contextOf, cropToSquare, drawPicture, pictureOf } from 'pictures';

/** The middle square of your picture, or the drawn bay. */
async function square(size) {
  if (!chosen.file) return drawPicture(size);
  return cropToSquare(chosen.file, size).catch(() => {
    throw new PlainError(
      `'${chosen.file.name}' is not a picture that this browser can read. Try a PNG, JPEG or WebP.`,
    );
  });
}

/** A tensor [1, size, size, 3], values from 0 to 1. */
export const target = async (size) => pictureOf(await square(size));

/** Called when another picture is chosen. */
export const listeners = new Set();

const chosen = picker(
  {
    label: 'Choose a picture',
    accept: 'image/*',
    hint: 'or drop one here. It stays in this page.',
  },
  async () => {
    shown.update(await preview());
    for (const listener of listeners) listener();
  },
);

const preview = async () => {
  const pixels = contextOf(await square(192)).getImageData(0, 0, 192, 192);
  return [
    {
      title: chosen.file ? chosen.file.name : 'A bay, drawn by the page',
      pixels,
    },
  ];
};

const shown = pictures(await preview());
