/** OpenAI's error code for a conversation that exceeds the context window. */
export const contextOverflowCode = 'context_length_exceeded';

/** Anthropic has no code for it: its clients look for this phrase. */
const anthropicOverflowPhrase = 'prompt is too long';

/** Phrases of providers without that code. */
const overflowPatterns = [
  /input is too long/i,
  /maximum (context|prompt) length/i,
  /too large for model with \d+/i,
  /greater than the context length/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
];

/** Pairs of phrases: the second follows within this many characters of the first. */
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

/** Excludes token rate limits, whose messages are similar. */
export function isContextOverflow({ message, code, status }: ErrorDescription): boolean {
  if (code === contextOverflowCode) return true;
  if (status !== undefined && status !== 400 && status !== 413 && status !== 422) return false;
  if (/rate.?limit|per (minute|day|hour)|quota/i.test(message)) return false;
  return (
    overflowPatterns.some((pattern) => pattern.test(message)) ||
    overflowPatternPairs.some((phrases) => matchesPatternPair(message, phrases))
  );
}

/** Adds the phrases of both formats to the provider's message. */
export function withOverflowPhrase(message: string): string {
  return message.toLowerCase().includes(anthropicOverflowPhrase)
    ? message
    : `${anthropicOverflowPhrase}: ${message}`;
}
