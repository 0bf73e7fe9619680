/** @file What the site's search finds, by names as people write them. */
import { describe, expect, test } from 'vitest';
import { type Entry, find } from '../../website/searchRank.ts';

const entries: Entry[] = [
  ['gather', 'retrograd · op', 'reference/gather.html', 'Takes slices of x along an axis.'],
  ['layers.maxPooling2d', 'retrograd/keras · layer', 'a.html', 'The largest value of each window.'],
  ['maxPool', 'retrograd · op', 'b.html', 'The largest value of each window.'],
  ['layers.dense', 'retrograd/keras · layer', 'c.html', 'A fully connected layer.'],
  ['layers.batchNormalization', 'retrograd/keras · layer', 'd.html', 'Normalizes over the batch.'],
  ['losses.categoricalCrossentropy', 'retrograd/keras · loss', 'e.html', 'For one-hot targets.'],
  ['callbacks.earlyStopping', 'retrograd/keras · callback', 'f.html', 'Ends a training.'],
  ['Gather and history', 'Guide', 'guide/gather.html', 'Indices that are checked on the GPU.'],
];

describe('search', () => {
  test.each([
    ['gather', 'gather'],
    ['GATHER', 'gather'],
    ['max_pooling2d', 'layers.maxPooling2d'],
    ['MaxPooling2D', 'layers.maxPooling2d'],
    ['max pooling', 'layers.maxPooling2d'],
    ['tf.keras.layers.Dense', 'layers.dense'],
    ['keras.callbacks.EarlyStopping', 'callbacks.earlyStopping'],
    ['early-stopping', 'callbacks.earlyStopping'],
    ['batch norm', 'layers.batchNormalization'],
    ['cross entropy', 'losses.categoricalCrossentropy'],
    ['fully connected', 'layers.dense'],
    ['checked GPU', 'Gather and history'],
  ])('%s finds %s first', (query, title) => {
    expect(find(entries, query)[0]?.[0]).toBe(title);
  });

  test('what nothing is called finds nothing', () => {
    for (const query of ['', ' ', '_', 'qqq', 'dense qqq']) expect(find(entries, query)).toEqual([]);
  });
});
