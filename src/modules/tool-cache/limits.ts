/** Prose and code have between 3 and 4.5 characters per token. */
export const charsPerToken = 4;
/** Results of fewer characters, about 300 tokens, are sent again: a reference would save little. */
export const repeatedCharsMin = 1200;
/** How much of a call's arguments a reference quotes. */
export const quotedArgumentsChars = 200;
