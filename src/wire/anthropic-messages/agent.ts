import type { ClientRequest } from '../../kernel/client-request.ts';

/** The part of Claude Code that made the call, with its type if there is one: `subagent:Explore`. */
export function agentOf(clientRequest: ClientRequest): string | undefined {
  const named = clientRequest.header('x-claude-code-request-class');
  const isSubagent = named === undefined && clientRequest.header('x-claude-code-agent-id') !== undefined;
  const requestClass = isSubagent ? 'subagent' : named;
  if (requestClass === undefined || !requestClasses.has(requestClass)) return undefined;
  const type =
    clientRequest.header('x-claude-code-agent-type') ?? clientRequest.header('x-claude-code-auxiliary-type');
  return type !== undefined && typePattern.test(type) ? `${requestClass}:${type}` : requestClass;
}

const requestClasses: ReadonlySet<string> = new Set([
  'main',
  'subagent',
  'workflow',
  'compaction',
  'auxiliary',
  'side_reply',
]);
/** People name their own agents: a name of any other form is left out. */
const typePattern = /^[\w.:-]{1,64}$/;

/** Whether Claude Code says that it replaced earlier turns with a summary. */
export function isCompacted(clientRequest: ClientRequest): boolean {
  const hint = clientRequest.header('x-claude-code-context-compacted');
  return hint !== undefined && hint !== '0' && hint.toLowerCase() !== 'false';
}
