/** OpenAI's code for a conversation that is too long for its model. */
export const contextOverflowCode = 'context_length_exceeded';

/** Anthropic has no code for it: its clients look for these words. */
const anthropicOverflowPhrase = 'prompt is too long';

/** How providers say it that have no code for it either, or one of their own. */
const overflowPatterns = [
  /input is too long/i,
  /maximum (context|prompt) length/i,
  /too large for model with \d+/i,
  /greater than the context length/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
];

/** The same in two phrases, the second within so many characters behind the first. */
const overflowPatternPairs: readonly (readonly [RegExp, within: number, RegExp])[] = [
  [/prompt /gi, 60, /too (long|large)/i],
  [/(context|token) (length|window|size|limit)/gi, 46, /exceed/i],
  [/exceed/gi, 80, /(context|token) (length|window|size|limit)/i],
  [/input token count/gi, 46, /exceed/i],
];

function matchesPatternPair(
  message: string,
  [first, within, second]: (typeof overflowPatternPairs)[number],
): boolean {
  for (const { 0: phrase, index } of message.matchAll(first)) {
    const end = index + phrase.length;
    if (second.test(message.slice(end, end + within))) return true;
  }
  return false;
}

interface ErrorDescription {
  readonly message: string;
  readonly code?: unknown;
  readonly status?: number | undefined;
}

/** Limits on tokens in a minute are worded much alike, and pass. */
export function isContextOverflow({ message, code, status }: ErrorDescription): boolean {
  if (code === contextOverflowCode) return true;
  if (status !== undefined && status !== 400 && status !== 413 && status !== 422) return false;
  if (/rate.?limit|per (minute|day|hour)|quota/i.test(message)) return false;
  return (
    overflowPatterns.some((words) => words.test(message)) ||
    overflowPatternPairs.some((phrases) => matchesPatternPair(message, phrases))
  );
}

/** In the words of both dialects, beside what the provider said. */
export function withOverflowPhrase(message: string): string {
  return message.toLowerCase().includes(anthropicOverflowPhrase)
    ? message
    : `${anthropicOverflowPhrase}: ${message}`;
}
