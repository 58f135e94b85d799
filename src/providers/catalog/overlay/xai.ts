import type { Feature, Overlay, OverlayModel } from '../model-entry.ts';
import type { PriceSheet } from '../price-sheet.ts';

const allFeatures: readonly Feature[] = ['tools', 'images', 'thinking', 'json_schema', 'caching'];

const grok43: PriceSheet = {
  input: 1.25,
  output: 2.5,
  cacheRead: 0.2,
  longInput: { above: 199_999, input: 2.5, output: 5, cacheRead: 0.4 },
};

/** Retired names, which xAI now serves with Grok 4.3 and bills as such: its responses name that model. */
function replacedByGrok43(id: string, names: readonly string[], before: PriceSheet): OverlayModel {
  return {
    id,
    names,
    contextTokens: 1_000_000,
    retired: true,
    prices: [before, { from: '2026-05-15T19:00:00Z', ...grok43 }],
  };
}

/** Prices: pricing page. xAI publishes no output limit besides the context window. */
export const xai: Overlay = {
  sources: ['https://docs.x.ai/docs/models'],
  checkedOn: '2026-11-15',
  models: [
    // Newer than the price data: long-context prices start at 200,000 tokens.
    {
      id: 'grok-4.7',
      title: 'Grok 4.7',
      contextTokens: 500_000,
      features: allFeatures,
      prices: {
        input: 2,
        output: 6,
        cacheRead: 0.5,
        longInput: { above: 199_999, input: 4, output: 12, cacheRead: 1 },
      },
    },
    { id: 'grok-4.6', features: allFeatures },
    { id: 'grok-4.5', features: allFeatures },
    { id: 'grok-4.3', features: allFeatures },
    { id: 'grok-4.20', features: allFeatures },
    { id: 'grok-build-0.1', features: allFeatures },
    // Names of Grok 4.20 that are missing in the price data.
    {
      id: 'grok-4.20-0309-reasoning',
      names: ['grok-4.20-0309-non-reasoning', 'grok-4.20-multi-agent-0309'],
      title: 'Grok 4.20',
      contextTokens: 1_000_000,
      features: allFeatures,
      prices: grok43,
    },
    replacedByGrok43('grok-4-0709', ['grok-4', 'grok-4-latest'], { input: 3, output: 15, cacheRead: 0.75 }),
    replacedByGrok43('grok-3', ['grok-3-latest', 'grok-3-beta'], { input: 3, output: 15, cacheRead: 0.75 }),
    replacedByGrok43('grok-3-mini', ['grok-3-mini-latest', 'grok-3-mini-beta'], {
      input: 0.3,
      output: 0.5,
      cacheRead: 0.075,
    }),
    replacedByGrok43(
      'grok-4-fast-reasoning',
      ['grok-4-fast', 'grok-4-fast-reasoning-latest', 'grok-4-fast-non-reasoning'],
      { input: 0.2, output: 0.5, cacheRead: 0.05 },
    ),
    replacedByGrok43(
      'grok-4-1-fast-reasoning',
      ['grok-4-1-fast', 'grok-4-1-fast-reasoning-latest', 'grok-4-1-fast-non-reasoning'],
      { input: 0.2, output: 0.5, cacheRead: 0.05 },
    ),
    replacedByGrok43('grok-code-fast-1', ['grok-code-fast', 'grok-code-fast-1-0825'], {
      input: 0.2,
      output: 1.5,
      cacheRead: 0.02,
    }),
    { id: 'grok-3-fast', retired: true },
    { id: 'grok-2-vision-1212', retired: true },
  ],
};
