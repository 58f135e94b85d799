import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';
import type { HealthMonitor } from './health/health-monitor.ts';

export interface RejectedKeyTestParts {
  readonly health: Pick<HealthMonitor, 'mayTest' | 'addAcceptance'>;
  /** A request to the provider that costs nothing. */
  test(provider: Provider, key: Secret): Promise<{ readonly ok: boolean }>;
  /** Called with the result of each test. */
  onTested(provider: Provider, isAccepted: boolean): void;
}

/**
 * Tests keys that were set aside while others of their provider work: callers' calls would fail with them. Calls that would
 * have used such a key start the tests, so that a key which nobody needs is left alone.
 */
export class RejectedKeyTests {
  readonly #parts: RejectedKeyTestParts;
  readonly #running = new Set<Secret>();

  constructor(parts: RejectedKeyTestParts) {
    this.#parts = parts;
  }

  /** Tests the key if it is time; nobody waits for it. */
  async start(provider: Provider, key: Secret): Promise<void> {
    if (this.#running.has(key)) return;
    this.#running.add(key);
    try {
      const { health, test, onTested } = this.#parts;
      if (!(await health.mayTest(provider, key))) return;
      const { ok } = await test(provider, key);
      if (ok) health.addAcceptance(provider, key);
      onTested(provider, ok);
    } catch {
      // The next call that would have used the key tries again.
    } finally {
      this.#running.delete(key);
    }
  }
}
