/** @file A model's description: its configuration written back, its layers, weights and calls, its summary. */
import { type GraphNode, modelToConfig } from '../../../src/keras/index.ts';
import type { AnyModel, Check, ModelUnderTest, Reference } from './underTest.ts';

/** Checks that the written model equals the one that was read, apart from how it was compiled. */
export const checkConfig: Check = async (test) => {
  if (test.files.config.includes('__lambda__')) return null;
  const expected = JSON.parse(test.files.config);
  const written = JSON.parse(JSON.stringify(modelToConfig(test.build())));
  return differences(withoutCompile(expected), withoutCompile(written), 'config.json');
};

function withoutCompile({ compile_config: _, ...rest }: Record<string, unknown>): unknown {
  return rest;
}

/** Returns where two JSON values differ, key by key. */
function differences(expected: unknown, given: unknown, path: string): string[] {
  if (isBranch(expected) && isBranch(given) && Array.isArray(expected) === Array.isArray(given)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(given)]);
    return [...keys].flatMap((key) => {
      if (!(key in given)) return [`${path}.${key}: missing, expected ${show(expected[key])}`];
      if (!(key in expected)) return [`${path}.${key}: ${show(given[key])}, expected nothing`];
      return differences(expected[key], given[key], `${path}.${key}`);
    });
  }
  return expected === given ? [] : [`${path}: ${show(given)}, expected ${show(expected)}`];
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

export const checkStructure: Check = async (test) => {
  const { meta } = test;
  const model = test.build();
  const count = (weights: readonly { size: number }[]) =>
    weights.reduce((total, { size }) => total + size, 0);
  const found = {
    name: model.name,
    class: model.className,
    inputs: model.inputs.map(({ name, shape, dtype }) => ({ name, shape: [...shape], dtype })),
    outputs: model.outputs.map(({ shape }, i) => ({ layer: model.outputNames[i], shape: [...shape] })),
    layers: model.layers.map((layer) => ({
      name: layer.name,
      class: layer.className,
      outputShape: outputShapeOf(layer),
      params: layer.countParams(),
    })),
    weights: model.weights.map(({ name, shape, dtype, trainable }) => ({
      path: name,
      shape: [...shape],
      dtype,
      trainable,
    })),
    totalParams: model.countParams(),
    trainableParams: count(model.trainableWeights),
    nonTrainableParams: count(model.nonTrainableWeights),
    nodes: Object.fromEntries(model.layers.map((layer) => [layer.name, layer.inboundNodes.map(edges)])),
  };
  const expected = {
    ...Object.fromEntries(Object.keys(found).map((key) => [key, meta[key as keyof typeof meta]])),
    inputs: meta.inputs.map(({ name, shape, dtype }) => ({ name, shape, dtype })),
    outputs: meta.outputs.map(({ layer, shape }) => ({ layer, shape })),
  };
  return differences(expected, found, 'meta.json');
};

function outputShapeOf(layer: AnyModel['layers'][number]): unknown {
  if (layer.inboundNodes.length === 0) return [];
  const outputs = layer.inboundNodes[0]?.outputTensors ?? [];
  const shapes = outputs.map(({ shape }) => [...shape]);
  return shapes.length === 1 ? shapes[0] : shapes;
}

function edges(node: GraphNode): Reference[] {
  return node.inputTensors.map(({ kerasHistory }) => [
    kerasHistory?.operation.name ?? '',
    kerasHistory?.nodeIndex ?? -1,
    kerasHistory?.tensorIndex ?? -1,
  ]);
}

export const checkSummary: Check = async (test: ModelUnderTest) => {
  const { summary } = test.files;
  if (summary === null) return null;
  let text = '';
  test.build().summary({
    lineLength: 80,
    print: (part) => {
      text += `${part}\n`;
    },
  });
  if (text.trimEnd() === summary.trimEnd()) return [];
  const [expected, given] = [summary.split('\n'), text.split('\n')];
  const line = expected.findIndex((row, i) => row !== given[i]);
  return [`summary.txt, line ${line + 1}:\n  expected ${expected[line]}\n  got      ${given[line]}`];
};
