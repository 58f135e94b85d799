import type { z } from 'zod';
import { changeOf } from '../../audit/change.ts';
import type { GatewayError } from '../../kernel/errors.ts';
import type { ConfigurationId } from '../../kernel/ports/configurations.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type AccountCaller, credentialOf } from './access.ts';
import { bySessionOrKey, defineRoute } from './define-route.ts';
import { jsonObjectBody, noBody } from './json-body.ts';
import type { ApiRequest, ApiRoute } from './route.ts';

/** What an account stores and deletes by name, such as aliases. */
interface StoredKind<Stored extends StoredName> {
  /** The plural in messages. */
  readonly noun: string;
  readonly tag: string;
  /** With the parameter `:name`, and `:module` if `module` is undefined. */
  readonly path: string;
  readonly module?: string;
  readonly store: {
    put(id: ConfigurationId, content: JsonObject, shown: PresentedCredential | undefined): Promise<Stored>;
    list(accountId: string): Promise<readonly Stored[]>;
    /** Resolves to false if there is none. */
    delete(id: ConfigurationId): Promise<boolean>;
  };
  describe(stored: Stored): object;
  unknownError(id: ConfigurationId): GatewayError;
  /** The schemas of the body, an object of any structure by default, and of the response. */
  readonly body?: z.ZodType;
  readonly info: z.ZodType;
  readonly put: RouteText;
  readonly delete: RouteText;
}

interface StoredName {
  readonly name: string;
  /** Undefined if all are of one module. */
  readonly module?: string;
}

interface RouteText {
  readonly summary: string;
  /** What a status of these means. */
  readonly errors: Readonly<Record<number, string>>;
}

export const unauthenticated = { 401: { description: 'Missing or invalid credential' } };

const volatileFields: ReadonlySet<string> = new Set([
  'name',
  'module',
  'source',
  'version',
  'updatedAt',
  'updated_at',
]);

/**
 * The routes that store and delete. API keys can't use them: someone with a leaked one must not be able to weaken what
 * protects the account, or to send its calls elsewhere.
 */
export function storingRoutes<Stored extends StoredName>(kind: StoredKind<Stored>): readonly ApiRoute[] {
  const { noun, tag, path, store, body, info } = kind;
  const common = { tag, path, access: bySessionOrKey('settings') } as const;
  const errorsOf = ({ errors }: RouteText) => ({
    ...Object.fromEntries(Object.entries(errors).map(([status, description]) => [status, { description }])),
    ...unauthenticated,
    403: { description: `API keys can read ${noun} only` },
  });
  const idOf = ({ accountId }: AccountCaller, { module = '', name = '' }: ApiRequest['parameters']) => ({
    accountId,
    module: kind.module ?? module,
    name,
  });
  const auditFacts = ({ module, name }: ConfigurationId) => ({ configuration: `${module}:${name}` });
  /** The content, without what differs after each change. */
  const fieldsOf = async ({ accountId, module, name }: ConfigurationId) => {
    const stored = (await store.list(accountId)).find(
      (one) => one.name === name && (one.module ?? module) === module,
    );
    const described = stored === undefined ? {} : kind.describe(stored);
    return Object.fromEntries(Object.entries(described).filter(([field]) => !volatileFields.has(field)));
  };
  return [
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'configuration.stored',
      summary: kind.put.summary,
      body: {
        ...jsonObjectBody,
        ...(body !== undefined && { description: { schema: body, required: true } }),
      },
      responses: {
        200: { description: 'It is in use on all replicas', schema: info },
        ...errorsOf(kind.put),
      },
      async handle({ caller, parameters, body: content }) {
        const id = idOf(caller, parameters);
        const before = await fieldsOf(id);
        const stored = await store.put(id, content, credentialOf(caller));
        return {
          body: kind.describe(stored),
          audit: { ...auditFacts(id), ...changeOf(before, await fieldsOf(id)) },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'configuration.deleted',
      summary: kind.delete.summary,
      body: noBody,
      responses: { 204: { description: 'It is deleted' }, ...errorsOf(kind.delete) },
      async handle({ caller, parameters }) {
        const id = idOf(caller, parameters);
        const before = await fieldsOf(id);
        if (!(await store.delete(id))) throw kind.unknownError(id);
        return { status: 204, audit: { ...auditFacts(id), ...changeOf(before, {}) } };
      },
    }),
  ];
}
