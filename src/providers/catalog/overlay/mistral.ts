import type { Feature, Overlay } from '../model-entry.ts';

const visionFeatures: readonly Feature[] = ['tools', 'images', 'json_schema', 'caching'];
const reasoningFeatures: readonly Feature[] = ['tools', 'images', 'thinking', 'json_schema', 'caching'];

/** Mistral publishes no output limit besides the context window. Half price for batches: pricing page. */
export const mistral: Overlay = {
  sources: ['https://mistral.ai/pricing', 'https://docs.mistral.ai/getting-started/models'],
  checkedOn: '2026-11-15',
  factors: { batch: 0.5 },
  models: [
    // Newer than the price data. Model page: the list price, halved during the preview.
    {
      id: 'mistral-large-4',
      names: ['mistral-large-4-0'],
      title: 'Mistral Large 4',
      features: reasoningFeatures,
      prices: { input: 1.36, output: 4.18, cacheRead: 0.14 },
    },
    // The price data still has the price of Large 2. Pricing page: Large 3 since its release.
    {
      id: 'mistral-large-latest',
      title: 'Mistral Large (latest)',
      contextTokens: 262_144,
      features: visionFeatures,
      prices: [
        { input: 2, output: 6 },
        { from: '2025-12-02', input: 0.5, output: 1.5, cacheRead: 0.05 },
      ],
    },
    // The price data still has the price of Small 3. Pricing page: Small 4 since its release.
    {
      id: 'mistral-small-latest',
      title: 'Mistral Small (latest)',
      contextTokens: 262_144,
      features: reasoningFeatures,
      prices: [
        { input: 0.1, output: 0.3 },
        { from: '2026-03-16', input: 0.15, output: 0.6, cacheRead: 0.015 },
      ],
    },
    // Not in the price data, which only has the model behind this alias. Model page.
    {
      id: 'ministral-3b-latest',
      title: 'Ministral 3B (latest)',
      contextTokens: 131_072,
      features: visionFeatures,
      prices: [
        { input: 0.04, output: 0.04 },
        { from: '2025-12-02', input: 0.1, output: 0.1, cacheRead: 0.01 },
      ],
    },
    {
      id: 'ministral-14b-latest',
      title: 'Ministral 14B (latest)',
      contextTokens: 262_144,
      features: visionFeatures,
      prices: { input: 0.2, output: 0.2, cacheRead: 0.02 },
    },
    { id: 'ministral-8b-latest', contextTokens: 262_144, features: visionFeatures },
    { id: 'mistral-large-2512', features: visionFeatures },
    { id: 'mistral-small-2603', features: reasoningFeatures },
    { id: 'mistral-medium-latest', contextTokens: 262_144, features: reasoningFeatures },
    { id: 'mistral-medium-3-5', features: reasoningFeatures },
    { id: 'magistral-medium', contextTokens: 131_072, features: reasoningFeatures },
    { id: 'magistral-small', contextTokens: 131_072, features: reasoningFeatures },
    { id: 'codestral', features: ['tools', 'json_schema'] },
    { id: 'codestral-2508', features: ['tools', 'json_schema', 'caching'] },
    { id: 'devstral-2512', features: ['tools', 'json_schema', 'caching'] },
    { id: 'pixtral-12b', contextTokens: 131_072 },
    { id: 'pixtral-large', contextTokens: 131_072 },
    // Replaced long ago, and more expensive than all successors.
    { id: 'mistral-medium-2312', retired: true },
    { id: 'mistral-large', retired: true },
  ],
};
