import { parseExact } from '../../kernel/json.ts';

/** Arguments are JSON in a string; what is no JSON stays as the string it is. */
export function toolInputOf(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {};
  if (text.trim() === '') return {};
  try {
    // Some models write `null` where a tool takes nothing.
    return parseExact(text) ?? {};
  } catch {
    return text;
  }
}
