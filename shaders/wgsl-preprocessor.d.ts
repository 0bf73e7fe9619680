declare module 'wgsl-preprocessor/wgsl-preprocessor.js' {
  export function wgsl(strings: readonly string[], ...values: unknown[]): string;
}
