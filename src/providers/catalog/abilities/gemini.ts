import type { Abilities } from '../../../kernel/abilities.ts';
import type { AbilityRule } from './ability-rule.ts';

const api: Partial<Abilities> = { stopSequences: true };
const multimodal: Partial<Abilities> = {
  ...api,
  tools: true,
  structuredOutput: true,
  forcedTool: true,
  parallelTools: true,
  images: true,
  documents: true,
  audio: true,
  serverTools: true,
};

export const geminiAbilities: readonly AbilityRule[] = [
  { models: /^gemini-.*(?:image|tts|live|embedding)/, ...api },
  { models: /^gemini-(?:1\.5|2\.0)/, ...multimodal, reasoning: false },
  { models: /^gemini-(?:2\.5|[3-9]|\d\d)|^gemini-.*latest/, ...multimodal, reasoning: true },
  { models: /^gemma-/, ...api, audio: false, serverTools: false },
];
