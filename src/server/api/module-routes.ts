import { type Caller, scopeOf } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { parseInput } from '../../kernel/input-validation.ts';
import type { ModuleRoute } from '../../kernel/module-route.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { StandardSchema } from '../../kernel/standard-schema.ts';
import type { AccountCaller } from './access.ts';
import {
  type AccessRule,
  byKey,
  byPerson,
  bySession,
  bySessionOrKey,
  defineRoute,
  describeCaller,
} from './define-route.ts';
import { describeSchema } from './describe-schema.ts';
import { type BodyParser, noBody, schemaBody, textBody } from './json-body.ts';
import type { ApiRoute, ResponseDescription } from './route.ts';
import { queryValues } from './validation.ts';

interface RouteCaller {
  readonly caller: AccountCaller;
  readonly scope: string;
  readonly accountId: string | undefined;
}

/** Serves and documents the route of a module. */
export function moduleApiRoute(module: string, route: ModuleRoute, rateLimiter: RateLimiter): ApiRoute {
  const { method, path, summary, tag = module, query = {}, bodyBytesMax, responses } = route;
  return defineRoute({
    ...(method === 'GET' ? { method } : { method, audit: route.audit ?? 'module.changed' }),
    path,
    summary,
    tag,
    access: accessRule(module, route, rateLimiter),
    query: mapValues(query, describeSchema),
    body: bodyParser(route),
    ...(bodyBytesMax !== undefined && { bodyBytesMax }),
    responses: mapValues(responses, describeResponse),
    async handle({ caller: { scope, accountId }, parameters, query: sent, body }) {
      const values = await parseQueryValues(query, sent);
      const response = await route.handle({ scope, accountId, parameters, query: values, body });
      return { ...response, audit: { module, route: `${method} ${path}` } };
    },
  });
}

function bodyParser({ body, isTextBody }: ModuleRoute): BodyParser<unknown> {
  if (body === undefined) return noBody;
  return isTextBody ? textBody(body) : schemaBody(body);
}

const { describe: _, identify: __, ...withSession } = bySession('content');

/** What modules store is learned from contents. */
const accessRules: Readonly<Record<ModuleRoute['access'], AccessRule<AccountCaller>>> = {
  session: {
    ...withSession,
    check: async (request) => ({ kind: 'session', ...(await withSession.check(request)) }),
  },
  sessionOrKey: bySessionOrKey('content'),
  person: byPerson('content'),
  key: byKey('content'),
};

/** Counts the request before its body is read. */
function accessRule(
  module: string,
  { access, rateLimit }: ModuleRoute,
  rateLimiter: RateLimiter,
): AccessRule<RouteCaller> {
  const { name, rightFor, check } = accessRules[access];
  return {
    name,
    ...(rightFor !== undefined && { rightFor }),
    describe: ({ caller }) => describeCaller(caller),
    async check(request) {
      const caller = routeCaller(await check(request));
      if (rateLimit === undefined) return caller;
      const { most, seconds, message } = rateLimit;
      const counter = `module ${module} ${rateLimit.name} ${caller.scope}`;
      const retryAfterSeconds = await rateLimiter.count(counter, { most, seconds });
      if (retryAfterSeconds > 0) throw new GatewayError('too_many_attempts', message, { retryAfterSeconds });
      return caller;
    },
  };
}

function routeCaller(caller: AccountCaller): RouteCaller {
  if (caller.kind === 'local') return { caller, scope: scopeOf({ kind: 'local' }), accountId: undefined };
  const { accountId } = caller;
  const account: Caller = { kind: 'account', accountId, keyId: '' };
  return { caller, scope: scopeOf(account), accountId };
}

/** Parses in the order of the declaration, so that errors name the same field every time. */
async function parseQueryValues(
  query: Readonly<Record<string, StandardSchema<unknown>>>,
  sent: string,
): Promise<Readonly<Record<string, unknown>>> {
  const values = queryValues(query, sent);
  const parsed: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(query)) {
    const value = await parseInput(atField(name, schema), values[name]);
    if (value !== undefined) parsed[name] = value;
  }
  return parsed;
}

/** Issues of a single value, named after its field. */
function atField(name: string, schema: StandardSchema<unknown>): StandardSchema<unknown> {
  const { '~standard': standard } = schema;
  const validate = async (value: unknown) => {
    const result = await standard.validate(value);
    if (result.issues === undefined) return result;
    return { issues: result.issues.map((issue) => ({ ...issue, path: [name, ...(issue.path ?? [])] })) };
  };
  return { '~standard': { ...standard, validate } };
}

function describeResponse({
  description,
  schema,
  contentType,
}: ModuleRoute['responses'][number]): ResponseDescription {
  return {
    description,
    ...(schema !== undefined && { schema: describeSchema(schema) }),
    ...(contentType !== undefined && { contentType }),
  };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
