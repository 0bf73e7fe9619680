/** @file The message of an error from its parts, and changes of it once more is known. */

/** The parts of an error message. `op` names the operation that threw; `hint` is an imperative sentence. */
export interface ErrorParts {
  op?: string;
  rule: string;
  received?: string;
  hint?: string;
  cause?: unknown;
}

/** An error with parts, which `restate` replaces. */
type Stated = Error & { readonly op: string | undefined };

/** Sets properties that consoles don't print. */
export function define(error: Error, properties: object): void {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

/** Adds lines to the message of an error that was made before they were known. */
export function addToMessage(error: Error, lines: string): void {
  setMessage(error, error.message + lines);
}

/** Replaces the rule, what was received and the hint of an error, and with them its message. */
export function restate(error: Stated, parts: Omit<ErrorParts, 'op' | 'cause'>): void {
  const { rule, received, hint } = parts;
  define(error, { rule, received, hint });
  setMessage(error, formatMessage({ ...parts, ...(error.op === undefined ? {} : { op: error.op }) }));
}

function setMessage(error: Error, message: string): void {
  const { message: before, stack } = error;
  error.message = message;
  // V8's stack begins with the message that the error was made with, and Node prints the stack.
  if (stack?.includes(before)) error.stack = stack.replace(before, () => message);
}

export function formatMessage({ op, rule, received, hint }: ErrorParts): string {
  let message = op ? `${op}: ${rule}` : rule;
  if (received) message += `\n  received: ${received}`;
  if (hint) message += `\n  hint: ${hint}`;
  return message;
}
