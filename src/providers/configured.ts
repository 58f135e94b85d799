import type { Provider, StreamUsage } from '../kernel/provider.ts';
import { openModels } from './acceptance/open-models.ts';
import { openaiAcceptance } from './acceptance/openai.ts';
import { builtInProviders } from './index.ts';
import { openaiCompatible } from './openai-compatible.ts';

interface ProviderSettings {
  readonly baseUrls: ReadonlyMap<string, string>;
  readonly streamUsage: ReadonlyMap<string, StreamUsage>;
}

/** What serves models under the names of others' treats them as those do. */
const accepts = [...openaiAcceptance, ...openModels];

/** The providers of this instance: those we know, at the addresses that were set, and those that only settings name. */
export function configuredProviders({ baseUrls, streamUsage }: ProviderSettings): readonly Provider[] {
  const names = new Set(builtInProviders.map((provider) => provider.name));
  const added = [...baseUrls]
    .filter(([name]) => !names.has(name))
    .map(([name, baseUrl]) => openaiCompatible({ name, title: name, baseUrl, keyless: true, accepts }));
  return [...builtInProviders, ...added].map((provider) => {
    const baseUrl = baseUrls.get(provider.name) ?? provider.baseUrl;
    const told = streamUsage.get(provider.name) ?? provider.streamUsage;
    return { ...provider, baseUrl, ...(told !== undefined && { streamUsage: told }) };
  });
}
