import type { AbilityRule } from './ability-rule.ts';

const api = {
  source: 'https://ai.google.dev/gemini-api/docs/models',
  checkedOn: '2026-11-17',
  searchOptions: false,
  stopSequences: true,
} satisfies Partial<AbilityRule>;
const multimodal = {
  ...api,
  tools: true,
  structuredOutput: true,
  forcedTool: true,
  parallelTools: true,
  images: true,
  documents: true,
  audio: true,
  video: true,
  serverTools: true,
} satisfies Partial<AbilityRule>;

export const geminiAbilities: readonly AbilityRule[] = [
  { models: /^gemini-.*(?:image|tts|live|embedding)/, ...api },
  { models: /^gemini-(?:1\.5|2\.0)/, ...multimodal, reasoning: false },
  { models: /^gemini-(?:2\.5|[3-9]|\d\d)|^gemini-.*latest/, ...multimodal, reasoning: true },
  { models: /^gemma-/, ...api, audio: false, video: false, serverTools: false },
];
