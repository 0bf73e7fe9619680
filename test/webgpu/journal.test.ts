/** @file The journal: which values are lost when a submission failed, and whether older ones are in their place. */
import { expect, test } from 'vitest';
import { DeviceError } from '../../src/core/errors.ts';
import { adoptBuffer, type DeviceBuffer } from '../../src/webgpu/deviceBuffer.ts';
import { FaultTracker } from '../../src/webgpu/faultTracker.ts';
import { Journal, type ReplayedWork } from '../../src/webgpu/journal.ts';
import { worseOf } from '../../src/webgpu/losses.ts';
import { Storage } from '../../src/webgpu/storage.ts';

const cause = new DeviceError({ rule: 'a test fails here.' });

/** Storages in separate buffers, fresh from a pool. */
function fresh(count: number): Storage[] {
  return Array.from({ length: count }, () => {
    const buffer = adoptBuffer({ size: 4 } as GPUBuffer);
    return new Storage(buffer, 0, 4, () => {});
  });
}

function journal() {
  let serial = 0;
  const made = new Journal(new FaultTracker());
  const launch = (written: readonly Storage[], read: readonly Storage[]) =>
    made.launched([...written, ...read], [...written.map(() => true), ...read.map(() => false)]);
  const submit = (note: () => void) => {
    note();
    return made.submit(++serial);
  };
  return { journal: made, launch, submit };
}

/** Null for values that are there, otherwise what is in their place. */
const state = ({ buffer }: Storage) => {
  const loss = buffer.faults?.loss;
  return loss ? (loss.leavesOlder ? 'older' : 'undefined') : null;
};

test('what failed launches write holds older values only where a variable holds it', () => {
  const [a, b, c] = fresh(3) as [Storage, Storage, Storage];
  const { journal: own, launch, submit } = journal();
  const first = submit(() => {
    launch([a], []);
    own.held(a.buffer);
  });
  const second = submit(() => {
    launch([a], [a]);
    launch([b], [a]);
  });
  const third = submit(() => launch([c], []));
  own.settle(first, null);
  own.settle(second, cause);
  own.settle(third, null);
  expect([a, b, c].map(state)).toEqual(['older', 'undefined', null]);
  expect(a.buffer.faults?.loss?.cause).toBe(cause);
  expect(own.failures).toBe(1);
});

test.each([
  ['ran', null, ['undefined', 'undefined', 'undefined']],
  ['failed, too', cause, ['older', 'undefined', 'older']],
] as const)('an update by undefined values whose submission %s', (_, failure, expected) => {
  const [weight, gradient, output] = fresh(3) as [Storage, Storage, Storage];
  const { journal: own, launch, submit } = journal();
  const first = submit(() => own.held(weight.buffer));
  const second = submit(() => launch([gradient], []));
  const third = submit(() => launch([weight], [weight, gradient]));
  const fourth = submit(() => launch([output], [weight]));
  own.settle(first, null);
  own.settle(second, cause);
  // The third is not known to have failed.
  expect([weight, gradient, output].map(state)).toEqual(['undefined', 'undefined', 'undefined']);
  own.settle(third, failure);
  own.settle(fourth, null);
  expect([weight, gradient, output].map(state)).toEqual(expected);
  // Later submissions start from what is known.
  const fifth = submit(() => launch([output], []));
  own.settle(fifth, null);
  expect(state(weight)).toBe(expected[0]);
});

test('a sum that lacks an addition is undefined, and so is what is computed from it', () => {
  const [total, term, weight, assigned] = fresh(4) as [Storage, Storage, Storage, Storage];
  const { journal: own, launch, submit } = journal();
  weight.buffer.isVariable = true;
  const cleared = submit(() => {
    own.uploaded(term.buffer);
    launch([total, assigned], []);
  });
  const added = submit(() => {
    launch([total], [total, term]);
    launch([assigned], [assigned, term]);
  });
  // An optimizer's step in place, and a variable that takes a sum over.
  const used = submit(() => {
    launch([weight], [weight, total]);
    own.held(assigned.buffer);
  });
  own.settle(cleared, null);
  own.settle(added, cause);
  own.settle(used, null);
  expect([total, weight, assigned, term].map(state)).toEqual(['undefined', 'undefined', 'undefined', null]);
});

