import type { TokenCounting } from '../../kernel/wire-format.ts';

/** The counter rejects output settings: https://platform.claude.com/docs/en/api/messages-count-tokens. */
export const messagesTokenCounting: TokenCounting = {
  requestPath: (_model, query) => `/v1/messages/count_tokens${query}`,
  encodeRequest: (call) =>
    Object.fromEntries(Object.entries(call).filter(([field]) => !replyOnlyFields.has(field))),
  readCount: (answer) => answer.input_tokens,
  answer: (tokens) => ({ input_tokens: tokens }),
};

const replyOnlyFields: ReadonlySet<string> = new Set([
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
]);
