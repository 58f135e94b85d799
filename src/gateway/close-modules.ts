import type { Module } from '../kernel/module.ts';
import { within } from '../kernel/within.ts';

interface Closing {
  readonly withinMs: number;
  onError(module: string, error: unknown): void;
}

/** Closes them together: one that fails, or takes too long, keeps no other waiting. */
export async function closeModules(
  modules: Iterable<Pick<Module, 'name' | 'close'>>,
  { withinMs, onError }: Closing,
): Promise<void> {
  const closed = Array.from(modules, async (module) => {
    try {
      await within(Promise.resolve(module.close?.()), withinMs, () => new Error('it takes too long'));
    } catch (error) {
      onError(module.name, error);
    }
  });
  await Promise.all(closed);
}
