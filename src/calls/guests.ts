import type { Caller } from '../kernel/caller.ts';
import { sandboxBudgetHolder } from '../kernel/ports/budget.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { type AnonymousSessions, invalidToken } from '../sandbox/anonymous-sessions.ts';
import type { FindGuest } from './caller-authenticator.ts';

/** Anonymous callers, who may make calls in one wire format only. */
export function createGuestFinder(sessions: AnonymousSessions, only: WireFormat): FindGuest {
  return async (token, wire) => {
    const session = await sessions.find(token);
    if (session === undefined) return undefined;
    if (wire !== only) throw invalidToken('the token of an anonymous session is for POST /v1/messages alone');
    sessions.checkOpen(session);
    const caller: Caller = { kind: 'sandbox', sessionRef: session.sessionRef };
    const { accountId } = sandboxBudgetHolder;
    return { caller, accountId, pipelineConfig: null, key: undefined, session };
  };
}
