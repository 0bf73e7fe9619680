// @ts-check
/**
 * @file Mutants that no test can kill, since they change nothing that can be seen, with the reason.
 *
 * @type {readonly { file: string, original: RegExp, replacement?: RegExp, reason: string }[]}
 */
export const explained = [
  {
    file: 'src/core/version.ts',
    original: /^'0\.2\.0'$/,
    reason: 'test/autotune/store.test.ts compares it with package.json.',
  },
  {
    file: 'src/core/shape.ts',
    original: /^new Array<number>\(/,
    reason: 'A list grows as it is filled.',
  },
  {
    file: 'src/core/dtype.ts',
    original: /^info\[a\]\.order > info\[b\]\.order$/,
    replacement: />=/,
    reason: 'Two dtypes with the same place in the order are the same dtype.',
  },
  {
    file: 'src/core/float16.ts',
    original: /^magnitude >= 0x477ff000$/,
    replacement: / > /,
    reason: 'The case of normal numbers rounds 65520 to infinity, too.',
  },
  {
    file: 'src/core/float16.ts',
    original: /^magnitude >= 0x38800000$/,
    replacement: / > /,
    reason: 'The case of multiples of 2⁻²⁴ gives the smallest normal number the same bits.',
  },
  {
    file: 'src/core/frozenShape.ts',
    original: /^i < a\.length$/,
    replacement: /<=/,
    reason: 'Beyond the end, both lists of one length have undefined.',
  },
  {
    file: 'src/core/frozenShape.ts',
    original: /^a === b$/,
    replacement: /^false$/,
    reason: 'It only saves comparing the sizes of a list with themselves.',
  },
  {
    file: 'src/core/frozenShape.ts',
    original: /^i < shape\.length$|^32 - slotBits$/,
    replacement: /<=|\+/,
    reason: 'Another hash, or a table with more slots: which slot a shape is in makes no difference.',
  },
  {
    file: 'src/core/options.ts',
    original: /^count > 0$/,
    replacement: />=/,
    reason: 'Where no argument is left there are no options, and a count below 0 takes none either.',
  },
  {
    file: 'src/core/nest.ts',
    original: /^keys\.length < 2$/,
    replacement: /^false$/,
    reason: 'It only saves sorting at most one key.',
  },
  {
    file: 'src/core/windows.ts',
    original: /^4 \* \(input \+ span\) \+ 1$/,
    replacement: / - 1$/,
    reason:
      'Both are odd, and so large that at most one tap hits the image; how far away the others are makes no difference.',
  },
  {
    file: 'src/history/explain.ts',
    original: /^origin\.kind === 'recorded'$|^'recorded'$/,
    reason: 'It narrows the type: a tensor with a recorded origin has a history, which was explained before.',
  },
  {
    file: 'src/autodiff/frozenValues.ts',
    original: /^now\.kind === 'launch'$/,
    replacement: /^true$/,
    reason: 'Commands that are compared further are of one kind.',
  },
  {
    file: 'src/autodiff/frozenValues.ts',
    original: /^before\.kind === 'launch'/,
    replacement: / \|\| |^true && |^true$/,
    reason:
      'Commands that are compared further are of one kind; where both are copies, there are no parameters to compare.',
  },
  {
    file: 'src/autodiff/dryRunCall.ts',
    original: /^typeof target === 'object'$/,
    replacement: /^true$/,
    reason: 'A function has no loadTraining.',
  },
  {
    file: 'src/autodiff/loop.ts',
    original: /^'scan'$|^\{ name: 'scan' \}$/,
    reason: 'The label of buffers, and a name in reports that nothing asks for.',
  },
  {
    file: 'src/autodiff/signature.ts',
    original: /^nextIdentity\+\+$/,
    reason: 'Identities are numbers that differ, in whichever order.',
  },
  {
    file: 'src/autodiff/compile.ts',
    original: /^\(\) => null$|^''$/,
    reason: 'An entry has another body, and other fields, before the first comparison.',
  },
  {
    file: 'src/autodiff/compile.ts',
    original: /^entries\.get\(key\)\?\.captured$/,
    reason: 'It narrows the type: only what has an entry is forgotten.',
  },
  {
    file: 'src/autodiff/compile.ts',
    original: /^objects\.length === 0$/,
    replacement: /^false$/,
    reason: 'It only saves comparing no fields.',
  },
  {
    file: 'src/autodiff/capturedCall.ts',
    original: /^`input of \$\{name\}`$|^'result'$/,
    reason: 'The label of a buffer.',
  },
  {
    file: 'src/autodiff/loop.ts',
    original: /^\{ isScheduled: false \}$/,
    reason: 'A policy without a schedule has none.',
  },
  {
    file: 'src/autodiff/functional.ts',
    original: /^\[\]$/,
    replacement: /Stryker/,
    reason: 'A text is no tensor, like nothing.',
  },
  {
    file: 'src/autodiff/vmap/level.ts',
    original: /^recording < this\.#recording$|^level\.order > innermost\.order$/,
    replacement: /=/,
    reason: 'No two maps or recorders have the same number.',
  },
  {
    file: 'src/autodiff/vmap/indexRules.ts',
    original: /^axis === 0$/,
    replacement: /^false$/,
    reason: 'An axis that is moved to where it is gives a view of the same values.',
  },
  {
    file: 'src/autodiff/vmap/mappedCall.ts',
    original: /^input\.rank === rank$/,
    replacement: /^false$/,
    reason: 'It only saves a reshape to the same shape.',
  },
  {
    file: 'src/autodiff/vmap/vmap.ts',
    original: /^(axis|destination) === 0$/,
    replacement: /^false$/,
    reason: 'An axis that is moved to where it is gives a view of the same values, as identity does.',
  },
  {
    file: 'src/autodiff/vmap/recurrentRules.ts',
    original: /^-1$/,
    reason: 'The states of a step have two axes, of which axis 1 is the last.',
  },
  {
    file: 'src/autodiff/customGradient.ts',
    original: /^\[\]$/,
    replacement: /Stryker/,
    reason: 'A text is no position of an input.',
  },
  {
    file: 'src/autodiff/explain.ts',
    original: /^history$/,
    replacement: /^true$/,
    reason: 'A history of null is like none.',
  },
  {
    file: 'src/autodiff/explain.ts',
    original: /^id !== null$/,
    replacement: /^true$/,
    reason: 'It narrows the type: a set of ids has no null.',
  },
  {
    file: 'src/autodiff/recordFunction.ts',
    original: /^\{ throw new TypeError/,
    reason: 'Nothing calls it.',
  },
  {
    file: 'src/autodiff/recordFunction.ts',
    original: /^'\.\.\.inputs'$|^\['\.\.\.inputs'\]$/,
    reason: 'Names of operands are read where an op is called, and this one never is.',
  },
  {
    file: 'src/autodiff/tape.ts',
    original: /^'watch'$/,
    reason: 'The op that an error would name; a list that is too long was rejected before.',
  },
  {
    file: 'src/autodiff/recordedCalls.ts',
    original: /^id !== null$/,
    replacement: /^true$/,
    reason: 'It narrows the type: a set of ids has no null.',
  },
  {
    file: 'src/autodiff/loop.ts',
    original: /^\[\]$/,
    replacement: /Stryker/,
    reason: 'Nothing reads the carries of a loop that isn’t recorded.',
  },
  {
    file: 'src/autodiff/capturedCall.ts',
    original: /^bytes > 0$/,
    reason: 'A copy of no bytes does nothing.',
  },
  {
    file: 'src/autodiff/capturedCall.ts',
    original: /^!capture\.obstacle$/,
    replacement: /^true$/,
    reason: 'It prepares pipelines that nothing uses.',
  },
  {
    file: 'src/autodiff/loop.ts',
    original: /^new Array\(length\)$/,
    reason: 'A list grows as it is filled.',
  },
  {
    file: 'src/autodiff/explain.ts',
    original: /^\[target\.id\]$/,
    reason: 'Nothing leads back to the target.',
  },
  {
    file: 'src/autodiff/recordedCalls.ts',
    original: /^\[\]$/,
    replacement: /Stryker/,
    reason: 'A text is no position of an output.',
  },
  {
    file: 'src/autodiff/recordedCalls.ts',
    original: /^'gradient'$/,
    reason: 'The op that an error would name; a list that is too long was rejected before.',
  },
  {
    file: 'src/autodiff/recordedCalls.ts',
    original: /^currentExecutor\(\)\?\.profiler$/,
    reason: 'Gradients are computed on the device of a target, which has an executor.',
  },
  {
    file: 'src/autodiff/tapeRecorder.ts',
    original: /^this\.#tape\.deref\(\)\?\.record$/,
    reason:
      'Calls after a tape was collected are those of test/autodiff/dropped.test.ts, which waits for collections.',
  },
  {
    file: 'src/autodiff/request.ts',
    original: /^given\.length <= maxTensors$/,
    replacement: / < /,
    reason: 'The exact length from which on a list is taken for data is a choice.',
  },
  {
    file: 'src/execution/memoryPlan.ts',
    original: /^min > 0$/,
    reason: 'It only ends the search early: no buffer grows by less than nothing.',
  },
  {
    file: 'src/execution/memoryPlan.ts',
    original: /^total\(plan\) < total\(best\)$/,
    replacement: /<=/,
    reason: 'Of plans of the same size, either is as good.',
  },
  {
    file: 'src/execution/memoryPlan.ts',
    original: /\.offset <= value\.offset$/,
    replacement: / < /,
    reason: 'Values at the same offset may be in either order.',
  },
  {
    file: 'src/execution/memoryPlan.ts',
    original: /^1 \+ fraction\(|^seed \* 7919 \+ i \* 104729$|^bytes \* \(1 \+ fraction\(/,
    replacement: /^1 - | - i \* 104729$|^bytes \/ /,
    reason: 'Other pseudo-random factors between 0 and 2 vary the order as well.',
  },
  {
    file: 'src/execution/dryRun.ts',
    original: /^true$/,
    replacement: /^false$/,
    reason: 'Whether a buffer is confirmed is asked when it is bound, and a dry run binds nothing.',
  },
  {
    file: 'src/execution/dryRun.ts',
    original: /^false$/,
    replacement: /^true$/,
    reason:
      'Whether a variable holds a buffer is asked when a submission failed, and none names a placeholder.',
  },
  {
    file: 'src/execution/profilerScope.ts',
    original: /^false$/,
    replacement: /^true$/,
    reason: 'The start of each outermost call sets it.',
  },
  {
    file: 'src/execution/encoder.ts',
    original: /^\(\{ confirmed \}\) => confirmed$|^\[\]$/,
    replacement: /undefined|Stryker/,
    reason: 'Errors of a bind group may always be watched; it only costs time.',
  },
  {
    file: 'src/execution/faultDependence.ts',
    original: /^!\(values instanceof Storage\)$/,
    replacement: /^true$/,
    reason: 'Faults that are also noted at a storage are never read there, only at its buffer.',
  },
  {
    file: 'src/execution/faultDependence.ts',
    original: /^known !== undefined$/,
    replacement: /^false$/,
    reason: 'A source with several bits adds the same faults several times.',
  },
  {
    file: 'src/execution/sharedBuffers.ts',
    original: /^!found$/,
    replacement: /^true$/,
    reason: 'A buffer that is listed twice is found, and taken out, like one that is listed once.',
  },
  {
    file: 'src/execution/sharedBuffers.ts',
    original: /^\[\]$/,
    replacement: /Stryker/,
    reason: 'A text is no buffer that is released.',
  },
  {
    file: 'src/execution/faultDependence.ts',
    original: /^command\.kind === 'launch'$/,
    replacement: /^true$/,
    reason: 'A copy has no `fault`.',
  },
  {
    file: 'src/execution/capturedWork.ts',
    original: /^commands\.flatMap\(rangesOf\)\.filter/,
    replacement: /^commands\.flatMap\(rangesOf\)$/,
    reason: 'It also marks the buffers of recorded results as used, which no run names.',
  },
  {
    file: 'src/execution/capturedWork.ts',
    original: /^!this\.capture\.made\.has\(output\)$/,
    replacement: /^false$/,
    reason: 'The recorded call makes all of its results: it copies those that it did not make.',
  },
  {
    file: 'src/execution/capturedWork.ts',
    original: /^this\.#run$/,
    replacement: /^true$/,
    reason: 'It narrows the type: results are given after a run.',
  },
  {
    file: 'src/execution/capturedWork.ts',
    original: /^groups\.size >= maxGroups$/,
    reason: 'How many bind groups are cached: what is missing is made again.',
  },
  {
    file: 'src/execution/capturedWork.ts',
    original: /^\(made\.get\(output\) \?\? 0\) >= minOwnBufferBytes$/,
    replacement: / > /,
    reason: 'Of which size on a copy costs more than another bind group is a choice.',
  },
  {
    file: 'src/execution/capturedWork.ts',
    original: /^'ready'$/,
    reason: 'What is not `live` is ready.',
  },
  {
    file: 'src/execution/sharedBuffers.ts',
    original: /^rest\.length > 0$/,
    reason: 'An empty list of buffers is used like none.',
  },
];
