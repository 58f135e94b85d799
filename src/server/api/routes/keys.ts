import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import type { HeaderList } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { ApiKey } from '../../../kernel/ports/records.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

export interface KeysParts {
  readonly keys: AccountApiKeys;
  /** What this instance would say to such a pipeline; undefined where it can run it. */
  warningsFor(pipelineConfig: string): readonly string[];
}

const name = textSchema({ max: limits.keyNameCharactersMax });
const pipelineConfig = textSchema({ max: limits.pipelineTextMax }).describe('Module names in order');

const keyFields = {
  id: z.uuid(),
  prefix: z.string().describe('The first 12 characters of the key'),
  name: z.string(),
  pipelineConfig: z.string().nullable(),
  createdAt: z.iso.datetime(),
};
const createdInfo = z.strictObject({ ...keyFields, key: z.string().describe('The key, told this once') });
const listInfo = z.strictObject({
  keys: z.array(
    z.strictObject({
      ...keyFields,
      lastUsedAt: z.iso.datetime().nullable(),
      revokedAt: z.iso.datetime().nullable(),
    }),
  ),
});
const changedInfo = z.strictObject({ ok: z.literal(true), key: z.strictObject(keyFields) });

const unauthenticated = { 401: { description: 'No session token that holds; API keys are none' } };
const unknown = { 404: { description: 'The account has no such key in use' } };
const badBody = { 400: { description: 'The body is wrong' } };
const headers = { 'x-weir-warnings': 'What this instance could not run of the pipeline' };

/** API keys, managed by whoever is logged in. */
export function keyRoutes({ keys, warningsFor }: KeysParts): readonly ApiRoute[] {
  const tag = 'Keys';
  const warned = (config: string | null | undefined) => warningHeadersFor(config, warningsFor);
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/keys',
      summary: 'Make an API key',
      tag,
      access: bySession,
      body: jsonBody({ name: name.optional(), pipelineConfig: pipelineConfig.optional() }),
      responses: {
        201: { description: 'The key', schema: createdInfo, headers },
        409: { description: `The account has ${limits.activeKeysMax} active keys` },
        ...badBody,
        ...unauthenticated,
      },
      async handle({ caller, body }) {
        const chosen = { name: body.name ?? '', pipelineConfig: body.pipelineConfig ?? null };
        const { key, token } = await keys.create(caller.accountId, chosen, {
          kind: 'session',
          id: caller.tokenId,
        });
        const { id, ...rest } = describeApiKey(key);
        return {
          status: 201,
          headers: warned(key.pipelineConfig),
          body: { id, key: token, ...rest },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/keys',
      summary: 'All keys of the account, revoked ones too',
      tag,
      access: bySession,
      body: noBody,
      responses: { 200: { description: 'The keys, newest first', schema: listInfo }, ...unauthenticated },
      async handle({ caller }) {
        const listed = await keys.list(caller.accountId);
        return { body: { keys: listed.map((key) => ({ ...describeApiKey(key), ...keyHistoryOf(key) })) } };
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/keys/:id',
      summary: 'Change the name or the pipeline of a key',
      tag,
      access: bySession,
      body: jsonBody({
        name: name.optional(),
        pipelineConfig: pipelineConfig.nullable().optional().describe('null clears it'),
      }),
      responses: {
        200: { description: 'The key as it is now, everywhere', schema: changedInfo, headers },
        ...badBody,
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const key = await keys.change(caller.accountId, id, definedFields(body));
        return { headers: warned(body.pipelineConfig), body: { ok: true, key: describeApiKey(key) } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/keys/:id',
      summary: 'Revoke a key',
      tag,
      access: bySession,
      body: noBody,
      responses: {
        204: { description: 'The key does not work any more, anywhere' },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        await keys.revoke(caller.accountId, id);
        return { status: 204 };
      },
    }),
  ];
}

function describeApiKey({ id, prefix, name, pipelineConfig, createdAtMs }: ApiKey) {
  return { id, prefix, name, pipelineConfig, createdAt: timestamp(createdAtMs) };
}

function keyHistoryOf({ lastUsedAtMs, revokedAtMs }: ApiKey) {
  const when = (ms: number | null) => (ms === null ? null : timestamp(ms));
  return { lastUsedAt: when(lastUsedAtMs), revokedAt: when(revokedAtMs) };
}

/** Without the fields that were not sent, which stay as they are. */
function definedFields(body: { name?: string | undefined; pipelineConfig?: string | null | undefined }) {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.pipelineConfig !== undefined && { pipelineConfig: body.pipelineConfig }),
  };
}

/** A list may be for another instance, so that it is stored all the same. */
function warningHeadersFor(
  config: string | null | undefined,
  warningsFor: KeysParts['warningsFor'],
): HeaderList {
  const warnings = typeof config === 'string' ? warningsFor(config) : [];
  if (warnings.length === 0) return [];
  return [
    'x-weir-warnings',
    warnings
      .join('; ')
      .replace(/[^ -~]/g, '?')
      .slice(0, limits.warningCharactersMax),
  ];
}
