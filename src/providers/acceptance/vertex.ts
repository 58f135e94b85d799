import type { AcceptanceRule } from '../../kernel/acceptance.ts';
import { anthropicAcceptance } from './anthropic.ts';
import { geminiAcceptance } from './gemini.ts';

/** Models are those of their makers, and take what they take there. */
export const vertexAcceptance: readonly AcceptanceRule[] = [...anthropicAcceptance, ...geminiAcceptance];
