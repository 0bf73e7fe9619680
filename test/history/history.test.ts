/** @file kerasHistory, and explanations for tensors that have none. */
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
  split,
  square,
  stopGradient,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { userFrame } from '../../src/history/callSite.ts';
import { clearSession, input, layers, model, sequential } from '../../src/keras/index.ts';

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
    expect(memory().bytes).toBe(before);
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
        '  hint: nothing is wrong if it is an input. A model’s inputs come from input({ shape }); gradients reach a tensor that a tape watches.',
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
    expect(text(stopGradient(tensor([1], { name: 'x' })))).toMatch(
      /detached it from float32\[1\] 'x' on purpose/,
    );
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
      "float32[1] has no history here (foreign): the call of 'square' that made it was recorded on another tape, and only that tape differentiates it.\n" +
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

  test('reports the location in debug mode', () => {
    debugMode();
    try {
      expect(explainHistory(square(tensor([1]))).where).toMatch(/^history\.test\.[jt]s:\d+$/);
      expect(text(tensor([1]))).toMatch(/\n {2}where: history\.test\.[jt]s:\d+\n/);
    } finally {
      debugMode(false);
    }
  });

  test('names the place of what has no history, too', () => {
    debugMode();
    try {
      const place = /^history\.test\.[jt]s:\d+$/;
      const made = square(tensor([1]));
      expect(explainHistory(made)).toMatchObject({ cause: 'unrecorded' });
      expect(explainHistory(made).where).toMatch(place);
      expect(explainHistory(stopGradient(made)).where).toMatch(place);
      using tape = new GradientTape();
      const recorded = square(made);
      expect(explainHistory(recorded).where).toMatch(place);
      tape.dispose();
      using other = new GradientTape();
      expect(explainHistory(recorded, { tape: other })).toMatchObject({ cause: 'foreign' });
      expect(explainHistory(recorded, { tape: other }).where).toMatch(place);
      expect(() => requireHistory(made)).toThrow(/received: float32\[1\], made at history\.test\.[jt]s:\d+/i);
    } finally {
      debugMode(false);
    }
    expect(explainHistory(square(tensor([1]))).where).toBeUndefined();
    expect(() => requireHistory(square(tensor([1])))).toThrow(/received: float32\[1\]\.?\n/i);
  });

  test('debugMode takes a boolean', () => {
    expect(() => debugMode('yes' as never)).toThrow(/^debugMode: `on`[\s\S]*yes/);
  });

  test('finds the user’s line below many frames of the library, and leaves the limit of stack traces', () => {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 7;
    debugMode();
    try {
      let net = sequential([layers.inputLayer({ shape: [1] }), layers.activation({ activation: 'tanh' })]);
      for (let i = 0; i < 4; i++) net = sequential([layers.inputLayer({ shape: [1] }), net]);
      expect(explainHistory(net.apply(tensor([[1]]))).where).toMatch(/^history\.test\.[jt]s:\d+$/);
      expect(Error.stackTraceLimit).toBe(7);
    } finally {
      debugMode(false);
      Error.stackTraceLimit = before;
    }
  });

  describe('the user’s line', () => {
    /** Returns what is read from a stack as an engine without V8's API writes it. */
    function userFrameIn(frames: string | undefined): string | undefined {
      const { prepareStackTrace } = Error;
      Error.prepareStackTrace = () => frames && `Error\n${frames}`;
      try {
        return userFrame();
      } finally {
        Error.prepareStackTrace = prepareStackTrace;
      }
    }

    /** The first frame: that of the library's file that asks. */
    const here = (folder: string, type: string) =>
      `    at stackFrames (file:///retrograd/${folder}/src/history/callSite.${type}:1:2)`;

    test.each<[string, string | undefined, string | undefined]>([
      ['in V8', '    at main (file:///app/src/main.js:12:3)', 'main.js:12'],
      ['in an async function', '    at async file:///app/main.js:12:3', 'main.js:12'],
      ['in a CommonJS module', '    at main (/app/main.js:12:3)', 'main.js:12'],
      ['on Windows', '    at main (file:///C:/app/main.js:12:3)', 'main.js:12'],
      ['in Firefox and Safari', 'main@http://localhost:8080/main.js:12:3\n', 'main.js:12'],
      ['below native code', '    at Array.map (<anonymous>)\n    at http://a.b/c.js:4:56', 'c.js:4'],
      [
        'where code without a file was called',
        '    at eval (eval at run (file:///app/run.js:1:2), <anonymous>:3:4)\n    at file:///app/main.js:5:6',
        'main.js:5',
      ],
      ['the nearest one', 'f@https://a.b/near.js:4:5\ng@https://a.b/far.js:6:7', 'near.js:4'],
      ['nowhere', '    at <anonymous>', undefined],
      ['without stacks', undefined, undefined],
    ])('%s', (_, frames, place) => {
      expect(userFrameIn(frames && `${here('dist', 'js')}\n${frames}`)).toBe(place);
    });

    test.each([
      ['by its URL', 'dist', 'js', '    at op (file:///retrograd/dist/src/ops/op.js:1:2)'],
      ['by its path', 'dist', 'js', '    at op (/retrograd/dist/src/ops/op.js:1:2)'],
      [
        'in an anonymous function in Firefox',
        'dist',
        'js',
        'op/</<@file:///retrograd/dist/src/ops/op.js:1:2',
      ],
      ['by source maps, as in Deno', '.', 'ts', '    at op (file:///retrograd/./src/ops/op.ts:1:2)'],
    ])('is no line of the library, %s', (_, folder, type, frame) => {
      const frames = [here(folder, type), frame, '    at /app/main.js:12:3'];
      expect(userFrameIn(frames.join('\n'))).toBe('main.js:12');
    });
  });

  test('of a symbolic tensor: open sizes, and calls without inputs', () => {
    clearSession();
    const x = input({ shape: [2], name: 'x' });
    expect(text(x)).toBe("float32[?, 2] 'x' has a history: output 0 of call 1 of 'x', from no inputs.");
    using tape = new GradientTape();
    expect(explainHistory(square(x), { tape })).toMatchObject({
      cause: 'unrecorded',
      why: "'square' made it while no tape was recording.",
      hint: expect.stringContaining('open the tape before this call'),
    });
  });

  test('of a tensor that is used on another device', () => {
    using _ = new GradientTape();
    const made = square(tensor([1]));
    expect(explainHistory(made, { device: made.device }).cause).toBe('recorded');
    expect(explainHistory(made, { device: {} })).toMatchObject({
      cause: 'foreign',
      why: expect.stringContaining('on another device'),
      hint: expect.stringContaining('compute on one device'),
    });
    // Symbolic tensors are on no device.
    expect(explainHistory(input({ shape: [1] }), { device: {} }).cause).toBe('recorded');
  });

  test('of a variable, names the tensor that its values came from', () => {
    using _ = new GradientTape();
    const w = variable(square(tensor([1])), { name: 'w' });
    expect(explainHistory(w).why).toBe(
      "a variable is a leaf: it holds values, and no operation made it (its values are those of float32[1] made by 'square', without the history).",
    );
  });

  test('of metrics of a training run, which aren’t a tensor’s history', async () => {
    const net = sequential([layers.inputLayer({ shape: [1] }), layers.dense({ units: 1 })]);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const history = await net.fit([[1]], [[1]], { epochs: 1, verbose: 0 });
    const { cause, what, why, hint } = explainHistory(history);
    expect(cause).toBe('fresh');
    expect(`${what}: ${why} ${hint}`).toMatch(/History.*metrics.*kerasHistory/s);
  });

  test("accepts values that aren't tensors", () => {
    for (const value of [3, null, undefined, [], { kerasHistory: null }, { shape: [1] }])
      expect(explainHistory(value)).toMatchObject({
        cause: 'fresh',
        why: expect.stringContaining('isn’t a tensor'),
        hint: expect.stringContaining('tensor(values)'),
        where: undefined,
      });
    expect(explainHistory(3).what).toBe('3');
  });

  test('rejects options that don’t exist', () => {
    expect(() => explainHistory(tensor([1]), { tapes: 1 } as never)).toThrow(
      /^explainHistory: [\s\S]*tapes[\s\S]*'tape'/,
    );
  });
});

