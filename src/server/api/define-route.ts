import { isRight, type Resource, type Right, rightOf } from '../../accounts/rights.ts';
import type { Session } from '../../accounts/session-tokens.ts';
import type { AuditFacts } from '../../audit/facts.ts';
import type { WebSocketConnection } from '../../http/websocket.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { headerValuesOf } from '../../lib/headers.ts';
import { type AccessName, type AccountCaller, requireRightOf } from './access.ts';
import type { BodyParser } from './json-body.ts';
import {
  type ProjectScope,
  type ProjectSource,
  projectScope,
  requireRightIn,
  requireRightSomewhere,
} from './project-access.ts';
import type {
  ApiRequest,
  ApiResponse,
  ApiRoute,
  AuditedMethod,
  ProjectPlace,
  RouteDescription,
  WebSocketRoute,
} from './route.ts';
import { checkQueryNames } from './validation.ts';

/** Checks access to a route and resolves to the caller. */
export interface AccessRule<Caller> {
  readonly name: AccessName;
  /** The right that the caller needs in their account; undefined if it is public or the operator's. */
  rightFor?(method: string): Right;
  check(request: ApiRequest): Promise<Caller>;
  /** Where a request has the project in which a role is enough; undefined if only roles in the account count. */
  readonly project?: ProjectPlace;
  /** The same without the right; for routes that find it in a project. */
  identify?(request: ApiRequest): Promise<Caller>;
  /** The caller in the audit log. */
  describe?(caller: Caller): AuditFacts;
}

/** Public, with a rate limit per address that is checked before the body is read. */
export function byAddress(countRequest: (remoteAddress: string) => Promise<void>): AccessRule<void> {
  return { name: 'public', check: ({ remoteAddress }) => countRequest(remoteAddress) };
}

/** A session with the right to read the resource, or to write it if the method isn't GET. */
export function bySession(needed: Resource | Right): AccessRule<Session> {
  return withRight(needed, {
    name: 'session',
    check: ({ access, ...request }) => access.session(request),
    describe: describeSession,
  });
}

/** Also a program with an API key, and the user of a local gateway. */
export function bySessionOrKey(needed: Resource | Right): AccessRule<AccountCaller> {
  return withRight(needed, {
    name: 'sessionOrKey',
    check: ({ access, ...request }) => access.sessionOrKey(request),
    describe: describeCaller,
  });
}

/** A person: a session, or the user of a local gateway. Programs with an API key may not. */
export function byPerson(needed: Resource | Right): AccessRule<AccountCaller> {
  return withRight(needed, {
    name: 'session',
    async check({ access, ...request }) {
      const caller = await access.sessionOrKey(request);
      if (caller.kind !== 'key') return caller;
      throw new GatewayError(
        'authentication_required',
        'API keys are not accepted here: send a session token from POST /v1/users/login as "authorization: Bearer <token>"',
        { refused: describeCaller(caller) },
      );
    },
    describe: describeCaller,
  });
}

/** A program with an API key. */
export function byKey(needed: Resource | Right): AccessRule<AccountCaller> {
  return withRight(needed, {
    name: 'key',
    check: ({ access, ...request }) => access.key(request),
    describe: describeCaller,
  });
}

function withRight<Caller extends Session | AccountCaller>(
  needed: Resource | Right,
  rule: AccessRule<Caller>,
): AccessRule<Caller> {
  const rightFor = (method: string) => (isRight(needed) ? needed : rightOf(method, needed));
  return {
    ...rule,
    rightFor,
    identify: rule.check,
    async check(request) {
      const caller = await rule.check(request);
      try {
        requireRightOf(caller, rightFor(request.method));
      } catch (error) {
        throw withCaller(error, rule.describe?.(caller));
      }
      return caller;
    },
  };
}

/** Also who has the right in the project that the request is about. */
export function inProject<Caller extends Session | AccountCaller>(
  rule: AccessRule<Caller>,
  source: ProjectSource,
): AccessRule<Caller & ProjectScope> {
  const scoped = withScope(rule, (request, caller, right) => projectScope(request, caller, right, source));
  return { ...scoped, project: source.isFilter === true ? 'query' : 'path' };
}

/** Also who has the right in any project: the handler checks the one that the body names. */
export function inNamedProject<Caller extends Session | AccountCaller>(
  rule: AccessRule<Caller>,
): AccessRule<Caller & ChosenProject> {
  const scoped = withScope(rule, async (request, caller, right) => {
    await requireRightSomewhere(request, caller, right);
    return {
      requireRightIn: (projectId: string | null) => requireRightIn(request, caller, right, projectId),
    };
  });
  return { ...scoped, project: rule.project ?? 'body' };
}

interface ChosenProject {
  /** Rejects without the right in the account or in this project; null for outside of projects. */
  requireRightIn(projectId: string | null): Promise<void>;
}

