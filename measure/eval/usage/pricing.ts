import type { Usage } from '../../../src/kernel/message.ts';
import type { Provider } from '../../../src/kernel/provider.ts';
import { ModelCatalog } from '../../../src/providers/catalog/model-catalog.ts';
import { builtInProviders } from '../../../src/providers/index.ts';
import { openaiCompatible } from '../../../src/providers/openai-compatible.ts';
import type { ReportedUsage } from './reported.ts';

type Price = 'catalogued' | 'estimated' | 'unknown';

export interface PriceJudgement {
  readonly price: Price;
  /** Whether our own sum is what the provider said that the call cost; undefined where it said nothing. */
  readonly asReported: boolean | undefined;
}

const modelCatalog = new ModelCatalog();

/** How a call is priced, and whether rightly. */
export function judged(name: string, asked: string, { usage, reported }: PricedCall): PriceJudgement {
  const provider = providerOf(name);
  const found = modelCatalog.priced(provider, asked);
  const price = found === undefined ? 'unknown' : found.estimated ? 'estimated' : 'catalogued';
  if (reported.cost === undefined) return { price, asReported: undefined };
  const { cost: _, ...counts } = usage;
  const billed = { provider, model: asked, answered: reported.model };
  const ours = modelCatalog.bill(billed, counts, reported.atMs);
  return { price, asReported: Math.abs((ours?.nanoUsd ?? Number.NaN) - reported.cost * 1e9) <= 1 };
}

interface PricedCall {
  readonly usage: Usage;
  readonly reported: ReportedUsage;
}

/** Who isn't built in would be a provider that only settings name. */
function providerOf(name: string): Provider {
  const known = builtInProviders.find((provider) => provider.name === name);
  return known ?? openaiCompatible({ name, title: name, baseUrl: '' });
}
