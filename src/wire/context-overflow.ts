/** OpenAI's code for a conversation that is too long for its model. */
export const contextOverflow = 'context_length_exceeded';

/** Anthropic has no code for it: its clients look for these words. */
const anthropicWords = 'prompt is too long';

/** How providers say it that have no code for it either, or one of their own. */
const saidSo = [
  /prompt (is|was|token count)?.{0,40}too (long|large)/i,
  /input is too long/i,
  /(context|token) (length|window|size|limit).{0,40}exceed/i,
  /exceed\w*.{0,60}(context|token) (length|window|size|limit)/i,
  /maximum (context|prompt) length/i,
  /input token count.{0,40}exceed/i,
  /too large for model with \d+/i,
  /greater than the context length/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
];

interface Said {
  readonly message: string;
  readonly code?: unknown;
  readonly status?: number | undefined;
}

/** Limits on tokens in a minute are worded much alike, and pass. */
export function isContextOverflow({ message, code, status }: Said): boolean {
  if (code === contextOverflow) return true;
  if (status !== undefined && status !== 400 && status !== 413 && status !== 422) return false;
  return (
    !/rate.?limit|per (minute|day|hour)|quota/i.test(message) && saidSo.some((words) => words.test(message))
  );
}

/** In the words of both dialects, beside what the provider said. */
export function overflowWords(message: string): string {
  return message.toLowerCase().includes(anthropicWords) ? message : `${anthropicWords}: ${message}`;
}
