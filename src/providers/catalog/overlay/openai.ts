import type { ToolSearch } from '../../../kernel/rate-card.ts';
import { foreignTool } from '../../../wire/foreign.ts';
import type { Feature, Overlay, OverlayModel } from '../model-entry.ts';

const reasoningFeatures: readonly Feature[] = ['tools', 'images', 'thinking', 'json_schema', 'caching'];
const chatFeatures: readonly Feature[] = ['tools', 'images', 'json_schema', 'caching'];
// From GPT-5.4 on, only in Responses: tool search page. Nano rejects it.
const toolSearch: ToolSearch = {
  tool: foreignTool('openai-responses', { type: 'tool_search' }),
  wire: 'openai-responses',
  showsDescriptions: true,
};
const longContext = {
  contextTokens: 1_050_000,
  outputTokensMax: 128_000,
  features: reasoningFeatures,
  toolSearch,
};
const gpt5 = { contextTokens: 400_000, outputTokensMax: 128_000, features: reasoningFeatures };
const gpt41 = { contextTokens: 1_047_576, outputTokensMax: 32_768, features: chatFeatures };
const gpt4o = { contextTokens: 128_000, outputTokensMax: 16_384, features: chatFeatures };
const oSeries = { contextTokens: 200_000, outputTokensMax: 100_000, features: reasoningFeatures };
// Pricing page.
const toolPrices = { webSearch: 10, previewSearch: 10, fileSearch: 2.5 };
const ultrafast = { ultrafast: 6 };

/** Shut down on or before 23 October 2026: deprecations page. */
const retiredModels: readonly OverlayModel[] = [
  { id: 'o1-pro', ...oSeries },
  { id: 'o1', ...oSeries },
  { id: 'o1-preview', outputTokensMax: 32_768 },
  { id: 'o1-mini', outputTokensMax: 65_536 },
  { id: 'o3-mini', ...oSeries },
  { id: 'o4-mini', ...oSeries },
  { id: 'gpt-4.5-preview', outputTokensMax: 16_384 },
  { id: 'gpt-4.1-nano', ...gpt41 },
  { id: 'gpt-4o-2024-05-13', outputTokensMax: 4096 },
  { id: 'chatgpt-4o-latest', ...gpt4o },
  { id: 'gpt-4-turbo', outputTokensMax: 4096 },
  { id: 'gpt-4-vision-preview', outputTokensMax: 4096 },
  { id: 'gpt-4-32k', outputTokensMax: 32_768 },
  { id: 'gpt-4', outputTokensMax: 8192 },
  { id: 'gpt-3.5-turbo', outputTokensMax: 4096 },
].map((model) => ({ ...model, retired: true }));

/**
 * Limits and features: model pages. Batch and flex cost half the price; fast mode, formerly called priority, costs twice
 * the price unless the model page says otherwise. Ultrafast costs six times the price of the models that have a price
 * for it. The scale tier is paid in advance. GPT-6.1 Terra is the only model with a published price for 12-hour cache
 * writes. `web_search_preview` costs more with models that don't reason, and the search models search in every call.
 */
