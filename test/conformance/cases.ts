/**
 * @file The cases of a fixture family, run against the library: outputs, gradients and Hessian-vector products. Runs
 * in Node and in a page alike; the format is described in test/fixtures/README.md.
 */
import { add, GradientTape, getDevice, init, mul, sum, type Tensor, tensor, tidy } from '../../src/index.ts';
import { callOp, MissingOp, NotYetOffered } from './adapter.ts';
import { mismatch, type Tolerance } from './compare.ts';
import { type HostTensor, readSafetensors } from './safetensors.ts';

export interface Case {
  id: string;
  op: string;
  attrs: Record<string, unknown>;
  inputs: string[];
  outputs: string[];
  cotangents?: (string | null)[];
  gradients?: Record<string, string>;
  alternativeGradients?: Record<string, string>;
  /** With `hvp`: the case is about the loss `0.5 * sum(cotangent * y * y)`. */
  loss?: string;
  vectors?: Record<string, string>;
  hvp?: Record<string, string>;
  dtypes?: Record<string, HostTensor['dtype']>;
  tolerance: Tolerance;
  note?: string;
}

export interface Family {
  name: string;
  cases: Case[];
  tensors: ArrayBuffer;
}

export interface CaseResult {
  family: string;
  id: string;
  op: string;
  note: string | undefined;
  /** The faults; empty if the case passed. */
  faults: string[];
  /** Set if the case was not run, because its op comes with a later part of the library. */
  notYet?: string;
}

/** By input index. A plain object, so that a scope finds the tensors in it. */
type ByInput = Record<string, Tensor | null>;

interface Computed {
  outputs: Tensor[];
  gradients: ByInput;
  products: ByInput;
}

const secondOrderLoss = '0.5 * sum(cotangent * y * y)';

/** Opens the device; an uncaptured error is a fault of the case that ran. */
export async function openDevice(): Promise<string[]> {
  await init();
  const uncaptured: string[] = [];
  getDevice().gpu.addEventListener('uncapturederror', (event) => {
    uncaptured.push((event as GPUUncapturedErrorEvent).error.message);
  });
  return uncaptured;
}

/** Runs the cases of `family`. `uncaptured` is the result of `openDevice`. */
export async function runFamily(family: Family, uncaptured: string[]): Promise<CaseResult[]> {
  const tensors = readSafetensors(family.tensors);
  const results: CaseResult[] = [];
  for (const test of family.cases) {
    const result: CaseResult = { family: family.name, id: test.id, op: test.op, note: test.note, faults: [] };
    try {
      result.faults = await new CaseRun(test, tensors).run();
    } catch (error) {
      if (error instanceof NotYetOffered) result.notYet = error.message;
      else result.faults.push(describeThrown(error));
      await getDevice()
        .sync()
        .catch(() => {}); // A fault of this case must not be reported to the next.
    }
    for (const message of uncaptured.splice(0)) result.faults.push(`uncaptured GPU error: ${message}`);
    results.push(result);
  }
  return results;
}

/** Runs one case: uploads its tensors, computes the results, and returns the faults. */
class CaseRun {
  readonly #faults: string[] = [];
  readonly #device = new Map<string, Tensor>();

  constructor(
    readonly test: Case,
    readonly tensors: ReadonlyMap<string, HostTensor>,
  ) {}

