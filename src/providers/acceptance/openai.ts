import type { Acceptance, AcceptanceRule } from '../../kernel/acceptance.ts';

const maker: Partial<Acceptance> = {
  thoughts: 'nowhere',
  // The API names the limit when it refuses a longer one.
  callIds: { pattern: /^.{1,40}$/s, chars: 24 },
};
const chatting: Partial<Acceptance> = { ...maker, efforts: [] };
/** From before there were schemas: page on structured outputs. */
const early: Partial<Acceptance> = { ...chatting, formats: ['json_object'] };
const stern: Partial<Acceptance> = { ...maker, refuses: ['temperature', 'top_p', 'stop_sequences'] };
/** These think only when they are told to, and let themselves be steered when they don't. */
const optional: Partial<Acceptance> = {
  ...maker,
  refuses: ['stop_sequences'],
  refusesThinking: ['temperature', 'top_p'],
};

/** Levels and refused parameters: reasoning guide, model pages, and what the API says when it refuses one. */
export const openaiAcceptance: readonly AcceptanceRule[] = [
  { models: /^gpt-.*search-preview/, ...stern, efforts: [] },
  { models: /^(ft:)?gpt-(4|3\.5-turbo)(-0[36]\d\d|-32k|-16k)|^gpt-4$/, ...chatting, formats: [] },
  { models: /^(ft:)?(gpt-3|gpt-4-|gpt-4o-2024-05-13)/, ...early },
  { models: /^(ft:)?(gpt-[34]|chatgpt-|gpt-audio|gpt-realtime)|^gpt-5-chat/, ...chatting },
  { models: /^gpt-5\.\d+-chat|^gpt-5\.3(?!-codex)|^o1-(mini|preview)/, ...stern, efforts: [] },
  { models: /^gpt-5-pro/, ...stern, efforts: ['high'] },
  { models: /^gpt-5(-mini|-nano)?(-20|$)/, ...stern, efforts: ['minimal', 'low', 'medium', 'high'] },
  {
    models: /^(ft:)?o\d|^gpt-5-codex|^gpt-5\.1-codex(?!-max)|^codex-/,
    ...stern,
    efforts: ['low', 'medium', 'high'],
  },
  { models: /^gpt-\d[\d.]*-codex/, ...stern, efforts: ['low', 'medium', 'high', 'xhigh'] },
  { models: /^gpt-\d[\d.]*-pro/, ...stern, efforts: ['medium', 'high', 'xhigh'] },
  { models: /^gpt-5\.1/, ...optional, efforts: ['none', 'low', 'medium', 'high'] },
  { models: /^gpt-5\.[24](?!\d)/, ...optional, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
  { models: /^(ft:)?gpt-\d/, ...stern, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
];

/** What OpenAI offers under a name of another kind. */
export const otherOfOpenai: AcceptanceRule = { models: /^/, ...stern, efforts: [] };
