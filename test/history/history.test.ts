/** @file kerasHistory, and the words for where there is none. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  debugMode,
  explainHistory,
  freshTensor,
  GradientTape,
  init,
  lineage,
  memory,
  MissingHistoryError,
  mul,
  requireHistory,
  square,
  stopGradient,
  sum,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

describe('kerasHistory', () => {
  test('names operation, call and output', () => {
    using _ = new GradientTape();
    const y = square(tensor([1]));
    const z = square(y);
    expect(y.kerasHistory?.operation.name).toBe('square');
    expect(z.kerasHistory?.tensorIndex).toBe(0);
    // One operation, called twice: two nodes.
    expect(z.kerasHistory?.operation).toBe(y.kerasHistory?.operation);
    expect(z.kerasHistory?.nodeIndex).toBe((y.kerasHistory?.nodeIndex ?? 0) + 1);
    expect(z.kerasHistory?.node.inputs[0]?.history).toBe(y.kerasHistory);
  });

  test('holds no values: it outlives its tensors without their memory', () => {
    const x = tensor(new Float32Array(4096));
    const before = memory().bytes;
    using tape = new GradientTape();
    const history = tidy(() => square(mul(x, x)).kerasHistory);
    expect(memory().bytes).toBeLessThanOrEqual(before);
    expect(history?.node.inputs[0]?.history?.operation.name).toBe('mul');
    expect(tape.isRecording).toBe(true);
  });

  test('does not grow through a state carried from tape to tape', () => {
    let state = tensor([1]);
    for (let i = 0; i < 3; i++) {
      using _ = new GradientTape();
      state = square(state) as typeof state;
    }
    expect(state.kerasHistory?.node.inputs[0]?.history).toBeNull();
  });
});

describe('explainHistory', () => {
  const text = (t: Parameters<typeof explainHistory>[0], options?: Parameters<typeof explainHistory>[1]) =>
    explainHistory(t, options).text;

  test('recorded', () => {
    using _ = new GradientTape();
    expect(text(mul(tensor([1], { name: 'x' }), tensor([2])))).toMatch(
      /^float32\[1\] has a history: output 0 of call \d+ of 'mul', from float32\[1\] 'x', float32\[1\]\.$/,
    );
  });

  test('fresh', () => {
    expect(text(tensor([1, 2], { name: 'x' }))).toBe(
      "float32[2] 'x' has no history here (fresh): tensor() made it from data: no operation made it.\n" +
        '  hint: nothing is amiss if it is an input. A model’s inputs come from input({ shape }); gradients reach a tensor that a tape watches.',
    );
    expect(explainHistory(freshTensor([1])).why).toMatch(/^freshTensor\(\)/);
  });

  test('fresh from a readback', async () => {
    using _ = new GradientTape();
    const h = square(tensor([1, 2]));
    expect(text(tensor(await h.data()))).toBe(
      "float32[2] has no history here (fresh): tensor() made it from values that were read back from float32[2] made by 'square': the history ended at the readback.\n" +
        '  hint: pass that tensor itself instead of its data(): values that stay on the device keep history and gradient.',
    );
  });

  test('unrecorded', () => {
    expect(text(square(tensor([1])))).toBe(
      "float32[1] has no history here (unrecorded): 'square' made it while no tape was recording.\n" +
        '  hint: open the tape before this call: using tape = new GradientTape(); and watch what isn’t a trainable variable.',
    );
  });

  test('detached', () => {
    using _ = new GradientTape();
    expect(text(stopGradient(square(tensor([1]))))).toBe(
      "float32[1] has no history here (detached): stopGradient detached it from float32[1] made by 'square' on purpose.\n" +
        '  hint: use the tensor from before stopGradient where the gradient should pass.',
    );
  });

  test('foreign', () => {
    using one = new GradientTape();
    const h = square(tensor([1]));
    one.dispose();
    using two = new GradientTape();
    expect(explainHistory(h, { tape: one }).cause).toBe('recorded');
    expect(text(h, { tape: two })).toBe(
      "float32[1] has no history here (foreign): its making by 'square' was recorded on another tape, which alone can walk back through it.\n" +
        '  hint: compute it while this tape records, or nest this tape inside the other.',
    );
  });

  test('variable', () => {
    expect(text(variable(tensor([1]), { name: 'w' }))).toBe(
      "float32[1] 'w' has no history here (variable): a variable is a leaf: it holds values, and no operation made it.\n" +
        '  hint: use the tensor itself where you need its history; gradients end at variables, and reach them.',
    );
  });

  test('loaded', () => {
    const w = tensor([1], { name: 'kernel' });
    w.origin = { kind: 'loaded', from: 'weights.safetensors' };
    expect(text(variable(w, { name: 'kernel' }))).toBe(
      "float32[1] 'kernel' has no history here (loaded): it was loaded from weights.safetensors: weights have no training history.\n" +
        '  hint: the metrics of a training run are its History, saved next to the model as JSON.',
    );
  });

  test('tells the place in debug mode', () => {
    debugMode();
    try {
      expect(explainHistory(square(tensor([1]))).where).toMatch(/^history\.test\.ts:\d+$/);
      expect(text(tensor([1]))).toMatch(/\n {2}where: history\.test\.ts:\d+\n/);
    } finally {
      debugMode(false);
    }
  });

  test('bears with what isn’t a tensor', () => {
    expect(explainHistory(3 as never).why).toMatch(/isn’t a tensor/);
    expect(explainHistory(null as never).why).toMatch(/isn’t a tensor/);
  });
});

test('requireHistory gives it, or throws the explanation', () => {
  using tape = new GradientTape();
  expect(requireHistory(square(tensor([1]))).operation.name).toBe('square');
  tape.dispose();
  expect(() => requireHistory(square(tensor([1])))).toThrow(MissingHistoryError);
  expect(() => requireHistory(square(tensor([1])))).toThrow(/no tape was recording/);
});

describe('lineage', () => {
  test('walks back to the leaves, each once', () => {
    using _ = new GradientTape();
    const x = tensor([1, 2], { name: 'x' });
    const graph = lineage(sum(mul(square(x), x)));
    expect(graph.nodes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'leaf x',
      'op square',
      'op mul',
      'op sum',
    ]);
    expect(graph.edges.map(({ from, to, spec }) => `${from}>${to} ${spec}`)).toEqual([
      'n0>n1 float32[2]',
      'n1>n2 float32[2]',
      'n0>n2 float32[2]',
      'n2>n3 float32[2]',
    ]);
    expect(JSON.parse(JSON.stringify(graph)).nodes).toHaveLength(4);
  });

  test('draws', () => {
    using _ = new GradientTape();
    const graph = lineage(square(tensor([1], { name: 'x' })));
    expect(graph.toMermaid()).toBe(
      'flowchart TD\n  n0(["x<br/>float32[1]"])\n  n1["square<br/>float32[1]"]\n  n0 -->|"float32[1]"| n1',
    );
    expect(graph.toDot()).toMatch(/^digraph lineage \{[\s\S]*n0 -> n1 \[label="float32\[1\]"\];\n\}$/);
  });

  test('of a tensor without history is one leaf', () => {
    expect(lineage(tensor([1])).nodes).toMatchObject([{ kind: 'leaf', name: 'fresh' }]);
  });

  test('is not recursive', () => {
    using _ = new GradientTape();
    let t = tensor([0]);
    for (let i = 0; i < 5_000; i++) t = mul(t, t) as typeof t;
    expect(lineage(t).nodes).toHaveLength(5_001);
  });
});
