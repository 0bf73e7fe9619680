/** @file ONNX models, byte by byte. */
import { expect, it } from 'vitest';
import { OnnxGraph } from '../../bench/onnx/graph.ts';
import { Message } from '../../bench/onnx/protobuf.ts';

const bytes = (message: Message) => [...message.finish()];

it('writes the wire types of Protocol Buffers', () => {
  // Examples of https://protobuf.dev/programming-guides/encoding/.
  expect(bytes(new Message().integer(1, 150))).toEqual([0x08, 0x96, 0x01]);
  expect(bytes(new Message().text(2, 'testing'))).toEqual([
    0x12,
    0x07,
    ...new TextEncoder().encode('testing'),
  ]);
  expect(bytes(new Message().message(3, new Message().integer(1, 150)))).toEqual([
    0x1a, 0x03, 0x08, 0x96, 0x01,
  ]);
  expect(bytes(new Message().integer(1, -2))).toEqual([0x08, 0xfe, ...new Array(8).fill(0xff), 0x01]);
  expect(bytes(new Message().float(2, 1))).toEqual([0x15, 0, 0, 0x80, 0x3f]);
});

it('names each value once, and keeps what goes in and comes out', () => {
  const graph = new OnnxGraph();
  const x = graph.input('float32', [null, 2]);
  const w = graph.constant({ shape: [2, 2], values: Float32Array.of(1, 2, 3, 4) });
  const y = graph.node('MatMul', [x, w]);
  graph.output(y, [null, 2]);
  expect(new Set([x, w, y]).size).toBe(3);
  expect(graph.inputs.map(({ name }) => name)).toEqual([x]);
  expect(graph.outputs.map(({ name }) => name)).toEqual([y]);
  const text = new TextDecoder('latin1').decode(graph.encode());
  for (const part of ['MatMul', x, w, y]) expect(text).toContain(part);
});
