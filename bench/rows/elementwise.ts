/** @file Elementwise chains, and many small ops one after the other: the overhead of an op. */
import { add, greater, matMul, mul, relu, sigmoid, sin, sub, tanh, where } from 'retrograd';
import { type HostArray, normal, sizeOf } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

type Values = HostArray['values'];

function additionRow(n: number): Row {
  return {
    name: `add ${n}`,
    family: 'elementwise',
    inputs: () => [normal([n], 1), normal([n], 2)],
    check: ([result], [x, y]) =>
      problem(result, {
        shape: [n],
        at: (i) => (x?.values[i as number] as number) + (y?.values[i as number] as number),
      }),
    contenders: {
      retrograd: retrograd((x, y) => add(x, y)),
      tfjs: tfjs((tf, x, y) => tf.add(x, y)),
      jaxjs: jaxjs((_, x, y) => x.add(y)),
      ort: ort((graph, x, y) => graph.node('Add', [x, y])),
    },
    work: { flops: n, bytes: 12 * n },
  };
}

function sineRow(n: number): Row {
  return {
    name: `sin ${n}`,
    family: 'elementwise',
    inputs: () => [normal([n], 1, 3)],
    check: ([result], [x]) =>
      // WGSL's sine, which peers use, is accurate to 2^-11.
      problem(result, { shape: [n], tolerance: 1e-3, at: (i) => Math.sin(x?.values[i as number] as number) }),
    contenders: {
      retrograd: retrograd((x) => sin(x)),
      tfjs: tfjs((tf, x) => tf.sin(x)),
      jaxjs: jaxjs(({ numpy: np }, x) => np.sin(x)),
      ort: ort((graph, x) => graph.node('Sin', [x])),
    },
    work: { flops: 20 * n, bytes: 8 * n },
  };
}

function selectionRow(n: number): Row {
  return {
    name: `where(greater(x, y), x, y) ${n}`,
    family: 'elementwise',
    inputs: () => [normal([n], 1), normal([n], 2)],
    check: ([result], [x, y]) =>
      problem(result, {
        shape: [n],
        at: (i) => Math.max(x?.values[i as number] as number, y?.values[i as number] as number),
      }),
    contenders: {
      retrograd: retrograd((x, y) => where(greater(x, y), x, y), { compiled: true }),
      tfjs: tfjs((tf, x, y) => tf.where(tf.greater(x, y), x, y)),
      jaxjs: jaxjs(({ numpy: np }, x, y) => np.where(np.greater(x.ref, y.ref), x, y)),
      ort: ort((graph, x, y) => graph.node('Where', [graph.node('Greater', [x, y]), x, y])),
    },
    work: { flops: n, bytes: 12 * n },
  };
}

function biasRow(rows: number, n: number): Row {
  const shape = [rows, n];
  return {
    name: `bias + relu ${rows}×${n}`,
    family: 'elementwise',
    inputs: () => [normal(shape, 1), normal([n], 2)],
    check: ([result], [x, bias]) =>
      problem(result, {
        shape,
        at: (...[i, j]) =>
          Math.max(
            0,
            (x?.values[(i as number) * n + (j as number)] as number) + (bias?.values[j as number] as number),
          ),
      }),
    contenders: {
      retrograd: retrograd((x, bias) => relu(add(x, bias)), { compiled: true }),
      tfjs: tfjs((tf, x, bias) => tf.relu(tf.add(x, bias))),
      jaxjs: jaxjs(({ nn }, x, bias) => nn.relu(x.add(bias))),
      ort: ort((graph, x, bias) => graph.node('Relu', [graph.node('Add', [x, bias])])),
    },
    work: { flops: 2 * rows * n, bytes: 8 * rows * n },
  };
}

/** tanh(x · y + x) · sigmoid(y) - x · x: seven ops, which a compiler can fuse into one. */
function chainRow(n: number): Row {
  return {
    name: `elementwise chain of 7 ops, ${n}`,
    family: 'elementwise',
    inputs: () => [normal([n], 1), normal([n], 2)],
    check: ([result], inputs) => {
      const [x, y] = inputs.map(({ values }) => values) as [Values, Values];
      return problem(result, {
        shape: [n],
        at(index) {
          const [a, b] = [x[index as number] as number, y[index as number] as number];
          return Math.tanh(a * b + a) / (1 + Math.exp(-b)) - a * a;
        },
      });
    },
    contenders: {
      retrograd: retrograd((x, y) => sub(mul(tanh(add(mul(x, y), x)), sigmoid(y)), mul(x, x)), {
        compiled: true,
      }),
      tfjs: tfjs((tf, x, y) => tf.sub(tf.mul(tf.tanh(tf.add(tf.mul(x, y), x)), tf.sigmoid(y)), tf.mul(x, x))),
      jaxjs: jaxjs(({ numpy: np, nn }, x, y) =>
        np.tanh(x.ref.mul(y.ref).add(x.ref)).mul(nn.sigmoid(y)).sub(x.ref.mul(x)),
      ),
      ort: ort((graph, x, y) => {
        const curved = graph.node('Tanh', [graph.node('Add', [graph.node('Mul', [x, y]), x])]);
        const gated = graph.node('Mul', [curved, graph.node('Sigmoid', [y])]);
        return graph.node('Sub', [gated, graph.node('Mul', [x, x])]);
      }),
    },
    work: { flops: 20 * n, bytes: 12 * n },
  };
}

