/** @file Which pages of the guide are programs for a page in a browser, rather than for any place with WebGPU. */

export const needsBrowser: readonly string[] = ['apps.md', 'training.md'];

/** Shows fragments about files of the reader's. */
export const fragments: readonly string[] = ['files.md'];
