import type { ClientRequest } from '../../kernel/client-request.ts';

/** The part of Codex that made the call: a compaction, or a subagent with its kind: `subagent:review`. */
export function agentOf(clientRequest: ClientRequest): string | undefined {
  const turn = clientRequest.header('x-codex-turn-metadata') ?? '';
  if (/"request_kind"\s*:\s*"compaction"/.test(turn)) return 'compaction';
  const subagent = clientRequest.header('x-openai-subagent');
  return subagent !== undefined && kindPattern.test(subagent) ? `subagent:${subagent}` : undefined;
}

const kindPattern = /^[\w.:-]{1,64}$/;
