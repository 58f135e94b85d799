import type { TokenCounting } from '../../kernel/wire-format.ts';
import { countTokensPath } from './path.ts';

/** https://ai.google.dev/api/tokens: a call with all it has stands in a field of its own, with the name of its model. */
export const geminiTokenCounting: TokenCounting = {
  requestPath: countTokensPath,
  encodeRequest: (call, model) => ({ generateContentRequest: { model: `models/${model}`, ...call } }),
  readCount: (answer) => answer.totalTokens,
  answer: (tokens) => ({ totalTokens: tokens }),
};
