declare module 'wgsl-preprocessor/wgsl-preprocessor.js' {
  export function wgsl(strings: TemplateStringsArray, ...values: unknown[]): string;
}
