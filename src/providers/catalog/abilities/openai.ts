import type { AbilityRule } from './ability-rule.ts';

/** No model reads films. Only search models take `web_search_options`: web search guide. */
const api = {
  source: 'https://developers.openai.com/api/docs/models',
  checkedOn: '2026-11-18',
  video: false,
  searchOptions: false,
  severalAnswers: true,
} satisfies Partial<AbilityRule>;
const chat = {
  ...api,
  tools: true,
  forcedTool: true,
  parallelTools: true,
  logProbabilities: true,
  stopSequences: true,
  structuredOutput: true,
  reasoning: false,
} satisfies Partial<AbilityRule>;
const reasoning = {
  ...api,
  tools: true,
  forcedTool: true,
  structuredOutput: true,
  reasoning: true,
} satisfies Partial<AbilityRule>;

export const openaiAbilities: readonly AbilityRule[] = [
  { models: /^(?:gpt-4o(?:-mini)?-audio|gpt-audio)/, ...chat, audio: true, images: false, documents: false },
  {
    models: /search-(?:preview|api)/,
    ...api,
    serverTools: true,
    searchOptions: true,
    tools: false,
    reasoning: false,
    audio: false,
  },
  {
    models: /^(?:ft:)?gpt-3|^(?:ft:)?gpt-4(?:-0|-32k|$)/,
    ...chat,
    images: false,
    documents: false,
    audio: false,
    serverTools: false,
  },
  {
    models: /^(?:ft:)?(?:gpt-4o|gpt-4\.1)/,
    ...chat,
    images: true,
    documents: true,
    audio: false,
    serverTools: true,
  },
  { models: /^(?:ft:)?(?:gpt-4|chatgpt)/, ...chat, images: true, audio: false },
  { models: /^o1-(?:mini|preview)/, ...api, tools: false, images: false, audio: false },
  { models: /^o(?:3|4-mini)$/, ...reasoning, images: true, audio: false, serverTools: true },
  { models: /^o3-mini/, ...reasoning, images: false, audio: false, documents: false },
  { models: /^(?:o\d|codex-|gpt-5\.\d+-codex|gpt-5-codex)/, ...reasoning, images: true, audio: false },
  { models: /^gpt-5(?:\.\d+)?-chat/, ...chat, images: true, documents: true, audio: false },
  {
    models: /^(?:ft:)?gpt-\d/,
    ...reasoning,
    parallelTools: true,
    images: true,
    documents: true,
    audio: false,
    serverTools: true,
  },
];
