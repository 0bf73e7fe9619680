/** Types for `wgsl-preprocessor`, which ships none. */
declare module 'wgsl-preprocessor' {
  /** Template tag that resolves `#if ${…}`, `#elif ${…}`, `#else` and `#endif` in WGSL source. */
  export function wgsl(strings: TemplateStringsArray, ...values: unknown[]): string;
}