test('a buffer is that of a variable from when the variable takes it over until it is released', () => {
  const [a, b, c] = fresh(3) as [Storage, Storage, Storage];
  const { journal: own, launch, submit } = journal();
  const first = submit(() => {
    for (const { buffer } of [a, b, c]) own.held(buffer);
    own.released(a.buffer);
  });
  const second = submit(() => {
    own.released(b.buffer);
    own.uploaded(b.buffer);
    for (const one of [a, b, c]) launch([one], []);
  });
  own.settle(first, null);
  own.settle(second, cause);
  expect([a, b, c].map(state)).toEqual(['undefined', 'undefined', 'older']);
});

test('a loss follows launches and copies until the values are replaced', () => {
  const [a, b, c, d, e] = fresh(5) as [Storage, Storage, Storage, Storage, Storage];
  const { journal: own, launch, submit } = journal();
  const failed = submit(() => launch([a], []));
  const next = submit(() => {
    launch([b], [a]);
    own.copied(b.buffer, c.buffer, true);
    own.copied(b.buffer, d.buffer, true);
    own.copied(e.buffer, d.buffer, true);
  });
  own.copied(e.buffer, b.buffer, false);
  own.released(c.buffer);
  own.settle(failed, cause);
  own.settle(next, null);
  expect([a, b, c, d, e].map(state)).toEqual(['undefined', 'undefined', null, null, null]);
});

test('submissions may be settled in any order', () => {
  const [a, b] = fresh(2) as [Storage, Storage];
  const { journal: own, launch, submit } = journal();
  const first = submit(() => {
    own.held(a.buffer);
    launch([a], []);
  });
  const second = submit(() => launch([b, a], [a]));
  own.settle(second, cause);
  expect([a, b].map(state)).toEqual([null, null]);
  own.settle(first, null);
  expect([a, b].map(state)).toEqual(['older', 'undefined']);
});

test('each failure adds to the losses; undefined contents are worse than older values', () => {
  const [a, b] = fresh(2) as [Storage, Storage];
  a.buffer.isVariable = true;
  const { journal: own, launch, submit } = journal();
  const first = submit(() => launch([a], [a]));
  const second = submit(() => launch([b], []));
  launch([a], [b, a]);
  own.settle(first, cause);
  expect([a, b].map(state)).toEqual(['older', null]);
  own.settle(second, cause);
  expect([a, b].map(state)).toEqual(['undefined', 'undefined']);
  expect(own.failures).toBe(2);
});

/** Work that reads `read` and `written`, and writes `written`. */
const work = (read: readonly DeviceBuffer[], written: readonly DeviceBuffer[]): ReplayedWork => ({
  written,
  losses(lossOf) {
    const worst = [...read, ...written].map(lossOf).reduce(worseOf, null);
    return () => worst;
  },
});

test.each([
  { failed: 1, expected: [null, null] },
  { failed: 2, expected: ['undefined', 'undefined'] },
  { failed: 3, expected: ['older', 'undefined'] },
  { failed: 4, expected: [null, null] },
])('a run in submissions 2 and 3 of which $failed failed', ({ failed, expected }) => {
  const [x, variable, result] = fresh(3) as [Storage, Storage, Storage];
  variable.buffer.isVariable = true;
  const { journal: own, submit } = journal();
  const submissions = [1, 2, 3].map(() => submit(() => {}));
  const run = own.ran(work([x.buffer], [variable.buffer]), 2, 3);
  own.gave(run, result, result.buffer);
  submissions.push(submit(() => {}));
  for (const submission of submissions) own.settle(submission, submission.serial === failed ? cause : null);
  expect([variable, result].map(state)).toEqual(expected);
});

test('a run passes on what is lost before it', () => {
  const [x, variable, result] = fresh(3) as [Storage, Storage, Storage];
  const { journal: own, launch, submit } = journal();
  const failed = submit(() => launch([x], []));
  own.gave(own.ran(work([x.buffer], [variable.buffer]), 2, 2), result, result.buffer);
  own.settle(failed, cause);
  expect([variable, result].map(state)).toEqual(['undefined', 'undefined']);
});
