import type { Counting } from '../../kernel/wire-format.ts';
import { countAddress } from './path.ts';

/** https://ai.google.dev/api/tokens: a call with all it has stands in a field of its own, with the name of its model. */
export const counting: Counting = {
  address: countAddress,
  question: (call, model) => ({ generateContentRequest: { model: `models/${model}`, ...call } }),
  told: (answer) => answer.totalTokens,
  answer: (tokens) => ({ totalTokens: tokens }),
};
