/** @file Ops in a document. Keras keeps every call of an op on symbolic tensors as an operation of its own class. */
import { isObject, type Json, type JsonObject } from './document.ts';
import type { GraphOperation } from '../graph/node.ts';
import { refusal } from './fault.ts';
import type { Writer } from './writeValue.ts';
import type { OperationCall } from './readNode.ts';
import { type Reader, stringOf } from './reader.ts';

/** Whether `object` is an op rather than a layer. */
export function isOperation(object: Json): object is JsonObject {
  return (
    isObject(object) &&
    typeof object.module === 'string' &&
    /^keras\.src\.(ops|backend)\./.test(object.module)
  );
}

export function readOperation(reader: Reader, object: JsonObject, place: string): OperationCall {
  const className = stringOf(reader, object, 'class_name', place);
  throw refusal(reader.source, {
    place,
    rule: 'the ops of a model are ones that are here, too.',
    received: `op ${className}`,
    mend: 'wrap it in a layer of your own, and registerClass it.',
  });
}

export function writeOperation(writer: Writer, operation: GraphOperation, place: string): JsonObject {
  throw refusal(writer.source, {
    place,
    rule: 'the ops of a model are ones that Keras has, too.',
    received: `op ${operation.name}`,
    mend: 'wrap it in a layer of your own, and registerClass it.',
  });
}
