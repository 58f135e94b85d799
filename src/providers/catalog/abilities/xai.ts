import type { AbilityRule } from './ability-rule.ts';

const api = {
  source: 'https://docs.x.ai/docs/models',
  checkedOn: '2026-11-17',
  tools: true,
  structuredOutput: true,
  forcedTool: true,
  audio: false,
} satisfies Partial<AbilityRule>;

export const xaiAbilities: readonly AbilityRule[] = [
  { models: /^grok-(?:2-vision|[4-9])/, ...api, parallelTools: true, images: true },
  { models: /^grok-3/, ...api, parallelTools: true, images: false },
  { models: /^grok/, ...api },
];
