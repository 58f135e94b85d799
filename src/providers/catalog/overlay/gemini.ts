import type { Feature, Overlay } from '../model-entry.ts';

const allFeatures: readonly Feature[] = ['tools', 'images', 'thinking', 'json_schema', 'caching'];
const currentGeneration = { contextTokens: 1_048_576, outputTokensMax: 65_536, features: allFeatures };
const secondGeneration = { contextTokens: 1_048_576, outputTokensMax: 8192 };

/**
 * Limits: the API's model list. Batch and flex cost half the price; priority costs 75 to 100 percent more, of which we
 * use the maximum: optimization page.
 */
export const gemini: Overlay = {
  factors: { batch: 0.5, flex: 0.5, priority: 2 },
  models: [
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
