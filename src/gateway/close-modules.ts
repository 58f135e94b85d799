import type { Module } from '../kernel/module.ts';
import { withTimeout } from '../lib/with-timeout.ts';

interface CloseOptions {
  readonly timeoutMs: number;
  onError(module: string, error: unknown): void;
}

/** Closes modules concurrently; a failing or slow one does not delay the others. */
export async function closeModules(
  modules: Iterable<Pick<Module, 'name' | 'close'>>,
  { timeoutMs, onError }: CloseOptions,
): Promise<void> {
  const closed = Array.from(modules, async (module) => {
    try {
      await withTimeout(Promise.resolve(module.close?.()), timeoutMs, () => new Error('timed out'));
    } catch (error) {
      onError(module.name, error);
    }
  });
  await Promise.all(closed);
}