function withScope<Caller extends Session | AccountCaller, Scope>(
  { identify, rightFor, ...rule }: AccessRule<Caller>,
  find: (request: ApiRequest, caller: Caller, right: Right) => Promise<Scope>,
): AccessRule<Caller & Scope> {
  if (identify === undefined || rightFor === undefined) throw new Error('a rule with a right is needed');
  const check = async (request: ApiRequest) => {
    const caller = await identify(request);
    try {
      return { ...caller, ...(await find(request, caller, rightFor(request.method))) };
    } catch (error) {
      throw withCaller(error, rule.describe?.(caller));
    }
  };
  return { ...rule, rightFor, identify: check, check };
}

/** Whoever runs the gateway. */
export const byOperator: AccessRule<void> = {
  name: 'operator',
  check: ({ access, ...request }) => access.operator(request),
  describe: () => ({ actor: 'operator' }),
};

function describeSession({ accountId: account, identityId, isService }: Session): AuditFacts {
  return { account, actor: `${isService ? 'service' : 'user'}:${identityId}` };
}

export function describeCaller(caller: AccountCaller): AuditFacts {
  if (caller.kind === 'session') return describeSession(caller);
  return { account: caller.accountId, actor: caller.kind === 'key' ? `key:${caller.keyId}` : 'local' };
}

interface AuthorizedRequest<Caller, Body>
  extends Omit<ApiRequest, 'access' | 'announceChange' | 'readBody' | 'streamBody'> {
  readonly caller: Caller;
  readonly body: Body;
}

/** Names the caller in a refusal, for the audit log. */
function withCaller(error: unknown, refused: AuditFacts | undefined): unknown {
  if (!GatewayError.is(error) || refused === undefined || ![401, 403].includes(error.status)) return error;
  return new GatewayError(error.code, error.message, { ...error.details, refused });
}

type RouteDefinition<Caller, Body> = RouteOf<Caller, Body> & AuditedMethod;

interface RouteOf<Caller, Body>
  extends Omit<RouteDescription, 'kind' | 'access' | 'right' | 'body' | 'handle'> {
  readonly access: AccessRule<Caller>;
  readonly body: BodyParser<Body>;
  handle(request: AuthorizedRequest<Caller, Body>): ApiResponse | Promise<ApiResponse>;
}

/** A route that checks access, query names and body, in this order, before it calls its handler. */
export function defineRoute<Caller, Body>(route: RouteDefinition<Caller, Body>): ApiRoute {
  const { access, body, handle, ...described } = route;
  return {
    ...described,
    kind: 'own',
    access: access.name,
    right: access.rightFor?.(described.method),
    ...(access.project !== undefined && { project: access.project }),
    ...(body.description !== undefined && { body: body.description }),
    async handle(request) {
      const caller = await access.check(request);
      if (described.hasForeignQuery !== true) checkQueryNames(described.query ?? {}, request.query);
      const facts = access.describe?.(caller);
      try {
        const parsed = await body.parse(request);
        await request.announceChange({ ...facts });
        const answer = await handle({ ...request, caller, body: parsed });
        return answer.audit === 'none' ? answer : { ...answer, audit: { ...facts, ...answer.audit } };
      } catch (error) {
        throw withCaller(error, facts);
      }
    },
  };
}

interface WebSocketDefinition<Caller>
  extends Omit<WebSocketRoute, 'kind' | 'method' | 'access' | 'right' | 'accept'> {
  readonly access: AccessRule<Caller>;
  /** The subprotocols that the route speaks, the preferred one first. */
  readonly protocols?: readonly string[];
  serve(webSocket: WebSocketConnection, request: WebSocketRequest<Caller>): Promise<void>;
}

interface WebSocketRequest<Caller> extends Pick<ApiRequest, 'id' | 'headers' | 'query' | 'parameters'> {
  readonly caller: Caller;
  /** The subprotocol; undefined if client and route have none in common. */
  readonly protocol: string | undefined;
}

/** A route for WebSockets that checks access before it upgrades a connection. */
export function defineWebSocket<Caller extends { readonly accountId: string }>(
  route: WebSocketDefinition<Caller>,
): WebSocketRoute {
  const { access, protocols = [], serve, ...described } = route;
  return {
    ...described,
    kind: 'websocket',
    method: 'GET',
    access: access.name,
    right: access.rightFor?.('GET'),
    async accept(request) {
      const caller = await access.check(request);
      const offered = offeredProtocols(request.headers);
      const protocol = protocols.find((name) => offered.includes(name));
      const { id, headers, query, parameters } = request;
      return {
        accountId: caller.accountId,
        protocol,
        serve: (webSocket) => serve(webSocket, { id, headers, query, parameters, caller, protocol }),
      };
    },
  };
}

function offeredProtocols(headers: ApiRequest['headers']): readonly string[] {
  return headerValuesOf(headers, 'sec-websocket-protocol').flatMap((list) =>
    list.split(',').map((name) => name.trim()),
  );
}
