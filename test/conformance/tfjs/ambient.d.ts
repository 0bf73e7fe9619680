/** The part of jasmine-core that the runner uses; it ships no types. */
declare module 'jasmine-core' {
  interface Spec {
    id: string;
    getFullName(): string;
  }
  interface Failure {
    message: string;
    stack?: string;
  }
  interface SpecReport {
    id: string;
    fullName: string;
    status: 'passed' | 'failed' | 'pending' | 'excluded';
    pendingReason: string;
    failedExpectations: Failure[];
  }
  interface SuiteReport {
    fullName: string;
    failedExpectations: Failure[];
  }
  interface Environment {
    configure(options: {
      random?: boolean;

      specFilter?: (spec: Spec) => boolean;
    }): void;
    describe(name: string, body: () => void): unknown;
    it(name: string, body?: () => unknown, timeout?: number): Spec;
    xit(name: string, body?: () => unknown, timeout?: number): Spec;
    beforeEach(body: () => unknown): void;
    afterEach(body: () => unknown): void;
    fail(error: unknown): void;
    addReporter(reporter: {
      specDone(spec: SpecReport): void;
      suiteDone(suite: SuiteReport): void;
      jasmineDone(all: { failedExpectations: Failure[] }): void;
    }): void;
    execute(): Promise<unknown>;
  }
  interface Interface {
    jasmine: { getEnv(): Environment; DEFAULT_TIMEOUT_INTERVAL: number };
    describe(name: string, body: () => void): void;
    it(name: string, body: () => unknown): void;
    beforeAll(body: () => unknown): void;
    beforeEach(body: () => unknown): void;
    afterAll(body: () => unknown): void;
    afterEach(body: () => unknown): void;
  }
  const core: Interface & { installGlobals(target: object): void };
  export default core;
}

/** Set by the runner. */
declare const describe: import('jasmine-core').Interface['describe'];
declare const it: import('jasmine-core').Interface['it'];
declare const beforeAll: import('jasmine-core').Interface['beforeAll'];
declare const beforeEach: import('jasmine-core').Interface['beforeEach'];
declare const afterAll: import('jasmine-core').Interface['afterAll'];
declare const afterEach: import('jasmine-core').Interface['afterEach'];

/** TF.js's names over the shim: see scripts/conformance/tfjs-plugin.mjs. */
declare module 'virtual:tfjs' {
  const tf: Record<string, unknown>;
  export = tf;
}

declare module 'virtual:tfjs-tests' {
  export const files: Record<string, () => Promise<unknown>>;
  export const methods: string[];
}
