import type { Session } from '../../accounts/session-tokens.ts';
import type { AccessName, AccountCaller } from './access.ts';
import { checkQueryNames } from './checked.ts';
import type { BodyRule } from './json-body.ts';
import type { OwnAnswer, OwnRequest, OwnRoute } from './route.ts';

/** Who may call a route, and what is known of them then. */
export interface AccessRule<Caller> {
  readonly name: AccessName;
  check(request: OwnRequest): Promise<Caller>;
}

/** Anyone whom `count` lets; it is asked before the body is read, so that who comes too often costs next to nothing. */
export function byAddress(count: (remoteAddress: string) => Promise<void>): AccessRule<void> {
  return { name: 'public', check: ({ remoteAddress }) => count(remoteAddress) };
}

export const bySession: AccessRule<Session> = {
  name: 'session',
  check: ({ access, ...asked }) => access.session(asked),
};
export const bySessionOrKey: AccessRule<AccountCaller> = {
  name: 'sessionOrKey',
  check: ({ access, ...asked }) => access.sessionOrKey(asked),
};

export const byKey: AccessRule<AccountCaller> = {
  name: 'key',
  check: ({ access, ...asked }) => access.key(asked),
};

/** A request that has passed the checks. */
interface CheckedRequest<Caller, Body> extends Omit<OwnRequest, 'access' | 'readBody'> {
  readonly caller: Caller;
  readonly body: Body;
}

interface CheckedRoute<Caller, Body> extends Omit<OwnRoute, 'kind' | 'access' | 'body' | 'handle'> {
  readonly access: AccessRule<Caller>;
  readonly body: BodyRule<Body>;
  handle(request: CheckedRequest<Caller, Body>): OwnAnswer | Promise<OwnAnswer>;
}

/** A route whose handler is only called by those who may, with a query and a body as they were declared; refused in that order. */
export function checkedRoute<Caller, Body>(route: CheckedRoute<Caller, Body>): OwnRoute {
  const { access, body, handle, ...described } = route;
  return {
    ...described,
    kind: 'own',
    access: access.name,
    ...(body.described !== undefined && { body: body.described }),
    async handle(request) {
      const caller = await access.check(request);
      checkQueryNames(described.query ?? {}, request.query);
      return handle({ ...request, caller, body: await body.read(request) });
    },
  };
}
