import type { TokenCounting } from '../../kernel/wire-format.ts';
import { countTokensPath } from './path.ts';

/** The full request goes into its own field, with its model: https://ai.google.dev/api/tokens. */
export const geminiTokenCounting: TokenCounting = {
  requestPath: countTokensPath,
  encodeRequest: (call, model) => ({ generateContentRequest: { model: `models/${model}`, ...call } }),
  readCount: (answer) => answer.totalTokens,
  answer: (tokens) => ({ totalTokens: tokens }),
};
