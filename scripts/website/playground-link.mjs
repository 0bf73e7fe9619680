// @ts-check
/** @file Links to the playground that carry a program, as website/playground/page/link.ts reads them. */
import { deflateRawSync } from 'node:zlib';

/** @param {string} code @param {string} root from the page to the site's root, such as `../` */
export const playgroundLink = (code, root) =>
  `${root}playground/index.html#code=${deflateRawSync(code).toString('base64url')}`;
