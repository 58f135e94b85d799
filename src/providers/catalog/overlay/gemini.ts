import type { Feature, FeeRule, Overlay } from '../model-entry.ts';

const allFeatures: readonly Feature[] = ['tools', 'images', 'thinking', 'json_schema', 'caching'];
const currentGeneration = { contextTokens: 1_048_576, outputTokensMax: 65_536, features: allFeatures };
const secondGeneration = { contextTokens: 1_048_576, outputTokensMax: 8192 };

/** Searches are free up to a number for each day or month, which is unknown here: pricing page. */
export const geminiFees: readonly FeeRule[] = [
  { models: /gemini-[12]\b/, webSearch: 35, isUpperBound: true },
  { models: /gemini/, webSearch: 14, isUpperBound: true },
];

/**
 * Limits: the API's model list. Batch and flex cost half the price; priority costs 75 to 100 percent more, of which we
 * use the maximum: optimization page. No price is published for deferred calls.
 */
export const gemini: Overlay = {
  sources: [
    'https://ai.google.dev/gemini-api/docs/pricing',
    'https://ai.google.dev/gemini-api/docs/optimization',
    'https://ai.google.dev/gemini-api/docs/models',
  ],
  checkedOn: '2026-11-17',
  factors: { batch: 0.5, flex: 0.5, priority: 2, deferred: 1 },
  assumed: ['priority', 'deferred'],
  fees: geminiFees,
  models: [
    // Newer than the price data. Pricing page: half price until the end of November 2026.
    {
      id: 'gemini-4-argon',
      title: 'Gemini 4 Argon',
      contextTokens: 1_048_576,
      outputTokensMax: 1_048_576,
      features: allFeatures,
      prices: [
        { input: 2, output: 10, cacheRead: 0.1 },
        { from: '2026-12-01', input: 4, output: 20, cacheRead: 0.2 },
      ],
    },
    { id: 'gemini-3.8-flash', ...currentGeneration },
    { id: 'gemini-3.7-flash', ...currentGeneration },
    { id: 'gemini-3.6-flash', ...currentGeneration },
    { id: 'gemini-3.5-flash', ...currentGeneration },
    { id: 'gemini-3.5-flash-lite', ...currentGeneration },
    { id: 'gemini-3.1-pro-preview', ...currentGeneration },
    { id: 'gemini-3.1-flash-lite', ...currentGeneration },
    { id: 'gemini-3-pro-preview', ...currentGeneration },
    { id: 'gemini-3-flash-preview', ...currentGeneration },
    { id: 'gemini-2.5-pro', ...currentGeneration },
    { id: 'gemini-2.5-flash', ...currentGeneration },
    { id: 'gemini-2.5-flash-lite', ...currentGeneration },
    { id: 'gemini-2.0-flash', ...secondGeneration },
    { id: 'gemini-2.0-flash-lite', ...secondGeneration },
    // Open models are free and have no paid tier: pricing page.
    { id: 'gemma-4-31b-it', free: true, contextTokens: 262_144, outputTokensMax: 32_768 },
    { id: 'gemma-4-26b-a4b-it', free: true, contextTokens: 262_144, outputTokensMax: 32_768 },
    { id: 'gemma-3', free: true, contextTokens: 131_072, outputTokensMax: 8192 },
    { id: 'gemma-3n', free: true, contextTokens: 32_768, outputTokensMax: 8192 },
    // Sold only on Google Cloud.
    { id: 'gemma-4-26b-a4b-it-maas', retired: true },
    // Shut down: deprecations page.
    { id: 'gemini-1.5-flash', retired: true, ...secondGeneration },
    { id: 'gemini-1.5-pro', retired: true, ...secondGeneration },
    { id: 'gemini-flash-1.5', retired: true, ...secondGeneration },
    { id: 'gemini-flash-1.5-8b', retired: true, ...secondGeneration },
    { id: 'gemini-pro-1.5', retired: true, ...secondGeneration },
    { id: 'gemini-pro', retired: true },
    { id: 'gemini-1.0-pro-vision-001', retired: true },
  ],
};
