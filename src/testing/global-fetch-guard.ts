import { AsyncLocalStorage } from 'node:async_hooks';

/** The guard of the module whose code runs. */
const current = new AsyncLocalStorage<GlobalFetchGuard>();
let isInstalled = false;

/** Finds modules that call the global `fetch`, also in code that they start and don't wait for. Tests may still call it. */
export class GlobalFetchGuard {
  #error: Error | undefined;

  constructor() {
    installGuards();
  }

  /** Runs code of the module. */
  watch<Result>(run: () => Result): Result {
    return current.run(this, run);
  }

  /** Runs code of the test inside of that. */
  exempt<Result>(run: () => Result): Result {
    return current.exit(run);
  }

  /** Throws if the module has called the global `fetch`, even if it caught the error. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  reject(): never {
    this.#error ??= new Error(
      'the module called the global fetch, which bypasses the gateway; use kit.fetch in a call and host.fetch elsewhere',
    );
    throw this.#error;
  }
}

/** Replaces the global `fetch` once, and for modules only. */
function installGuards(): void {
  if (isInstalled) return;
  isInstalled = true;
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    current.getStore()?.reject();
    return original(input, init);
  };
}
