import type { AcceptanceRule } from '../../kernel/acceptance.ts';
import { openModels } from './open-models.ts';

export const vllmAcceptance: readonly AcceptanceRule[] = [
  ...openModels.map((rule) => ({ ...rule, thoughts: 'reasoning' }) as const),
  { models: /^/, thoughts: 'reasoning' },
];
