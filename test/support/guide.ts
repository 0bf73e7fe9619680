/** @file The requirements of pages of the guide: a page in a browser, or the reader's files. */

export const needsBrowser: readonly string[] = ['apps.md', 'training.md'];

/** The files that a page reads, each a file of test/fixtures/models. Such a page runs in a folder of its own. */
export const filesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'files.md': {
    'model.keras': 'mlp_classifier/model.keras',
    'model.weights.h5': 'mlp_classifier/model.weights.h5',
    'lambda.keras': 'lambda_model/model.keras',
  },
};
