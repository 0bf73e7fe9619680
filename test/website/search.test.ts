/** @file The site's search, by names as users type them. */
import { describe, expect, test } from 'vitest';
import { type Entry, searchIn } from '../../website/searchRank.ts';

const entries: Entry[] = [
  ['gather', 'retrograd · op', 'reference/gather.html', 'Takes slices of x along an axis.'],
  ['layers.maxPooling2d', 'retrograd/keras · layer', 'a.html', 'The largest value of each window.'],
  ['maxPool', 'retrograd · op', 'b.html', 'The largest value of each window.'],
  ['layers.dense', 'retrograd/keras · layer', 'c.html', 'A fully connected layer.'],
  ['layers.batchNormalization', 'retrograd/keras · layer', 'd.html', 'Normalizes over the batch.'],
  ['losses.categoricalCrossentropy', 'retrograd/keras · loss', 'e.html', 'For one-hot targets.'],
  ['callbacks.earlyStopping', 'retrograd/keras · callback', 'f.html', 'Ends a training.'],
  ['nn.Linear', 'name in Coming from PyTorch', 'g.html', '→ layers.dense({ units: m })'],
  ['loss.backward', 'name in Coming from PyTorch', 'g.html', '→ tape.gradient(loss, [w])'],
  ['x.requires_grad_', 'name in Coming from PyTorch', 'g.html', '→ tape.watch(x)'],
  ['step', 'retrograd', 's.html', '1 where x is above 0.'],
  ['optimizer.step', 'name in Coming from PyTorch', 'g.html', '→ optimizer.apply(gradients, variables)'],
  ['tf.gather', 'name in Coming from TensorFlow.js', 't.html', '→ gather(x, indices)'],
  ['model.fit', 'name in Coming from Keras', 'h.html', '→ await net.fit(x, y)'],
  ['activations.linear', 'retrograd/keras', 'i.html', 'The input itself.'],
  ['conv2d', 'retrograd', 'j.html', 'The 2D convolution.'],
  ['layers.conv2d', 'retrograd/keras', 'k.html', 'A 2D convolution.'],
  ['Model.fit', 'member of retrograd/keras', 'l.html#fit', 'Trains the model.'],
  ['optimizers.Optimizer.apply', 'member of retrograd/keras', 'm.html#apply', 'Updates variables.'],
  ['Layer.apply', 'member of retrograd/keras', 'n.html#apply', 'Calls the layer.'],
  ['Gather and history', 'Guide', 'guide/gather.html', 'Indices that are checked on the GPU.'],
];

const search = searchIn(entries);

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
    ['Dense()', 'layers.dense'],
    ['Conv2D', 'layers.conv2d'],
    ['tf.conv2d', 'conv2d'],
    ['nn.Linear', 'nn.Linear'],
    ['loss.backward()', 'loss.backward'],
    ['backward', 'loss.backward'],
    ['requires_grad', 'x.requires_grad_'],
    ['model.fit', 'Model.fit'],
    ['optimizer.step', 'optimizer.step'],
    ['tf.gather', 'gather'],
    ['optimizer.apply', 'optimizers.Optimizer.apply'],
    ['tf.losses.oneHotTargets', 'losses.categoricalCrossentropy'],
    ['indices checked', 'Gather and history'],
  ])('%s finds %s first', (query, title) => {
    expect(search(query)[0]?.[0]).toBe(title);
  });

  test('what nothing is called finds nothing', () => {
    for (const query of ['', ' ', '_', 'qqq', 'the']) expect(search(query)).toEqual([]);
  });
});
