/**
 * @file Small ONNX models, written by hand: nodes are added in the order in which they run.
 * Source of the field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
import type { HostArray } from '../host.ts';
import { Message } from './protobuf.ts';

/** The name of a value that a graph computes, or of an input. */
export type Value = string & { readonly brand: 'onnx value' };

/** Integers are ints, `{ float }` is a float: ONNX distinguishes them, JavaScript doesn't. */
export type Attribute = number | string | readonly number[] | { readonly float: number };

/** Where an operator is defined: by ONNX, or by its runtime. */
type Domain = '' | 'com.microsoft';

const elementTypes = { float32: 1, int32: 6, int64: 7 } as const;
export type ElementType = keyof typeof elementTypes;

/** The operator set version: reductions take axes as inputs, and LayerNormalization exists. */
const operatorSet = 18;
const irVersion = 8;

export interface Port {
  name: Value;
  type: ElementType;
  /** null: any size. */
  shape: readonly (number | null)[];
}

export class OnnxGraph {
  readonly inputs: Port[] = [];
  readonly outputs: Port[] = [];
  readonly #nodes: Message[] = [];
  readonly #constants: Message[] = [];
  #values = 0;

  input(type: ElementType, shape: Port['shape']): Value {
    const name = this.#name('input');
    this.inputs.push({ name, type, shape });
    return name;
  }

  constant({ shape, values }: HostArray): Value {
    const type = values instanceof Int32Array ? 'int32' : 'float32';
    return this.#initializer(type, shape, values);
  }

  /** Axes, shapes and the like are int64. */
  integers(values: readonly number[], shape: readonly number[] = [values.length]): Value {
    return this.#initializer('int64', shape, BigInt64Array.from(values, BigInt));
  }

  scalar(value: number): Value {
    return this.#initializer('float32', [], Float32Array.of(value));
  }

  node(
    operator: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain: Domain = '',
  ): Value {
    return this.nodes(operator, inputs, attributes, 1, domain)[0] as Value;
  }

  nodes(
    operator: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>>,
    count: number,
    domain: Domain = '',
  ): Value[] {
    const outputs = Array.from({ length: count }, () => this.#name(operator));
    const message = new Message();
    for (const input of inputs) message.text(1, input);
    for (const output of outputs) message.text(2, output);
    message.text(3, outputs[0] as string).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) message.message(5, attribute(name, value));
    if (domain) message.text(7, domain);
    this.#nodes.push(message);
    return outputs;
  }

  output(name: Value, shape: Port['shape'], type: ElementType = 'float32'): void {
    this.outputs.push({ name, type, shape });
  }

  /** Encodes the model as the bytes of a file. */
  encode(): Uint8Array<ArrayBuffer> {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.text(2, 'graph');
    for (const constant of this.#constants) graph.message(5, constant);
    for (const input of this.inputs) graph.message(11, valueInfo(input));
    for (const output of this.outputs) graph.message(12, valueInfo(output));
    return new Message()
      .integer(1, irVersion)
      .message(7, graph)
      .message(8, new Message().text(1, '').integer(2, operatorSet))
      .message(8, new Message().text(1, 'com.microsoft').integer(2, 1))
      .finish();
  }

  #initializer(type: ElementType, shape: readonly number[], values: ArrayBufferView): Value {
    const name = this.#name('constant');
    const message = new Message();
    for (const size of shape) message.integer(1, size);
    message.integer(2, elementTypes[type]).text(8, name);
    message.bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#constants.push(message);
    return name;
  }

  #name(stem: string): Value {
    return `${stem}_${this.#values++}` as Value;
  }
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.integer(3, value).integer(20, 2);
  if (typeof value === 'string') return message.text(4, value).integer(20, 3);
  if ('float' in value) return message.float(2, value.float).integer(20, 1);
  for (const item of value) message.integer(8, item);
  return message.integer(20, 7);
}

function valueInfo({ name, type, shape }: Port): Message {
  const dimensions = new Message();
  shape.forEach((size, axis) => {
    const dimension = new Message();
    if (size === null) dimension.text(2, `${name}_${axis}`);
    else dimension.integer(1, size);
    dimensions.message(1, dimension);
  });
  const tensor = new Message().integer(1, elementTypes[type]).message(2, dimensions);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}
