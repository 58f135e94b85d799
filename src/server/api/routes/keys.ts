import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import { changeOf } from '../../../audit/change.ts';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import type { ApiKey } from '../../../kernel/ports/records.ts';
import type { HeaderList } from '../../../lib/headers.ts';
import { limits } from '../../limits.ts';
import { credentialOf } from '../access.ts';
import { bySession, defineRoute, inNamedProject, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { namedProject, projectOfKey, projectQuery } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

export interface KeysParts {
  readonly keys: AccountApiKeys;
  /** Warnings about a pipeline that this instance cannot run. */
  warningsFor(pipelineConfig: string, accountId: string): Promise<readonly string[]>;
}

const name = textSchema({ max: limits.keyNameCharactersMax });
const pipelineConfig = textSchema({ max: kernelLimits.pipelineTextMax }).describe('Module names in order');

const projectId = z
  .uuid('must be the id of a project')
  .optional()
  .describe('The project of the key; omitted for a key of the organization itself');
const keyFields = {
  id: z.uuid(),
  prefix: z.string().describe('The first 12 characters of the key'),
  name: z.string(),
  pipelineConfig: z.string().nullable(),
  createdAt: z.iso.datetime(),
  projectId,
};
const createdInfo = z.strictObject({ ...keyFields, key: z.string().describe('The key, shown only once') });
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

const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const unknown = { 404: { description: 'The account has no such active key' } };
const badBody = { 400: { description: 'The body is invalid' } };
const headers = { 'x-weir-warnings': 'The parts of the pipeline that this instance cannot run' };

/** API keys of the signed-in account. */
export function keyRoutes({ keys, warningsFor }: KeysParts): readonly ApiRoute[] {
  const tag = 'Keys';
  const warned = async (config: string | null | undefined, accountId: string) =>
    typeof config === 'string' ? warningHeaders(await warningsFor(config, accountId)) : [];
  return [
    defineRoute({
      method: 'POST',
      audit: 'key.created',
      path: '/v1/keys',
      summary: 'Create an API key',
      tag,
      access: inNamedProject(bySession('keys')),
      body: jsonBody({ name: name.optional(), pipelineConfig: pipelineConfig.optional(), projectId }),
      responses: {
        201: { description: 'The key', schema: createdInfo, headers },
        404: { description: 'The organization has no such project' },
        409: {
          description: `The account outside of projects, or the project, has ${accountsLimits.activeKeysMax} active keys; or the project is archived`,
        },
        ...badBody,
        ...unauthenticated,
      },
      async handle({ caller, body }) {
        const chosen = {
          name: body.name ?? '',
          pipelineConfig: body.pipelineConfig ?? null,
          ...(body.projectId !== undefined && { projectId: body.projectId }),
        };
        await caller.requireRightIn(body.projectId ?? null);
        const shown = credentialOf({ kind: 'session', ...caller });
        const { key, token } = await keys.create(caller.accountId, chosen, shown);
        const { id, ...rest } = describeApiKey(key);
        return {
          status: 201,
          headers: await warned(key.pipelineConfig, caller.accountId),
          body: { id, key: token, ...rest },
          audit: { key: id, after: chosen },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/keys',
      summary: 'List all keys of the account, including revoked ones',
      tag,
      access: inProject(bySession('keys'), namedProject),
      query: { project: projectQuery.describe('The id of a project: its keys only') },
      body: noBody,
      responses: { 200: { description: 'The keys, newest first', schema: listInfo }, ...unauthenticated },
      async handle({ caller }) {
        const listed = await keys.list(caller.accountId, caller.projectId);
        return { body: { keys: listed.map((key) => ({ ...describeApiKey(key), ...keyHistoryOf(key) })) } };
      },
    }),
    defineRoute({
      method: 'PATCH',
      audit: 'key.changed',
      path: '/v1/keys/:id',
      summary: 'Change the name or the pipeline of a key',
      tag,
      access: inProject(bySession('keys'), projectOfKey(keys)),
      body: jsonBody({
        name: name.optional(),
        pipelineConfig: pipelineConfig.nullable().optional().describe('null clears it'),
      }),
      responses: {
        200: { description: 'The changed key, effective on all replicas', schema: changedInfo, headers },
        ...badBody,
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const changes = definedFields(body);
        const before = await keys.find(caller.accountId, id);
        const key = await keys.change(caller.accountId, id, changes);
        const headers = await warned(body.pipelineConfig, caller.accountId);
        return {
          headers,
          body: { ok: true, key: describeApiKey(key) },
          audit: { key: id, ...changeOf(settingsOf(before), settingsOf(key)) },
        };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'key.revoked',
      path: '/v1/keys/:id',
      summary: 'Revoke a key',
      tag,
      access: inProject(bySession('keys'), projectOfKey(keys)),
      body: noBody,
      responses: {
        204: { description: 'The key no longer works on any replica' },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        await keys.revoke(caller.accountId, id);
        return { status: 204, audit: { key: id } };
      },
    }),
  ];
}

/** What can be changed here. */
function settingsOf({ name, pipelineConfig }: ApiKey) {
  return { name, pipelineConfig };
}

function describeApiKey({ id, prefix, name, pipelineConfig, createdAtMs, projectId: project }: ApiKey) {
  const inProject = project === null ? {} : { projectId: project };
  return { id, prefix, name, pipelineConfig, createdAt: timestamp(createdAtMs), ...inProject };
}

function keyHistoryOf({ lastUsedAtMs, revokedAtMs }: ApiKey) {
  const when = (ms: number | null) => (ms === null ? null : timestamp(ms));
  return { lastUsedAt: when(lastUsedAtMs), revokedAt: when(revokedAtMs) };
}

/** Omitted fields stay unchanged. */
function definedFields(body: { name?: string | undefined; pipelineConfig?: string | null | undefined }) {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.pipelineConfig !== undefined && { pipelineConfig: body.pipelineConfig }),
  };
}

/** A pipeline may be meant for another instance, so it is stored despite warnings. */
function warningHeaders(warnings: readonly string[]): HeaderList {
  if (warnings.length === 0) return [];
  return [
    'x-weir-warnings',
    warnings
      .join('; ')
      .replace(/[^ -~]/g, '?')
      .slice(0, limits.warningCharactersMax),
  ];
}
