import type { Abilities } from '../../../kernel/abilities.ts';
import type { AbilityRule } from './ability-rule.ts';

const api: Partial<Abilities> = { tools: true, structuredOutput: true, forcedTool: true, audio: false };

export const xaiAbilities: readonly AbilityRule[] = [
  { models: /^grok-(?:2-vision|[4-9])/, ...api, parallelTools: true, images: true },
  { models: /^grok-3/, ...api, parallelTools: true, images: false },
  { models: /^grok/, ...api },
];
