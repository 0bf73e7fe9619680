/** @file tape.explain: the path of a gradient, or where it is disconnected. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  argMax,
  cast,
  compile,
  debugMode,
  freshTensor,
  fusedMatMul,
  gather,
  gatherOnHost,
  GradientTape,
  greater,
  init,
  mul,
  reshape,
  scan,
  square,
  stopGradient,
  sum,
  type Tensor,
  tensor,
  topK,
  variable,
} from '../../src/index.ts';
import { layers, sequential } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

describe('connected', () => {
  test('names the path, op by op', () => {
    const w = variable(tensor([1, 2]), { name: 'w' });
    const tape = new GradientTape();
    const loss = sum(square(mul(w, 3)));
    tape.gradient(loss, w);
    const answer = tape.explain(loss, w);
    expect(answer.connected).toBe(true);
    expect(answer.path.map(({ operation }) => operation)).toEqual(['mul', 'square', 'sum']);
    expect(answer.text).toBe(
      "connected: the gradient of float32[] reaches float32[2] 'w' through mul → square → sum.",
    );
  });

  test('a frozen variable does not cut the gradient to the input', () => {
    const frozen = variable(tensor([2]), { trainable: false });
    const x = tensor([1]);
    using tape = new GradientTape();
    tape.watch(x);
    const y = mul(square(x), frozen);
    expect(tape.explain(y, x).connected).toBe(true);
    expect(tape.explain(y, frozen).disconnectedAt?.cause).toBe('unwatched');
    expect(tape.explain(y, frozen).disconnectedAt?.why).toMatch(/not trainable/);
  });

  test('the path is that of the first operand which the gradient reaches', () => {
    const x = tensor([1]);
    using tape = new GradientTape();
    tape.watch(x);
    const path = tape.explain(mul(tensor([2]), add(square(x), x)), x).path;
    expect(path).toEqual([
      { operation: 'square', spec: 'float32[1]', callSite: undefined },
      { operation: 'add', spec: 'float32[1]', callSite: undefined },
      { operation: 'mul', spec: 'float32[1]', callSite: undefined },
    ]);
  });

  test('a tensor is connected to itself', () => {
    const x = tensor([1], { name: 'x' });
    using tape = new GradientTape();
    tape.watch(x);
    const { text, path, disconnectedAt } = tape.explain(x, x);
    expect([path, disconnectedAt]).toEqual([[], null]);
    expect(text).toBe(
      "connected: the gradient of float32[1] 'x' reaches float32[1] 'x': they are the same tensor.",
    );
  });
});

test('a frozen layer passes the gradient on to its input', () => {
  const frozen = layers.dense({ units: 3, name: 'frozen' });
  frozen.build([null, 2]);
  frozen.trainable = false;
  const x = tensor([[1, 2]]);
  using tape = new GradientTape({ persistent: true });
  tape.watch(x);
  const loss = sum(square(frozen.apply(x) as Tensor));
  expect(tape.gradient(loss, x)).not.toBeNull();
  expect(tape.explain(loss, x).connected).toBe(true);
  expect(tape.explain(loss, x).path[0]?.operation).toMatch(/^frozen › /);
  expect(tape.explain(loss, frozen.weights[0] as Tensor).disconnectedAt?.why).toMatch(/not trainable/);
});

test('validation does not cost the history, and a history holds no metrics', () => {
  const x = tensor([[1], [2]]);
  using tape = new GradientTape();
  tape.watch(x);
  const y = gather(x, tensor([0], { dtype: 'int32' }));
  expect(y.kerasHistory?.operation.name).toBe('gather');
  expect(tape.explain(y, x).connected).toBe(true);
  expect(Object.keys(y.kerasHistory ?? {}).sort()).toEqual(['node', 'nodeIndex', 'operation', 'tensorIndex']);
});

describe('disconnected', () => {
  const start = () => {
    const x = tensor([1, 2], { name: 'x' });
    const tape = new GradientTape({ persistent: true });
    tape.watch(x);
    return { x, tape };
  };

  test('a readback and upload', async () => {
    const { x, tape } = start();
    const h = square(x);
    const loss = sum(mul(tensor(await h.data()), 2));
    const { disconnectedAt, text } = tape.explain(loss, x);
    expect(tape.gradient(loss, x)).toBeNull();
    expect(disconnectedAt).toMatchObject({
      cause: 'readBack',
      last: "'square' (float32[2])",
      first: 'tensor()',
    });
    expect(text).toBe(
      "disconnected: no gradient flows from float32[] to float32[2] 'x'.\n" +
        "  connected up to 'square' (float32[2]); disconnected at tensor().\n" +
        "  why: the values of float32[2] made by 'square' were read back to the host, and tensor() made a fresh tensor of them.\n" +
        '  hint: pass the tensor itself instead of its data(); an identity layer can’t reconnect what a readback disconnected.',
    );
    tape.dispose();
  });

  test('stopGradient', () => {
    const { x, tape } = start();
    const loss = sum(stopGradient(square(x)));
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'detached',
      last: "'square' (float32[2])",
      first: "'stopGradient'",
      why: expect.stringMatching(/^stopGradient stops the gradient/),
      hint: expect.stringMatching(/from before stopGradient/),
    });
    tape.dispose();
  });

  test('stopGradient of what the tape didn’t record', () => {
    const { x, tape } = start();
    const detached = tape.stopRecording(() => stopGradient(x));
    expect(tape.explain(detached, x).disconnectedAt).toMatchObject({
      cause: 'detached',
      first: "'stopGradient'",
      last: "the source float32[2] 'x'",
    });
    tape.dispose();
  });

  test('integers', () => {
    const { x, tape } = start();
    const loss = sum(cast(cast(mul(x, 3), 'int32'), 'float32'));
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'integers',
      last: "'mul' (float32[2])",
      first: "'cast'",
    });
    const n = tensor([1], { dtype: 'int32' });
    expect(tape.explain(loss, n).disconnectedAt?.cause).toBe('integers');
    tape.dispose();
  });

  test('argMax and comparisons', () => {
    const { x, tape } = start();
    const best = sum(cast(argMax(square(x)), 'float32'));
    expect(tape.explain(best, x).disconnectedAt).toMatchObject({
      cause: 'notDifferentiable',
      last: "'square' (float32[2])",
      first: "'argMax'",
      why: expect.stringMatching(/^'argMax' has no gradient/),
      hint: expect.stringMatching(/softmax for argMax/),
    });
    const above = sum(cast(greater(x, 1), 'float32'));
    expect(tape.explain(above, x).disconnectedAt).toMatchObject({
      cause: 'notDifferentiable',
      first: "'greater'",
    });
    tape.dispose();
  });

  test('an identity Lambda does not reconnect a gradient after a readback', async () => {
    const { x, tape } = start();
    const h = square(x);
    const same = layers.lambda((v) => v);
    const loss = sum(same.apply(reshape(tensor(await h.data()), { shape: [1, 2] })) as Tensor);
    expect(tape.gradient(loss, x)).toBeNull();
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'readBack',
      last: "'square' (float32[2])",
    });
    tape.dispose();
  });

  test('a variable that was used on the host alone', async () => {
    const table = variable(tensor([[1], [2]]), { name: 'table' });
    using tape = new GradientTape({ persistent: true });
    const loss = sum(freshTensor(await gatherOnHost(table, tensor([1], { dtype: 'int32' }))));
    expect(tape.gradient(loss, table)).toBeNull();
    expect(tape.explain(loss, table).disconnectedAt).toMatchObject({
      cause: 'readBack',
      first: 'freshTensor()',
    });
    expect(tape.explain(loss, variable(tensor([1]))).disconnectedAt).toMatchObject({ cause: 'unwatched' });
  });

  test('another tape', () => {
    const { x, tape } = start();
    tape.stopRecording(() => {
      using second = new GradientTape();
      second.watch(x);
      const h = square(x);
      expect(second.explain(h, x).connected).toBe(true);
      expect(tape.explain(h, x).disconnectedAt).toMatchObject({
        cause: 'foreign',
        first: "'square'",
        why: expect.stringMatching(/^'square' was recorded on another tape/),
        hint: expect.stringMatching(/on one tape, or nest/),
      });
    });
    tape.dispose();
  });

  test('a constant that was computed before the tape', () => {
    const w = variable(tensor([[2]]));
    const early = [
      layers.dense({ units: 1, name: 'early' }).apply(tensor([[1, 2]])),
      square(tensor([[3]])),
      tensor([[4]]),
    ] as const;
    using tape = new GradientTape({ persistent: true });
    const loss = sum(mul(add(add(early[0], early[1]), early[2]), w));
    expect(tape.gradient(loss, early)).toEqual([null, null, null]);
    const whys = early.map((constant) => tape.explain(loss, constant).disconnectedAt);
    expect(whys.map((found) => found?.cause)).toEqual(['unwatched', 'unwatched', 'unwatched']);
    expect(whys[0]?.why).toMatch(
      /'early' made while this tape was not recording: to the tape it is a constant/,
    );
    expect(whys[1]?.why).toMatch(/'square' made while/);
    expect(whys[2]?.why).not.toMatch(/made while/);
    expect(whys[0]?.hint).toMatch(/compute x while the tape records/);
  });

  test('stopped recording, and an op before the tape', () => {
    const { x, tape } = start();
    const hidden = tape.stopRecording(() => square(x));
    expect(tape.explain(sum(hidden), x).disconnectedAt).toMatchObject({
      cause: 'unrecorded',
      first: "'square'",
      last: "the source float32[2] 'x'",
      why: expect.stringMatching(/^'square' ran while this tape was not recording/),
      hint: expect.stringMatching(/outside stopRecording/),
    });
    tape.dispose();

    const w = variable(tensor([1]), { name: 'w' });
    const early = square(w);
    const late = new GradientTape({ persistent: true });
    late.watch(w);
    expect(late.explain(sum(early), w).disconnectedAt).toMatchObject({
      cause: 'unrecorded',
      first: "'square'",
    });
    late.dispose();
  });

  test('a variable made from a tensor', () => {
    const { x, tape } = start();
    const detached = variable(square(x), { name: 'copy' });
    const loss = sum(mul(detached, 2));
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'variable',
      last: "'square' (float32[2])",
      first: 'a variable',
      why: expect.stringMatching(/took the values of float32\[2\] made by 'square'/),
      hint: expect.stringMatching(/compute with the tensor itself/),
    });
    tape.dispose();
  });

  test('a tensor that is not watched', () => {
    const { tape } = start();
    const y = tensor([3]);
    // Made while the tape records, or from data: no op is to blame.
    for (const source of [y, mul(y, 2)]) {
      const { path, disconnectedAt } = tape.explain(square(source), source);
      expect(path).toEqual([]);
      expect(disconnectedAt).toMatchObject({
        cause: 'unwatched',
        why: 'the tape doesn’t watch this tensor. Only trainable variables are watched automatically.',
        hint: 'call tape.watch(x) before computing with x.',
      });
    }
    tape.dispose();
  });

  test('a result of a compiled function that ran before', () => {
    const x = tensor([1, 2]);
    using f = compile((t: Tensor) => square(t));
    const before = f(x);
    using tape = new GradientTape();
    tape.watch(x);
    expect(tape.explain(before, x).disconnectedAt).toMatchObject({
      cause: 'independent',
      why: expect.stringMatching(/made from float32\[2\] \(unrecorded\), not/),
    });
  });

  test('a loop that ran before', () => {
    const x = tensor([1, 2]);
    const [total] = scan((carry: Tensor, item: Tensor) => [add(carry, item), null] as const, tensor(0), x);
    using tape = new GradientTape();
    tape.watch(x);
    expect(tape.explain(square(total), x).disconnectedAt).toMatchObject({ cause: 'unrecorded' });
  });

  test('no connection at all', () => {
    const { x, tape } = start();
    const other = tensor([5], { name: 'other' });
    const { disconnectedAt } = tape.explain(square(other), x);
    expect(disconnectedAt).toMatchObject({ cause: 'independent', first: 'nothing that leads to the target' });
    expect(disconnectedAt?.why).toMatch(/'other' \(fresh\)/);
    tape.dispose();
  });

  test('says that it isn’t connected, and names each origin of the target once', () => {
    const { x, tape } = start();
    const other = tensor([5], { name: 'other' });
    const twice = add(square(other), square(other));
    const { connected, disconnectedAt } = tape.explain(mul(twice, square(other)), x);
    expect(connected).toBe(false);
    expect(disconnectedAt?.why.match(/'other'/g)).toHaveLength(1);
    tape.dispose();
  });

  test('says which dtype stops a gradient', () => {
    const { x, tape } = start();
    const answer = tape.explain(sum(cast(cast(x, 'int32'), 'float32')), x);
    expect(answer.connected).toBe(false);
    expect(answer.disconnectedAt).toMatchObject({
      cause: 'integers',
      why: expect.stringMatching(/^'cast' gives int32, and gradients don’t pass through integers or bools/),
      hint: expect.stringMatching(/stay in floating point/),
    });
    tape.dispose();
  });

  test('the integers among the results of an op', () => {
    const { x, tape } = start();
    const [top, places] = topK(x, { k: 1 });
    expect(tape.explain(sum(top), x).connected).toBe(true);
    expect(tape.explain(sum(cast(places, 'float32')), x).disconnectedAt).toMatchObject({
      cause: 'integers',
      last: "the source float32[2] 'x'",
      first: "'topK'",
      why: expect.stringMatching(/^'topK' gives int32/),
    });
    tape.dispose();
  });

  test('the disconnection nearest to the target', () => {
    const { x, tape } = start();
    const near = stopGradient(square(x));
    const far = square(square(cast(greater(x, 1), 'float32')));
    for (const target of [add(near, far), add(far, near)])
      expect(tape.explain(target, x).disconnectedAt).toMatchObject({
        cause: 'detached',
        last: "'square' (float32[2])",
      });
    tape.dispose();
  });

  test('by an op inside a layer, named with the layer', () => {
    const { x, tape } = start();
    const layer = layers.lambda((v: Tensor) => cast(greater(v, 0), 'float32'), { name: 'step' });
    expect(tape.explain(sum(layer.apply(x) as Tensor), x).disconnectedAt?.first).toBe("'step › greater'");
    tape.dispose();
  });

  test('a call is named with its place in debug mode', () => {
    const { x, tape } = start();
    const place = /disconnected at '?\w+'?(\(\))?, explain\.test\.[jt]s:\d+\./;
    debugMode();
    try {
      const before = tape.stopRecording(() => square(x));
      const targets = [stopGradient(x), greater(x, 0), cast(x, 'int32'), before];
      for (const target of targets) expect(tape.explain(target, x).text).toMatch(place);
      expect(tape.explain(square(x), x).path[0]?.callSite).toMatch(/^explain\.test/);
    } finally {
      debugMode(false);
    }
    expect(tape.explain(stopGradient(x), x).text).toMatch(/disconnected at 'stopGradient'\.\n/);
    tape.dispose();
  });

  test('a variable that only calls outside the tape used', () => {
    const [w, frozen] = [variable(tensor([1])), variable(tensor([1]), { trainable: false })];
    using tape = new GradientTape();
    const target = tape.stopRecording(() => mul(w, frozen));
    expect(tape.explain(target, w).disconnectedAt).toMatchObject({
      cause: 'unrecorded',
      last: expect.stringMatching(/^the source/),
    });
    expect(tape.explain(target, frozen).disconnectedAt).toMatchObject({
      cause: 'unwatched',
      why: expect.stringMatching(/not trainable/),
      hint: expect.stringMatching(/trainable = true/),
    });
  });

  test('a trainable variable that isn’t watched', () => {
    const w = variable(tensor([1]));
    using tape = new GradientTape({ watchAccessedVariables: false });
    expect(tape.explain(square(w), w).path).toEqual([]);
    expect(tape.explain(square(w), w).disconnectedAt).toMatchObject({
      cause: 'unwatched',
      last: expect.stringMatching(/^the source/),
      first: 'its first use',
      why: expect.stringMatching(/no recorded call used/),
      hint: expect.stringMatching(/while the tape records/),
    });
  });

  test('a source of integers', () => {
    const { tape } = start();
    const n = tensor([1], { dtype: 'int32' });
    const { path, disconnectedAt } = tape.explain(cast(n, 'float32'), n);
    expect(path).toEqual([]);
    expect(disconnectedAt).toMatchObject({
      cause: 'integers',
      why: expect.stringMatching(/^the source is int32/),
      hint: expect.stringMatching(/cast\(x, 'float32'\) before/),
    });
    tape.dispose();
  });

  test('a layer that ran before the tape, whose weights it used', () => {
    const dense = layers.dense({ units: 1, name: 'early' });
    dense.build([null, 2]);
    const early = dense.apply(tensor([[1, 2]])) as Tensor;
    const kernel = dense.weights[0] as Tensor;
    using tape = new GradientTape();
    tape.watch(kernel);
    expect(tape.explain(square(early), kernel).disconnectedAt).toMatchObject({
      cause: 'unrecorded',
      first: "'early'",
      last: expect.stringMatching(/^the source/),
    });
  });

  test('a model that ran before the tape, by the weights of its first layer', () => {
    const net = sequential({ layers: [layers.dense({ units: 3 }), layers.dense({ units: 1 })], name: 'net' });
    net.build([null, 2]);
    const early = net.apply(tensor([[1, 2]])) as Tensor;
    const kernel = net.weights[0] as Tensor;
    using tape = new GradientTape();
    tape.watch(kernel);
    expect(tape.explain(early, kernel).disconnectedAt).toMatchObject({ cause: 'unrecorded', first: "'net'" });
  });

  test('a target of a tape that was reset', () => {
    const { x, tape } = start();
    const before = square(x);
    tape.reset();
    tape.watch(x);
    expect(tape.explain(before, x).disconnectedAt).toMatchObject({
      cause: 'independent',
      why: expect.stringMatching(/made from float32\[2\] \(recorded\), not/),
    });
    tape.dispose();
  });

  test('a weight that no tensor was copied into', () => {
    const { x, tape } = start();
    const dense = layers.dense({ units: 1 });
    dense.build([null, 2]);
    expect(tape.explain(square(dense.weights[0] as Tensor), x).disconnectedAt?.why).toMatch(
      /\(variable\), not/,
    );
    tape.dispose();
  });

  test('values of a file', () => {
    const { x, tape } = start();
    const loaded = tensor([1, 2], { name: 'loaded' });
    loaded.origin = { kind: 'loaded', from: "'net.keras'" };
    for (const target of [loaded, square(loaded)])
      expect(tape.explain(target, x).disconnectedAt).toMatchObject({
        cause: 'independent',
        why: expect.stringMatching(/made from float32\[2\] 'loaded' \(loaded\), not/),
        hint: expect.stringMatching(/from the source by ops while the tape records/),
      });
    tape.dispose();
  });

  test('values that were read back from what the tape never saw, and operands that were left out', async () => {
    const { x, tape } = start();
    const read = tensor(await tape.stopRecording(() => square(tensor([[1, 2]]))).data(), { shape: [1, 2] });
    const target = fusedMatMul(read, tensor([[1], [2]], { name: 'b' }), null);
    expect(tape.explain(target, x).disconnectedAt?.why).toMatch(
      /made from float32\[2, 1\] 'b' \(fresh\), something unknown, not/,
    );
    tape.dispose();
  });

  test('a call on another tape leads to its own inputs', () => {
    const { x, tape } = start();
    const h = mul(x, 2);
    const foreign = tape.stopRecording(() => {
      using second = new GradientTape();
      second.watch(h);
      return square(h);
    });
    expect(tape.explain(sum(foreign), x)).toMatchObject({
      path: [{ operation: 'mul', spec: 'float32[2]' }],
      disconnectedAt: { cause: 'foreign', first: "'square'", last: "'mul' (float32[2])" },
    });
    tape.dispose();
  });

  test('calls on another tape are followed to the first of them', () => {
    const { x, tape } = start();
    tape.stopRecording(() => {
      using second = new GradientTape();
      second.watch(x);
      const target = square(mul(square(x), 2));
      expect(tape.explain(target, x).disconnectedAt).toMatchObject({
        cause: 'foreign',
        first: "'square'",
        last: "the source float32[2] 'x'",
      });
      const mixed = square(mul(x, 2));
      expect(tape.explain(mixed, x).disconnectedAt).toMatchObject({ cause: 'foreign', first: "'mul'" });
    });
    tape.dispose();
  });

  test('a target without a history', () => {
    const { x, tape } = start();
    const why = (target: Tensor) => tape.explain(target, x).disconnectedAt?.why;
    expect(why(tensor([5], { name: 'data' }))).toMatch(/made from float32\[1\] 'data' \(fresh\), not/);
    expect(why(mul(tensor([5]), variable(tensor([1]), { name: 'v' })))).toMatch(
      /made from float32\[1\] \(fresh\), float32\[1\] 'v' \(variable\), not/,
    );
    expect(tape.explain(tensor([5]), x)).toMatchObject({
      path: [],
      disconnectedAt: { last: "the source float32[2] 'x'" },
    });
    tape.dispose();
  });
});

describe('what a tape knows', () => {
  test('the tensors that it watches, and the variables that calls used', () => {
    const [x, w, unused] = [tensor([1]), variable(tensor([1])), variable(tensor([1]))];
    const [frozen, count] = [
      variable(tensor([1]), { trainable: false }),
      variable(tensor([1], { dtype: 'int32' })),
    ];
    using tape = new GradientTape({ persistent: true });
    tape.watch([x]);
    const y = mul(mul(x, w), frozen);
    cast(count, 'float32');
    expect(tape.watched).toEqual([x, w]);
    expect([x, w, unused, y].map(({ id }) => tape.isWatched(id))).toEqual([true, true, false, false]);
    tape.reset();
    expect(tape.watched).toEqual([]);
    expect([tape.trace.length, tape.leaves.size]).toEqual([0, 0]);
  });

  test('the calls that it saw, those inside of layers included', () => {
    const x = tensor([[1, 2]]);
    const dense = layers.dense({ units: 1 });
    using tape = new GradientTape();
    const y = dense.apply(x) as Tensor;
    const z = square(x);
    using second = new GradientTape();
    const late = square(x);
    const sees = (seen: GradientTape, { kerasHistory }: Tensor) =>
      kerasHistory !== null && seen.hasRecorded(kerasHistory);
    expect([y, z, late].map((t) => sees(tape, t))).toEqual([true, true, true]);
    expect([y, z, late].map((t) => sees(second, t))).toEqual([false, false, true]);
  });

  test('the origins of what came from outside, not of what its calls made', () => {
    const [x, y] = [tensor([1], { name: 'x' }), square(tensor([2]))];
    using tape = new GradientTape();
    square(mul(x, y));
    const leaves = [...tape.leaves.values()].map(({ spec, name, origin }) => [spec, name, origin.kind]);
    expect(leaves).toEqual([
      ['float32[1]', 'x', 'fresh'],
      ['float32[1]', undefined, 'unrecorded'],
    ]);
  });

  test('nothing of calls after a gradient that closed it', () => {
    const x = tensor([1]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = square(x);
    tape.gradient(y, x);
    mul(y, 2);
    expect(tape.trace.map(({ op }) => op.name)).toEqual(['square']);
    expect(tape.explain(y, x).connected).toBe(true);
  });
});
