import type { Feature, Overlay } from '../model-entry.ts';

const open: readonly Feature[] = ['tools', 'thinking', 'json_schema', 'caching'];
const window = { contextTokens: 131_072 };

/** Limits and prices: the API's model list. Half price for batches: pricing page. */
export const groq: Overlay = {
  sources: ['https://groq.com/pricing', 'https://console.groq.com/docs/models'],
  checkedOn: '2026-11-15',
  factors: { batch: 0.5 },
  models: [
    { id: 'openai/gpt-oss-120b', outputTokensMax: 65_536, features: open },
    { id: 'openai/gpt-oss-20b', outputTokensMax: 65_536, features: open },
    // The price data has the price of the model six times its size.
    {
      id: 'openai/gpt-oss-safeguard-20b',
      title: 'GPT OSS Safeguard 20B',
      ...window,
      outputTokensMax: 65_536,
      features: open,
      prices: { input: 0.075, output: 0.3, cacheRead: 0.0375 },
    },
    // Newer than the price data.
    {
      id: 'qwen/qwen3.6-27b',
      title: 'Qwen 3.6 27B',
      ...window,
      outputTokensMax: 16_384,
      features: ['tools', 'images', 'thinking', 'caching'],
      prices: { input: 0.6, output: 3, cacheRead: 0.3 },
    },
    // The price data lacks the half price of cache reads.
    {
      id: 'llama-3.3-70b-versatile',
      title: 'Llama 3.3 70B',
      ...window,
      outputTokensMax: 32_768,
      features: ['tools', 'caching'],
      prices: { input: 0.59, output: 0.79, cacheRead: 0.295 },
    },
    {
      id: 'llama-3.1-8b-instant',
      title: 'Llama 3.1 8B',
      ...window,
      outputTokensMax: 131_072,
      features: ['tools', 'caching'],
      prices: { input: 0.05, output: 0.08, cacheRead: 0.025 },
    },
    { id: 'qwen/qwen3-32b', outputTokensMax: 40_960, features: ['tools', 'thinking'] },
    { id: 'moonshotai/kimi-k2-instruct', outputTokensMax: 16_384, features: ['tools', 'caching'] },
    {
      id: 'meta-llama/llama-4-maverick-17b-128e-instruct',
      outputTokensMax: 8192,
      features: ['tools', 'images', 'json_schema'],
    },
    {
      id: 'meta-llama/llama-4-scout-17b-16e-instruct',
      ...window,
      outputTokensMax: 8192,
      features: ['tools', 'images', 'json_schema'],
    },
  ],
};
