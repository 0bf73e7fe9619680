/** @file Where classes of tensors that may be made before the device find what habits.ts does, once it is loaded. */

/** Makes a class of tensors throw what habits.ts says. Null until the device's part of the library is loaded. */
export const habits: { guard: ((prototype: object) => void) | null } = { guard: null };
