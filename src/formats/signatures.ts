/** @file The first bytes of formats. */

export const hdf5Signature: readonly number[] = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** Signatures of a zip archive with entries, and of one without. */
export const zipSignatures: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
];

/** The pickled magic number at the start of PyTorch files before version 1.6. */
export const legacyTorchSignature: readonly number[] = [
  0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19,
];

/** The name of the pickle in a PyTorch archive. */
export const torchPickleName = 'data.pkl';
