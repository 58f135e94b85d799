/** Marks a failed tool result in formats without a field for it. */
export const toolErrorPrefix = '[tool error] ';