const chained = 1000;
const small = 1024;

/** x ↦ x · w + b, repeatedly: w near 1, b small, so that nothing grows. */
function overheadRow(compiled: boolean): Row {
  const pairs = chained / 2;
  const repeat = <T>(x: T, step: (x: T) => T) => {
    let result = x;
    for (let i = 0; i < pairs; i++) result = step(result);
    return result;
  };
  return {
    name: `${chained} chained ops of ${small}, ${compiled ? 'compiled' : 'eager'}`,
    family: 'overhead',
    ops: chained,
    inputs: () => {
      const w = normal([small], 2, 1e-3);
      return [
        normal([small], 1),
        { ...w, values: (w.values as Float32Array<ArrayBuffer>).map((v) => 1 + v) },
        normal([small], 3, 1e-3),
      ];
    },
    check: ([result], inputs) => {
      const [x, w, b] = inputs.map(({ values }) => values) as [Values, Values, Values];
      return problem(result, {
        shape: [small],
        at: (...[i]) =>
          repeat(
            x[i as number] as number,
            (v) => v * (w[i as number] as number) + (b[i as number] as number),
          ),
      });
    },
    contenders: {
      retrograd: retrograd((x, w, b) => repeat(x, (v) => add(mul(v, w), b)), { compiled }),
      tfjs: tfjs((tf, x, w, b) => repeat(x, (v) => tf.add(tf.mul(v, w), b))),
      jaxjs: jaxjs(
        (_, x, w, b) => {
          const result = repeat(x, (v) => v.mul(w.ref).add(b.ref));
          for (const used of [w, b]) used.dispose();
          return result;
        },
        { jitted: compiled },
      ),
      ort: compiled
        ? ort((graph, x, w, b) => repeat(x, (v) => graph.node('Add', [graph.node('Mul', [v, w]), b])))
        : unable('graphs only'),
    },
  };
}

const layers = 100;
const width = 32;

/** Small layers, which no compiler can fuse into one kernel. */
function smallLayersRow(): Row {
  const repeat = <T>(x: T, step: (x: T) => T) => {
    let result = x;
    for (let i = 0; i < layers; i++) result = step(result);
    return result;
  };
  const shape = [width, width];
  return {
    name: `${layers} chained layers of ${width}×${width}, compiled`,
    family: 'overhead',
    ops: 3 * layers,
    inputs: () => [normal(shape, 1), normal(shape, 2, 1.4 / Math.sqrt(width)), normal([width], 3, 0.1)],
    check: ([result], inputs) => {
      const [x, w, b] = inputs.map(({ values }) => Float64Array.from(values)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      const right = repeat(x, (given) => {
        const next = new Float64Array(sizeOf(shape));
        for (let i = 0; i < width; i++) {
          for (let j = 0; j < width; j++) {
            let total = b[j] as number;
            for (let k = 0; k < width; k++)
              total += (given[i * width + k] as number) * (w[k * width + j] as number);
            next[i * width + j] = Math.max(0, total);
          }
        }
        return next;
      });
      return problem(result, {
        shape,
        tolerance: 1e-3,
        at: (...[i, j]) => right[(i as number) * width + (j as number)] as number,
      });
    },
    contenders: {
      retrograd: retrograd((x, w, b) => repeat(x, (v) => relu(add(matMul(v, w), b))), { compiled: true }),
      tfjs: tfjs((tf, x, w, b) => repeat(x, (v) => tf.relu(tf.add(tf.matMul(v, w), b)))),
      jaxjs: jaxjs(({ numpy: np, nn }, x, w, b) => {
        const result = repeat(x, (v) => nn.relu(np.matmul(v, w.ref).add(b.ref)));
        for (const used of [w, b]) used.dispose();
        return result;
      }),
      ort: ort((graph, x, w, b) =>
        repeat(x, (v) => graph.node('Relu', [graph.node('Add', [graph.node('MatMul', [v, w]), b])])),
      ),
    },
  };
}

export const elementwiseFamily: Family = {
  name: 'elementwise',
  rows: (adapter) => {
    const n = adapter === 'gpu' ? 2 ** 24 : 2 ** 20;
    return [additionRow(n), sineRow(n), selectionRow(n), biasRow(n / 1024, 1024), chainRow(n)];
  },
};

export const overheadFamily: Family = {
  name: 'overhead',
  rows: () => [overheadRow(false), overheadRow(true), smallLayersRow()],
};
