import { type Acceptance, type AcceptanceRule, onlyEfforts } from '../../kernel/acceptance.ts';

const openaiDefaults: Partial<Acceptance> = {
  thinkingField: 'nowhere',
  serviceTiers: ['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'],
  // The API's error for a longer id names this limit.
  callIds: { pattern: /^.{1,40}$/s, chars: 24 },
};
const chatModels: Partial<Acceptance> = { ...openaiDefaults, efforts: [] };
/** Models older than schemas: structured outputs page. */
const preSchemaModels: Partial<Acceptance> = { ...chatModels, formats: ['json_object'] };
const reasoningModels: Partial<Acceptance> = {
  ...openaiDefaults,
  rejects: ['temperature', 'top_p', 'stop_sequences'],
};
/** Models that think only on request, and accept sampling parameters when they don't think. */
const optionalReasoningModels: Partial<Acceptance> = {
  ...openaiDefaults,
  rejects: ['stop_sequences'],
  rejectsWithThinking: ['temperature', 'top_p'],
};

/** Levels and rejected parameters: reasoning guide, model pages and the API's error messages. */
export const openaiAcceptance: readonly AcceptanceRule[] = [
  { models: /^gpt-.*search-preview/, ...reasoningModels, efforts: [] },
  { models: /^(ft:)?gpt-(4|3\.5-turbo)(-0[36]\d\d|-32k|-16k)|^gpt-4$/, ...chatModels, formats: [] },
  { models: /^(ft:)?(gpt-3|gpt-4-|gpt-4o-2024-05-13)/, ...preSchemaModels },
  { models: /^(ft:)?(gpt-[34]|chatgpt-|gpt-audio|gpt-realtime)|^gpt-5-chat/, ...chatModels },
  { models: /^gpt-5\.\d+-chat|^gpt-5\.3(?!-codex)|^o1-(mini|preview)/, ...reasoningModels, efforts: [] },
  { models: /^gpt-5-pro/, ...reasoningModels, ...onlyEfforts('high') },
  {
    models: /^gpt-5(-mini|-nano)?(-20|$)/,
    ...reasoningModels,
    ...onlyEfforts('minimal', 'low', 'medium', 'high'),
  },
  {
    models: /^(ft:)?o\d|^gpt-5-codex|^gpt-5\.1-codex(?!-max)|^codex-/,
    ...reasoningModels,
    ...onlyEfforts('low', 'medium', 'high'),
  },
  { models: /^gpt-\d[\d.]*-codex/, ...reasoningModels, ...onlyEfforts('low', 'medium', 'high', 'xhigh') },
  { models: /^gpt-\d[\d.]*-pro/, ...reasoningModels, ...onlyEfforts('medium', 'high', 'xhigh') },
  { models: /^gpt-5\.1/, ...optionalReasoningModels, ...onlyEfforts('none', 'low', 'medium', 'high') },
  {
    models: /^gpt-5\.[24](?!\d)/,
    ...optionalReasoningModels,
    ...onlyEfforts('none', 'low', 'medium', 'high', 'xhigh'),
  },
  { models: /^(ft:)?gpt-\d/, ...reasoningModels, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
];

/** Rule for OpenAI models with any other name. */
export const openaiFallbackAcceptance: AcceptanceRule = { models: /^/, ...reasoningModels, efforts: [] };