export const openai: Overlay = {
  sources: [
    'https://developers.openai.com/api/docs/pricing',
    'https://developers.openai.com/api/docs/models',
    'https://openai.com/api-fast-mode/',
    'https://developers.openai.com/api/docs/guides/ultrafast-mode',
    'https://developers.openai.com/api/docs/guides/prompt-caching',
  ],
  checkedOn: '2026-11-17',
  factors: { batch: 0.5, flex: 0.5, priority: 2, fast: 2, ultrafast: 6, scale: 1 },
  regions: { regional: 1.1 },
  assumed: ['ultrafast', 'scale', 'regional', 'cacheWriteHour'],
  longWrite: 2.5,
  // Models from GPT-5.4 on cost more at the addresses for data residency. We could not compare the list of models.
  regionalSite: {
    baseUrl: /^https:\/\/[a-z]{2}\.api\.openai\.com/,
    models: /^gpt-(?:5\.[4-9]|[6-9])/,
    region: 'regional',
  },
  fees: [{ models: /^(?:ft:)?(?:gpt-3|gpt-4|chatgpt)/, ...toolPrices, previewSearch: 25 }, toolPrices],
  // Prompt caching page: five to ten minutes, at most an hour unless a call requests a day.
  cacheSeconds: 3600,
  models: [
    // Speech by the character: the pages of both models, read on 2026-11-19.
    { id: 'tts-1', names: ['tts-1-1106'], prices: { input: 0, output: 0, units: { characters: 15 } } },
    { id: 'tts-1-hd', names: ['tts-1-hd-1106'], prices: { input: 0, output: 0, units: { characters: 30 } } },
    { id: 'moderation', free: true },
    // Newer than the price data. Model page: same prices as GPT-6 Sol except for cached input.
    {
      id: 'gpt-6.1-sol',
      title: 'GPT-6.1 Sol',
      ...longContext,
      factors: ultrafast,
      prices: {
        input: 2,
        output: 10,
        cacheRead: 0.1,
        cacheWrite: 2.5,
        ...toolPrices,
        longInput: { above: 272_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5, ...toolPrices },
      },
    },
    // Newer than the price data. Model page; a 12-hour cache costs twice as much as a 30-minute one.
    {
      id: 'gpt-6.1-terra',
      title: 'GPT-6.1 Terra',
      ...longContext,
      prices: {
        input: 1,
        output: 5,
        cacheRead: 0.05,
        cacheWrite: 1.25,
        cacheWriteHour: 2.5,
        ...toolPrices,
        longInput: {
          above: 272_000,
          input: 2,
          output: 7.5,
          cacheRead: 0.1,
          cacheWrite: 2.5,
          cacheWriteHour: 5,
          ...toolPrices,
        },
      },
    },
    { id: 'gpt-6-astra', ...longContext, factors: ultrafast },
    { id: 'gpt-6-sol', ...longContext },
    { id: 'gpt-6-luna', ...longContext },
    { id: 'gpt-5.6-sol', ...longContext },
    { id: 'gpt-5.6-terra', ...longContext },
    { id: 'gpt-5.6-luna', ...longContext },
    { id: 'gpt-5.5', ...longContext, factors: { priority: 2.5, fast: 2.5 } },
    { id: 'gpt-5.5-pro', ...longContext },
    { id: 'gpt-5.4', ...longContext },
    { id: 'gpt-5.4-pro', ...longContext },
    { id: 'gpt-5.4-mini', ...gpt5, toolSearch },
    { id: 'gpt-5.4-nano', ...gpt5 },
    { id: 'gpt-5.3-codex', ...gpt5 },
    { id: 'gpt-5.3', contextTokens: 128_000, outputTokensMax: 16_384, features: chatFeatures },
    { id: 'gpt-5.2', ...gpt5 },
    { id: 'gpt-5.2-pro', ...gpt5 },
    { id: 'gpt-5.1', ...gpt5 },
    { id: 'gpt-5.1-codex-mini', ...gpt5 },
    { id: 'gpt-5', ...gpt5 },
    { id: 'gpt-5-pro', contextTokens: 400_000, outputTokensMax: 272_000, features: reasoningFeatures },
    { id: 'gpt-5-mini', ...gpt5, factors: { priority: 1.8, fast: 1.8 } },
    { id: 'gpt-5-nano', ...gpt5 },
    { id: 'o3', ...oSeries },
    { id: 'o3-pro', ...oSeries },
    { id: 'gpt-4.1', ...gpt41, factors: { priority: 1.75, fast: 1.75 } },
    { id: 'gpt-4.1-mini', ...gpt41 },
    { id: 'gpt-realtime', contextTokens: 32_000, outputTokensMax: 4096 },
    { id: 'gpt-realtime-2', contextTokens: 128_000, outputTokensMax: 32_000 },
    { id: 'gpt-realtime-mini', contextTokens: 128_000, outputTokensMax: 32_000 },
    { id: 'gpt-4o-realtime-preview', contextTokens: 32_000, outputTokensMax: 4096 },
    { id: 'gpt-4o-mini-realtime-preview', contextTokens: 16_000, outputTokensMax: 4096 },
    { id: 'gpt-4o', ...gpt4o },
    { id: 'gpt-4o-mini', ...gpt4o },
    // The price data lacks the fee for the search in every call: pricing page.
    {
      id: 'gpt-4o-search-preview',
      title: 'gpt 4o search preview',
      ...gpt4o,
      prices: { input: 2.5, output: 10, request: 25 },
    },
    {
      id: 'gpt-4o-mini-search-preview',
      title: 'gpt 4o mini search preview',
      ...gpt4o,
      prices: { input: 0.15, output: 0.6, request: 25 },
    },
    { id: 'gpt-audio', contextTokens: 128_000, outputTokensMax: 16_384 },
    { id: 'gpt-audio-mini', contextTokens: 128_000, outputTokensMax: 16_384 },
    // The price data lacks audio prices: model pages.
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
    ...retiredModels,
  ],
};
