// @ts-check
/**
 * @file Mutants that no test can kill, since they change nothing that can be seen, with the reason.
 *
 * @type {readonly { file: string, original: RegExp, replacement?: RegExp, reason: string }[]}
 */
export const explained = [
  {
    file: 'src/execution/memoryPlan.ts',
    original: /^least > 0$/,
    reason: 'It only ends the search early: no buffer grows by less than nothing.',
  },
  {
    file: 'src/execution/faultDependence.ts',
    original: /^command\.kind === 'launch'$/,
    replacement: /^true$/,
    reason: 'A copy has no `fault`.',
  },
  {
    file: 'src/execution/sharedBuffers.ts',
    original: /^rest\.length > 0$/,
    reason: 'An empty list of buffers is used like none.',
  },
];
