import type { Provider } from '../kernel/provider.ts';
import { builtInProviders } from './index.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** The providers of this instance: those we know, at the addresses that were set, and those that only settings name. */
export function configuredProviders(baseUrls: ReadonlyMap<string, string>): readonly Provider[] {
  const known = builtInProviders.map((provider) => {
    const baseUrl = baseUrls.get(provider.name);
    return baseUrl === undefined ? provider : { ...provider, baseUrl };
  });
  const names = new Set(known.map((provider) => provider.name));
  const added = [...baseUrls].filter(([name]) => !names.has(name));
  return [
    ...known,
    ...added.map(([name, baseUrl]) => openaiCompatible({ name, title: name, baseUrl, keyless: true })),
  ];
}
