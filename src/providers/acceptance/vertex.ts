import type { AcceptanceRule } from '../../kernel/acceptance.ts';
import { anthropicAcceptance } from './anthropic.ts';
import { geminiAcceptance } from './gemini.ts';

/** Models accept the same as at their makers' own APIs. */
export const vertexAcceptance: readonly AcceptanceRule[] = [...anthropicAcceptance, ...geminiAcceptance];
