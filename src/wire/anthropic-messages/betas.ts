import type { HeaderList } from '../../kernel/headers.ts';
import type { ChatRequest } from '../../kernel/message.ts';

const name = 'anthropic-beta';
/** https://platform.claude.com/docs/en/build-with-claude/context-editing */
const contextManagement = 'context-management-2025-06-27';

/** With the beta that a field of the request belongs to, beside those that the client asks for. */
export function headersFor({ context_management }: ChatRequest, headers: HeaderList): string[] {
  if (context_management === undefined) return [...headers];
  const at = headers.findIndex((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  const before = at < 0 ? '' : (headers[at + 1] ?? '');
  if (before.includes(contextManagement)) return [...headers];
  if (at < 0) return [...headers, name, contextManagement];
  return headers.with(at + 1, `${before},${contextManagement}`);
}
