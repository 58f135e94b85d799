import type { AcceptanceRule } from '../../kernel/acceptance.ts';
import { openModelAcceptance } from './open-models.ts';

export const vllmAcceptance: readonly AcceptanceRule[] = [
  ...openModelAcceptance.map((rule) => ({ ...rule, thinkingField: 'reasoning' }) as const),
  { models: /^/, thinkingField: 'reasoning' },
];
