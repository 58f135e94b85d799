import type { OfferedModels } from '../kernel/provider.ts';
import { Wildcard } from '../lib/wildcard.ts';

/** Models by name, and by patterns in which `*` stands for any characters. */
export function offeredModels(patterns: readonly string[]): OfferedModels {
  const names = new Set(patterns);
  const wildcards = patterns
    .filter((pattern) => pattern.includes('*'))
    .map((pattern) => new Wildcard(pattern));
  return {
    patterns,
    has: (model) => names.has(model) || wildcards.some((wildcard) => wildcard.matches(model)),
  };
}