  async run(): Promise<string[]> {
    const owned = new Set<Tensor>();
    try {
      const { outputs, gradients, products } = tidy(() =>
        this.test.hvp ? this.#secondOrder() : this.#firstOrder(),
      );
      for (const made of [...outputs, ...Object.values(gradients), ...Object.values(products)])
        if (made) owned.add(made);
      await this.#checkOutputs(outputs);
      await this.#checkByInput('gradient', gradients, this.test.gradients, this.test.alternativeGradients);
      await this.#checkByInput('hvp', products, this.test.hvp);
    } finally {
      for (const made of owned) made.dispose();
      for (const made of this.#device.values()) made.dispose();
    }
    return this.#faults;
  }

  #firstOrder(): Computed {
    const { op, attrs, cotangents, gradients = {} } = this.test;
    const inputs = this.#inputs();
    const wanted = Object.keys(gradients).map(Number);
    using tape = new GradientTape();
    if (wanted.length > 0) tape.watch(wanted.map((i) => inputs[i] as Tensor));
    const outputs = callOp(op, inputs, attrs);
    if (wanted.length === 0) return { outputs, gradients: {}, products: {} };
    // An output without a cotangent isn't differentiated; if none has one, all cotangents are ones.
    const targets = outputs.filter((_, i) => !cotangents || cotangents[i]);
    const outputGradients = cotangents?.flatMap((name) => (name ? [this.#tensor(name)] : [])) ?? null;
    const found = tape.gradient(
      targets,
      wanted.map((i) => inputs[i] as Tensor),
      { outputGradients },
    );
    return { outputs, gradients: byInput(wanted, found), products: {} };
  }

  #secondOrder(): Computed {
    const { op, attrs, cotangents, loss, vectors = {} } = this.test;
    if (loss !== undefined && loss !== secondOrderLoss) throw new Error(`the loss '${loss}' is not known`);
    const inputs = this.#inputs();
    const moving = Object.keys(vectors).map(Number);
    const sources = moving.map((i) => inputs[i] as Tensor);
    using outer = new GradientTape();
    outer.watch(sources);
    using inner = new GradientTape();
    inner.watch(sources);
    const outputs = callOp(op, inputs, attrs);
    const terms = outputs.flatMap((y, i) => {
      const cotangent = cotangents?.[i];
      return cotangent ? [sum(mul(this.#tensor(cotangent), mul(y, y)))] : [];
    });
    const gradients = inner.gradient(
      mul(
        terms.reduce((a, b) => add(a, b)),
        0.5,
      ),
      sources,
    );
    const along = gradients.flatMap((gradient, k) =>
      gradient ? [sum(mul(gradient, this.#tensor(vectors[String(moving[k])] as string)))] : [],
    );
    const products = outer.gradient(
      along.reduce((a, b) => add(a, b)),
      sources,
    );
    return { outputs, gradients: byInput(moving, gradients), products: byInput(moving, products) };
  }

  #inputs(): Tensor[] {
    // Each position gets a separate tensor, so that one that occurs twice has two gradients.
    return this.test.inputs.map((name, i) => this.#tensor(name, `input ${i}: ${name}`));
  }

  #tensor(name: string, key = name): Tensor {
    const known = this.#device.get(key);
    if (known) return known;
    const { data, shape, dtype } = this.#host(name);
    const made = tensor(data, { shape, dtype });
    this.#device.set(key, made);
    return made;
  }

  #host(name: string): HostTensor {
    const host = this.tensors.get(name);
    if (!host) throw new Error(`the safetensors file has no tensor '${name}'`);
    return { ...host, dtype: this.test.dtypes?.[name] ?? host.dtype };
  }

  async #checkOutputs(outputs: readonly Tensor[]): Promise<void> {
    const names = this.test.outputs;
    if (outputs.length !== names.length)
      this.#faults.push(`${outputs.length} outputs, expected ${names.length}`);
    for (const [i, name] of names.entries()) {
      const output = outputs[i];
      if (output) this.#note(`output ${i}`, await read(output), this.#host(name));
    }
  }

  async #checkByInput(
    what: string,
    found: ByInput,
    expected: Record<string, string> = {},
    alternatives: Record<string, string> = {},
  ): Promise<void> {
    for (const [key, name] of Object.entries(expected)) {
      const host = this.#host(name);
      const gradient = found[key] ?? null;
      // A null gradient means no influence, so it passes where zeros are expected.
      if (!gradient && host.data.every((value) => value === 0)) continue;
      if (!gradient) this.#faults.push(`${what} ${key}: null, expected shape [${host.shape}]`);
      else this.#note(`${what} ${key}`, await read(gradient), host, alternatives[key]);
    }
  }

  #note(what: string, actual: HostTensor, expected: HostTensor, alternative?: string): void {
    const fault = mismatch(actual, expected, this.test.tolerance);
    if (!fault) return;
    if (alternative && !mismatch(actual, this.#host(alternative), this.test.tolerance)) return;
    this.#faults.push(`${what} ${fault}`);
  }
}

async function read(value: Tensor): Promise<HostTensor> {
  const { shape, dtype } = value;
  return { shape, dtype, data: await value.data() };
}

function byInput(indices: readonly number[], values: readonly (Tensor | null)[]): ByInput {
  return Object.fromEntries(indices.map((index, k) => [index, values[k] ?? null]));
}

/** Describes where the error was thrown, down to the call of the op. */
function describeThrown(error: unknown): string {
  if (error instanceof MissingOp) return error.message;
  if (!(error instanceof Error)) return `threw ${error}`;
  const lines = (error.stack ?? error.message).split('\n');
  const end = lines.findIndex((line) => line.includes('callOp'));
  return `threw ${lines.slice(0, end < 0 ? undefined : end).join('\n')}`;
}
