import type { TextBlock } from '../kernel/message.ts';
import { isJsonObject } from '../lib/json.ts';

/** The result of a tool search as text, for providers that would otherwise read nothing. */
export function toolReferenceText(block: unknown): TextBlock | undefined {
  if (!isJsonObject(block) || block.type !== 'tool_reference') return undefined;
  return typeof block.tool_name === 'string' ? { type: 'text', text: block.tool_name } : undefined;
}
