import type { ToolSearch } from '../../../kernel/rate-card.ts';
import { foreignTool } from '../../../wire/foreign.ts';
import type { Feature, Overlay, OverlayModel } from '../model-entry.ts';

const thinking: readonly Feature[] = ['tools', 'images', 'thinking', 'json_schema', 'caching'];
const plain: readonly Feature[] = ['tools', 'images', 'json_schema', 'caching'];
// From GPT-5.4 on, in Responses only: tool search page. Nano refuses it.
const toolSearch: ToolSearch = {
  tool: foreignTool('openai-responses', { type: 'tool_search' }),
  wire: 'openai-responses',
  showsDescriptions: true,
};
const long = { contextTokens: 1_050_000, outputTokensMax: 128_000, features: thinking, toolSearch };
const five = { contextTokens: 400_000, outputTokensMax: 128_000, features: thinking };
const four = { contextTokens: 1_047_576, outputTokensMax: 32_768, features: plain };
const omni = { contextTokens: 128_000, outputTokensMax: 16_384, features: plain };
const reasoning = { contextTokens: 200_000, outputTokensMax: 100_000, features: thinking };
// Tools cost the same with every model: pricing page.
const tools = { webSearch: 10, fileSearch: 2.5 };

/** Shut down on or before 23 October 2026: page of deprecations. */
const retired: readonly OverlayModel[] = [
  { id: 'o1-pro', ...reasoning },
  { id: 'o1', ...reasoning },
  { id: 'o1-preview', outputTokensMax: 32_768 },
  { id: 'o1-mini', outputTokensMax: 65_536 },
  { id: 'o3-mini', ...reasoning },
  { id: 'o4-mini', ...reasoning },
  { id: 'gpt-4.5-preview', outputTokensMax: 16_384 },
  { id: 'gpt-4.1-nano', ...four },
  { id: 'gpt-4o-2024-05-13', outputTokensMax: 4096 },
  { id: 'chatgpt-4o-latest', ...omni },
  { id: 'gpt-4-turbo', outputTokensMax: 4096 },
  { id: 'gpt-4-vision-preview', outputTokensMax: 4096 },
  { id: 'gpt-4-32k', outputTokensMax: 32_768 },
  { id: 'gpt-4', outputTokensMax: 8192 },
  { id: 'gpt-3.5-turbo', outputTokensMax: 4096 },
].map((model) => ({ ...model, retired: true }));

/**
 * Limits and features from each model's page. Batch and flex are half the price; fast mode, which was called priority
 * before, is twice the price unless its page has another figure.
 */
export const openai: Overlay = {
  factors: { batch: 0.5, flex: 0.5, priority: 2, fast: 2 },
  // Prompt caching page: five to ten minutes, never more than an hour unless a call asks for a day.
  cacheSeconds: 3600,
  models: [
    // Newer than the price data. Model page: all but the cached input as for GPT-6 Sol.
    {
      id: 'gpt-6.1-sol',
      title: 'GPT-6.1 Sol',
      ...long,
      prices: {
        input: 2,
        output: 10,
        cacheRead: 0.1,
        cacheWrite: 2.5,
        ...tools,
        longInput: { above: 272_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5, ...tools },
      },
    },
    // Newer than the price data. Model page; a cache that lasts for 12 hours costs twice one of 30 minutes.
    {
      id: 'gpt-6.1-terra',
      title: 'GPT-6.1 Terra',
      ...long,
      prices: {
        input: 1,
        output: 5,
        cacheRead: 0.05,
        cacheWrite: 1.25,
        cacheWriteHour: 2.5,
        ...tools,
        longInput: {
          above: 272_000,
          input: 2,
          output: 7.5,
          cacheRead: 0.1,
          cacheWrite: 2.5,
          cacheWriteHour: 5,
          ...tools,
        },
      },
    },
    { id: 'gpt-6-astra', ...long },
    { id: 'gpt-6-sol', ...long },
    { id: 'gpt-6-luna', ...long },
    { id: 'gpt-5.6-sol', ...long },
    { id: 'gpt-5.6-terra', ...long },
    { id: 'gpt-5.6-luna', ...long },
    { id: 'gpt-5.5', ...long, factors: { priority: 2.5, fast: 2.5 } },
    { id: 'gpt-5.5-pro', ...long },
    { id: 'gpt-5.4', ...long },
    { id: 'gpt-5.4-pro', ...long },
    { id: 'gpt-5.4-mini', ...five, toolSearch },
    { id: 'gpt-5.4-nano', ...five },
    { id: 'gpt-5.3-codex', ...five },
    { id: 'gpt-5.3', contextTokens: 128_000, outputTokensMax: 16_384, features: plain },
    { id: 'gpt-5.2', ...five },
    { id: 'gpt-5.2-pro', ...five },
    { id: 'gpt-5.1', ...five },
    { id: 'gpt-5.1-codex-mini', ...five },
    { id: 'gpt-5', ...five },
    { id: 'gpt-5-pro', contextTokens: 400_000, outputTokensMax: 272_000, features: thinking },
    { id: 'gpt-5-mini', ...five, factors: { priority: 1.8, fast: 1.8 } },
    { id: 'gpt-5-nano', ...five },
    { id: 'o3', ...reasoning },
    { id: 'o3-pro', ...reasoning },
    { id: 'gpt-4.1', ...four, factors: { priority: 1.75, fast: 1.75 } },
    { id: 'gpt-4.1-mini', ...four },
    { id: 'gpt-4o', ...omni },
    { id: 'gpt-4o-mini', ...omni },
    { id: 'gpt-4o-search-preview', ...omni },
    { id: 'gpt-audio', contextTokens: 128_000, outputTokensMax: 16_384 },
    { id: 'gpt-audio-mini', contextTokens: 128_000, outputTokensMax: 16_384 },
    // The price data leaves out what sound costs: model pages.
    {
      id: 'gpt-4o-audio-preview',
      title: 'gpt 4o audio preview',
      contextTokens: 128_000,
      outputTokensMax: 16_384,
      prices: { input: 2.5, output: 10, audioInput: 40, audioOutput: 80 },
    },
    {
      id: 'gpt-4o-mini-audio-preview',
      title: 'gpt 4o mini audio preview',
      contextTokens: 128_000,
      outputTokensMax: 16_384,
      prices: { input: 0.15, output: 0.6, audioInput: 10, audioOutput: 20 },
    },
    ...retired,
  ],
};
