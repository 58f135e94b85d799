import type { Session } from '../../accounts/session-tokens.ts';
import type { AccessName, AccountCaller } from './access.ts';
import type { BodyParser } from './json-body.ts';
import type { ApiRequest, ApiResponse, ApiRoute } from './route.ts';
import { checkQueryNames } from './validation.ts';

/** Who may call a route, and what is known of them then. */
export interface AccessRule<Caller> {
  readonly name: AccessName;
  check(request: ApiRequest): Promise<Caller>;
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
interface AuthorizedRequest<Caller, Body> extends Omit<ApiRequest, 'access' | 'readBody'> {
  readonly caller: Caller;
  readonly body: Body;
}

interface RouteDefinition<Caller, Body> extends Omit<ApiRoute, 'kind' | 'access' | 'body' | 'handle'> {
  readonly access: AccessRule<Caller>;
  readonly body: BodyParser<Body>;
  handle(request: AuthorizedRequest<Caller, Body>): ApiResponse | Promise<ApiResponse>;
}

/** A route whose handler is only called by those who may, with a query and a body as they were declared; refused in that order. */
export function defineRoute<Caller, Body>(route: RouteDefinition<Caller, Body>): ApiRoute {
  const { access, body, handle, ...described } = route;
  return {
    ...described,
    kind: 'own',
    access: access.name,
    ...(body.description !== undefined && { body: body.description }),
    async handle(request) {
      const caller = await access.check(request);
      checkQueryNames(described.query ?? {}, request.query);
      return handle({ ...request, caller, body: await body.parse(request) });
    },
  };
}