test('requireHistory gives it, or throws the explanation', () => {
  using tape = new GradientTape();
  expect(requireHistory(square(tensor([1]))).operation.name).toBe('square');
  tape.dispose();
  expect(() => requireHistory(square(tensor([1])))).toThrow(MissingHistoryError);
  expect(() => requireHistory(square(tensor([1])))).toThrow(/no tape was recording[\s\S]*open the tape/);
  expect(() => requireHistory(3 as never)).toThrow(/received: 3\b/);
});

describe('lineage', () => {
  test('of what isn’t a tensor is a leaf that says what it is', () => {
    const { nodes, edges } = lineage('text' as never);
    expect(nodes).toMatchObject([{ id: 'n0', kind: 'leaf', name: 'fresh', outputs: ["'text'[]"] }]);
    expect(edges).toEqual([]);
  });

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

  test('draws layers as one node, or with the ops inside', () => {
    clearSession();
    const x = input({ shape: [1], name: 'x' });
    const net = model({
      inputs: x,
      outputs: layers.activation({ activation: 'relu', name: 'inner' }).apply(x),
      name: 'outer',
    });
    const graph = lineage(net.apply(tensor([[1]], { name: 'given' })));
    expect(graph.nodes.map(({ kind, name }) => [kind, name])).toEqual([
      ['leaf', 'given'],
      ['layer', 'outer'],
    ]);
    expect(graph.toMermaid()).toBe(
      [
        'flowchart TD',
        '  n0(["given<br/>float32[1, 1]"])',
        '  n1["outer<br/>float32[1, 1]"]',
        '  n0 -->|"float32[1, 1]"| n1',
      ].join('\n'),
    );
    expect(graph.toMermaid({ open: true })).toBe(
      [
        'flowchart TD',
        '  n0(["given<br/>float32[1, 1]"])',
        '  subgraph n1["outer<br/>float32[1, 1]"]',
        '    n1_0(["given<br/>float32[1, 1]"])',
        '    subgraph n1_1["inner<br/>float32[1, 1]"]',
        '      n1_1_0(["given<br/>float32[1, 1]"])',
        '      n1_1_1["relu<br/>float32[1, 1]"]',
        '      n1_1_0 -->|"float32[1, 1]"| n1_1_1',
        '    end',
        '    n1_0 -->|"float32[1, 1]"| n1_1',
        '  end',
        '  n0 -->|"float32[1, 1]"| n1',
      ].join('\n'),
    );
    expect(graph.toDot()).toBe(
      [
        'digraph lineage {',
        '  node [shape=box, fontname="sans-serif"];',
        '  n0 [label="given\\nfloat32[1, 1]", style=rounded];',
        '  n1 [label="outer\\nfloat32[1, 1]"];',
        '  n0 -> n1 [label="float32[1, 1]"];',
        '}',
      ].join('\n'),
    );
    expect(graph.toDot({ open: true })).toBe(
      [
        'digraph lineage {',
        '  node [shape=box, fontname="sans-serif"];',
        '  n0 [label="given\\nfloat32[1, 1]", style=rounded];',
        '  subgraph cluster_n1 {',
        '    label="outer\\nfloat32[1, 1]";',
        '    n1 [shape=point, style=invis];',
        '    n1_0 [label="given\\nfloat32[1, 1]", style=rounded];',
        '    subgraph cluster_n1n1_1 {',
        '      label="inner\\nfloat32[1, 1]";',
        '      n1_1 [shape=point, style=invis];',
        '      n1_1_0 [label="given\\nfloat32[1, 1]", style=rounded];',
        '      n1_1_1 [label="relu\\nfloat32[1, 1]"];',
        '      n1_1_0 -> n1_1_1 [label="float32[1, 1]"];',
        '    }',
        '    n1_0 -> n1_1 [label="float32[1, 1]"];',
        '  }',
        '  n0 -> n1 [label="float32[1, 1]"];',
        '}',
      ].join('\n'),
    );
  });

  test('draws inside a layer what happened there, and nothing from before', () => {
    using _ = new GradientTape();
    const relu = layers.activation({ activation: 'relu', name: 'inner' });
    const graph = lineage(relu.apply(square(tensor([1]))));
    expect(graph.nodes.map(({ kind, name }) => [kind, name])).toEqual([
      ['leaf', 'tensor'],
      ['op', 'square'],
      ['layer', 'inner'],
    ]);
    const { nodes, edges } = graph.nodes.at(-1)?.inside ?? {};
    expect(nodes?.map(({ kind, name }) => [kind, name])).toEqual([
      ['leaf', 'tensor'],
      ['op', 'relu'],
    ]);
    expect(edges).toEqual([{ from: 'n2_0', to: 'n2_1', tensorIndex: 0, spec: 'float32[1]' }]);
  });

  test('of a tensor inside a layer goes through the layer', () => {
    clearSession();
    const x = input({ shape: [1] });
    const first = layers.activation({ activation: 'relu', name: 'first' });
    const second = layers.activation({ activation: 'tanh', name: 'second' });
    const net = model({ inputs: x, outputs: second.apply(first.apply(x)) });
    using _ = new GradientTape();
    const graph = lineage(net.apply(square(tensor([[1]]))));
    const names = (nodes: typeof graph.nodes = []) => nodes.map(({ kind, name }) => `${kind} ${name}`);
    const { inside } = graph.nodes.at(-1) ?? {};
    expect(names(inside?.nodes)).toEqual(['leaf tensor', 'layer first', 'layer second']);
    expect(inside?.edges.map(({ from, to }) => `${from}>${to}`)).toEqual(['n2_0>n2_1', 'n2_1>n2_2']);
    const [kerasHistory = null] = net.apply(square(tensor([[1]]))).kerasHistory?.node.inside ?? [];
    const within = lineage({ shape: [1, 1], dtype: 'float32', kerasHistory });
    expect(names(within.nodes)).toEqual(['leaf tensor', 'op square', 'layer first', 'layer second']);
  });

  test('counts the calls of a layer in a graph apart from the others', () => {
    const layer = layers.activation({ activation: 'relu' });
    expect(layer.apply(input({ shape: [1] })).kerasHistory?.nodeIndex).toBe(0);
    expect(layer.apply(input({ shape: [1] })).kerasHistory?.nodeIndex).toBe(1);
    using _ = new GradientTape();
    expect(layer.apply(tensor([[1]])).kerasHistory?.nodeIndex).toBe(0);
    expect(layer.apply(tensor([[1]])).kerasHistory?.nodeIndex).toBe(1);
  });

  test('quotes in names end no label', () => {
    using _ = new GradientTape();
    const graph = lineage(square(tensor([1], { name: 'the "x"' })));
    expect(graph.toMermaid()).toContain(`n0(["the 'x'<br/>float32[1]"])`);
    expect(graph.toDot()).toContain('n0 [label="the \\"x\\"\\nfloat32[1]", style=rounded];');
  });

  test('records which output of a call an input is', () => {
    using _ = new GradientTape();
    const [, second] = split(tensor([1, 2, 3, 4]), 2);
    const graph = lineage(square(second as Tensor));
    expect(graph.edges.map(({ tensorIndex }) => tensorIndex)).toEqual([0, 1]);
    expect(graph.toMermaid()).toContain('n1["split<br/>float32[2], float32[2]"]');
  });

  test('of a tensor without history is one leaf', () => {
    expect(lineage(tensor([1])).nodes).toEqual([
      { id: 'n0', kind: 'leaf', name: 'fresh', outputs: ['float32[1]'], callSite: undefined, inside: null },
    ]);
    expect(lineage(tensor([1], { name: 'x' })).nodes).toMatchObject([{ name: 'x' }]);
    expect(lineage(tensor([1])).edges).toEqual([]);
  });

  test('is not recursive', () => {
    using _ = new GradientTape();
    let t = tensor([0]);
    for (let i = 0; i < 5_000; i++) t = mul(t, t) as typeof t;
    expect(lineage(t).nodes).toHaveLength(5_001);
  });
});
