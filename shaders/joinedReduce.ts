/**
 * @file Several reductions in one launch, each with workgroups of its own. They compute what they would compute in separate
 * launches, bit by bit.
 */
import { laneParameters } from './lib/lanes.ts';
import { wgsl } from './lib/wgsl.ts';
import type { LaneParts } from './reduce/lanes.ts';
import type { ReduceOptions } from './reduce/program.ts';

/** The reductions: columns, all with workgroups of one size. */
export type JoinedReduceOptions = { readonly parts: readonly ReduceOptions[] };

/** What a reduction binds. `x` is read by its index; elsewhere it is a component. */
const boundNames = /\b([bcd]_values|out_\d|x(?=\[))/g;

/** Returns `code` with `suffix` behind all names that `head` declares. */
function renamed(code: string, head: string, suffix: string): string {
  const names = [...head.matchAll(/\b(?:fn|struct|const|var<\w+>)\s*(\w+)/g)].map(([, name]) => name);
  return code.replace(new RegExp(`(?<![.\\w])(${names.join('|')})\\b`, 'g'), `$1${suffix}`);
}

/** `programs` are those of the parts. */
export function joinedReduce({ parts }: JoinedReduceOptions, programs: readonly LaneParts[]): string {
  const heads = programs.map(({ declared }) => declared);
  // Parts that declare the same, independently of their parameters, share it, and so the workgroup memory.
  const owners = heads.map((head, part) => (head.includes('params.') ? part : heads.indexOf(head)));
  const named = (code: string, part: number) =>
    renamed(code, heads[part] as string, `_${owners[part]}`)
      .replace(boundNames, `$1_${part}`)
      .replace(/\bparams\.(\w+)/g, `params.$1_${part}`);
  const declared = heads.map((head, part) => (owners[part] === part ? named(head, part) : ''));
  const functions = programs.map(
    ({ body }, part) => `
fn part_${part}(group: vec3<u32>, groups: vec3<u32>, local: u32) {
  ${named(body, part)}
}
`,
  );
  const calls = programs.map(
    (_, part) => `if (group.x < params.end_${part}) {
    part_${part}(vec3<u32>(group.x - ${part === 0 ? '0u' : `params.end_${part - 1}`}, 0u, 0u), groups, local);
    return;
  }`,
  );
  const [first] = parts as [ReduceOptions];
  return wgsl`
${declared.join('\n')}
${functions.join('\n')}
@compute @workgroup_size(${first.workgroup})
fn main(
  ${laneParameters(first)}
) {
  ${calls.join('\n  ')}
}
`;
}
