/** @file The attribution of launches and floating-point operations to ops and layers. */
import { expect, test } from 'vitest';
import { CallScope } from '../../src/execution/profilerScope.ts';

const described = (op: string, layer = '') => ({ op, layer });
const forwardCall = (op: string, layer = '') => ({ op, layer, backward: false });

/** Runs an op in `scope`; gives what its body gives. */
function call<T>(
  scope: CallScope,
  op: string,
  body: () => T,
  { frame = null as object | null, flops = null as number | null, layer = '' } = {},
): T {
  return scope.forward(() => described(op, layer), frame, flops, body);
}

test('outside of calls, launches belong to nothing', () => {
  const scope = new CallScope();
  expect(scope.take()).toBeNull();
  call(scope, 'add', () => {});
  expect(scope.take()).toBeNull();
});

test('a launch belongs to the outermost call', () => {
  const scope = new CallScope();
  const taken = call(scope, 'dense', () => call(scope, 'matMul', () => scope.take()));
  expect(taken).toEqual({ calls: [forwardCall('dense')], flops: null });
});

test('all operations of a call belong to its first launch', () => {
  const scope = new CallScope();
  const taken = call(scope, 'matMul', () => [scope.take(), scope.take()], { flops: 12 });
  expect(taken.map((one) => one?.flops)).toEqual([12, null]);
});

test('operations that an enclosing call counts include those inside', () => {
  const scope = new CallScope();
  const flops = call(scope, 'dense', () => call(scope, 'matMul', () => scope.take()?.flops, { flops: 12 }), {
    flops: 20,
  });
  expect(flops).toBe(20);
});

test('operations of the calls inside count where the enclosing call counts none', () => {
  const scope = new CallScope();
  const flops = call(scope, 'dense', () => {
    call(scope, 'matMul', () => {}, { flops: 12 });
    call(scope, 'add', () => {}, { flops: 3 });
    return scope.take()?.flops;
  });
  expect(flops).toBe(15);
});

test('a call in another layer is a separate call; after it, the enclosing call continues', () => {
  const scope = new CallScope();
  const [outer, inner] = [{}, {}];
  const taken = call(
    scope,
    'checkpoint',
    () => {
      const inside = call(scope, 'relu', () => scope.take(), { frame: inner, flops: 4, layer: 'b' });
      const same = call(scope, 'relu', () => scope.take(), { frame: outer, flops: 5 });
      const none = call(scope, 'relu', () => scope.take(), { flops: 6 });
      return [inside, same, none];
    },
    { frame: outer, flops: 9, layer: 'a' },
  );
  expect(taken).toEqual([
    { calls: [forwardCall('relu', 'b')], flops: 4 },
    { calls: [forwardCall('checkpoint', 'a')], flops: 9 },
    { calls: [forwardCall('checkpoint', 'a')], flops: null },
  ]);
});

test('a gradient is a separate call that contains its ops', () => {
  const scope = new CallScope();
  const frame = {};
  const taken = call(
    scope,
    'matMul',
    () => {
      const inside = scope.backward(described('relu', 'a'), frame, () =>
        call(scope, 'mul', () => scope.take(), { frame, flops: 7 }),
      );
      return [inside, scope.take()];
    },
    { flops: 3 },
  );
  expect(taken).toEqual([
    { calls: [{ op: 'relu', layer: 'a', backward: true }], flops: 7 },
    { calls: [forwardCall('matMul')], flops: 3 },
  ]);
});

test('a call after a gradient counts its own operations', () => {
  const scope = new CallScope();
  const gradient = () => call(scope, 'mul', () => scope.take()?.flops, { flops: 7 });
  expect(scope.backward(described('relu'), null, gradient)).toBe(7);
  expect(scope.backward(described('relu'), null, gradient)).toBe(7);
  expect(call(scope, 'add', () => scope.take()?.flops, { flops: 2 })).toBe(2);
});

test('a call that throws has ended', () => {
  const scope = new CallScope();
  const fail = () => {
    throw new Error('inside');
  };
  expect(() => call(scope, 'add', fail, { flops: 2 })).toThrow('inside');
  expect(() => scope.backward(described('add'), null, fail)).toThrow('inside');
  expect(scope.take()).toBeNull();
});
