import type { AbilityRule } from './ability-rule.ts';

/** Text and images only, and one answer. */
const api = {
  source: 'https://console.groq.com/docs/models',
  checkedOn: '2026-11-17',
  documents: false,
  audio: false,
  video: false,
  searchOptions: false,
  stopSequences: true,
  severalAnswers: false,
} satisfies Partial<AbilityRule>;
const tools = { ...api, tools: true, forcedTool: true } satisfies Partial<AbilityRule>;

export const groqAbilities: readonly AbilityRule[] = [
  {
    models: /llama-4/,
    ...tools,
    structuredOutput: true,
    parallelTools: true,
    images: true,
    reasoning: false,
  },
  {
    models: /gpt-oss/,
    ...tools,
    structuredOutput: true,
    parallelTools: false,
    images: false,
    reasoning: true,
    serverTools: true,
  },
  { models: /qwen/, ...tools, parallelTools: true, images: false, reasoning: true },
  { models: /llama-3/, ...tools, parallelTools: true, images: false, reasoning: false },
  { models: /^(?:groq\/)?compound/, ...api, serverTools: true },
  { models: /^/, ...api },
];
