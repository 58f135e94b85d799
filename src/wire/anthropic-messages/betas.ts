import type { ChatRequest } from '../../kernel/message.ts';
import type { HeaderList } from '../../lib/headers.ts';

const betaHeader = 'anthropic-beta';
/** https://platform.claude.com/docs/en/build-with-claude/context-editing */
const contextManagementBeta = 'context-management-2025-06-27';

/** Adds the beta that a request field requires to the client's betas. */
export function withRequiredBetas({ context_management }: ChatRequest, headers: HeaderList): string[] {
  if (context_management === undefined) return [...headers];
  const at = headers.findIndex((header, index) => index % 2 === 0 && header.toLowerCase() === betaHeader);
  const before = at < 0 ? '' : (headers[at + 1] ?? '');
  if (before.includes(contextManagementBeta)) return [...headers];
  if (at < 0) return [...headers, betaHeader, contextManagementBeta];
  return headers.with(at + 1, `${before},${contextManagementBeta}`);
}
