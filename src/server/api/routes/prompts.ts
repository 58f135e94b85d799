import { z } from 'zod';
import { limits as callsLimits } from '../../../calls/limits.ts';
import type { AccountPrompts } from '../../../calls/prompts/account-prompts.ts';
import { promptFields } from '../../../calls/prompts/prompt-content.ts';
import {
  latestLabel,
  readFieldSelector,
  readSelector,
  readVariables,
} from '../../../calls/prompts/prompt-reference.ts';
import { renderPrompt } from '../../../calls/prompts/render-prompt.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { PromptId } from '../../../kernel/ports/prompts.ts';
import { formatPromptVersion } from '../../../kernel/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { limits } from '../../limits.ts';
import { credentialOf } from '../access.ts';
import { unauthenticated } from '../configuration-routes.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody, jsonObjectBody, noBody } from '../json-body.ts';
import type { ApiRequest, ApiRoute } from '../route.ts';
import { parseWithSchema } from '../validation.ts';
import {
  describeListed,
  describePrompt,
  describeRendered,
  describeVersion,
  promptInfo,
  promptListInfo,
  renderedInfo,
  versionExtras,
  versionInfo,
} from './prompt-schema.ts';

const common = { tag: 'Prompts', access: bySessionOrKey('settings') } as const;
const promptPath = '/v1/prompts/:name';
const versionPath = `${promptPath}/versions/:version`;
const labelPath = `${promptPath}/labels/:label`;
const extras = z.object(versionExtras);
const newPrompt = z.strictObject({
  name: z.string().describe('Letters, digits and .-_'),
  ...promptFields,
  ...versionExtras,
});
const newVersion = z.strictObject({ ...promptFields, ...versionExtras });
const notFound = { 404: { description: 'There is no such prompt, version or label' } };
const sessionOnly = { 403: { description: 'API keys can read and render prompts only' } };

/** Named, versioned templates of calls. Like aliases, API keys can't change them. */
export function promptRoutes(prompts: AccountPrompts): readonly ApiRoute[] {
  const describeStored = async (accountId: string, name: string, version: number) => {
    const { labels } = await prompts.get({ accountId, name });
    return describeVersion(await prompts.getVersion({ accountId, name }, version), labels);
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/prompts',
      summary: 'List the prompts of the account',
      body: noBody,
      responses: { 200: { description: 'The prompts by name', schema: promptListInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: { prompts: (await prompts.list(caller.accountId)).map(describeListed) },
      }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'prompt.stored',
      path: '/v1/prompts',
      summary: 'Create a prompt with its first version',
      body: { ...jsonObjectBody, description: { schema: newPrompt, required: true } },
      bodyBytesMax: limits.promptBodyBytesMax,
      responses: {
        201: { description: 'It is in use on all replicas', schema: versionInfo },
        400: { description: 'The prompt is invalid; the message has all faults' },
        409: { description: 'There is a prompt of this name, or the account has too many' },
        ...unauthenticated,
        ...sessionOnly,
      },
      async handle({ caller, body: { name: sent, ...body } }) {
        const accountId = caller.accountId;
        const { name } = parseWithSchema(z.object({ name: z.string() }), { name: sent });
        const version = await prompts.add({ accountId, name }, readNewVersion(body), {
          isFirst: true,
          shown: credentialOf(caller),
        });
        return {
          status: 201,
          body: await describeStored(accountId, name, version),
          audit: { prompt: formatPromptVersion({ name, version }) },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: promptPath,
      summary: 'List the versions and labels of a prompt',
      body: noBody,
      responses: { 200: { description: 'The prompt', schema: promptInfo }, ...unauthenticated, ...notFound },
      handle: async ({ caller, parameters }) => ({
        body: describePrompt(await prompts.get(idOf(caller.accountId, parameters))),
      }),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'prompt.deleted',
      path: promptPath,
      summary: 'Delete a prompt with all versions; calls that name it are rejected',
      body: noBody,
      responses: { 204: { description: 'It is deleted' }, ...unauthenticated, ...sessionOnly, ...notFound },
      async handle({ caller, parameters }) {
        const id = idOf(caller.accountId, parameters);
        await prompts.delete(id);
        return { status: 204, audit: { prompt: id.name } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'prompt.stored',
      path: `${promptPath}/versions`,
      summary: 'Store a new version of a prompt',
      body: { ...jsonObjectBody, description: { schema: newVersion, required: true } },
      bodyBytesMax: limits.promptBodyBytesMax,
      responses: {
        201: { description: 'It is in use on all replicas', schema: versionInfo },
        400: { description: 'The version is invalid; the message has all faults' },
        409: { description: 'The account has too many versions' },
        ...unauthenticated,
        ...sessionOnly,
        ...notFound,
      },
      async handle({ caller, parameters, body }) {
        const id = idOf(caller.accountId, parameters);
        const shown = credentialOf(caller);
        const version = await prompts.add(id, readNewVersion(body), { isFirst: false, shown });
        return {
          status: 201,
          body: await describeStored(id.accountId, id.name, version),
          audit: { prompt: formatPromptVersion({ name: id.name, version }) },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: versionPath,
      summary: 'Get a version of a prompt, by its number or a label',
      body: noBody,
      responses: {
        200: { description: 'The version', schema: versionInfo },
        400: { description: 'The version is no number and no label' },
        ...unauthenticated,
        ...notFound,
      },
      async handle({ caller, parameters }) {
        const id = idOf(caller.accountId, parameters);
        const stored = await prompts.getVersion(id, readSelector(parameters.version ?? '', 'version'));
        return { body: describeVersion(stored, (await prompts.get(id)).labels) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'prompt.deleted',
      path: versionPath,
      summary: 'Delete an old version without labels',
      body: noBody,
      responses: {
        204: { description: 'It is deleted' },
        400: { description: 'The version is no number' },
        409: { description: 'It is the newest version, or has a label' },
        ...unauthenticated,
        ...sessionOnly,
        ...notFound,
      },
      async handle({ caller, parameters }) {
        const id = idOf(caller.accountId, parameters);
        const version = readSelector(parameters.version ?? '', 'version');
        if (typeof version !== 'number')
          throw new GatewayError('invalid_request', 'version: must be a number such as 3', {
            param: 'version',
          });
        await prompts.deleteVersion(id, version);
        const prompt = formatPromptVersion({ name: id.name, version });
        return { status: 204, audit: { prompt } };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'prompt.label_moved',
      path: labelPath,
      summary: 'Move a label to a version, or add it; to roll back, move it to an earlier version',
      body: jsonBody({ version: z.int().min(1, 'must be 1 or more') }),
      responses: {
        200: { description: 'Calls with the label get the version, on all replicas', schema: promptInfo },
        400: { description: 'The label is invalid' },
        409: { description: 'The prompt has too many labels' },
        ...unauthenticated,
        ...sessionOnly,
        ...notFound,
      },
      async handle({ caller, parameters, body: { version } }) {
        const id = idOf(caller.accountId, parameters);
        const { label = '' } = parameters;
        await prompts.setLabel(id, { label, version }, credentialOf(caller));
        const prompt = formatPromptVersion({ name: id.name, version });
        return {
          body: describePrompt(await prompts.get(id)),
          audit: { prompt, label },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'prompt.label_deleted',
      path: labelPath,
      summary: 'Delete a label; calls that name it are rejected',
      body: noBody,
      responses: { 204: { description: 'It is deleted' }, ...unauthenticated, ...sessionOnly, ...notFound },
      async handle({ caller, parameters }) {
        const id = idOf(caller.accountId, parameters);
        const { label = '' } = parameters;
        await prompts.deleteLabel(id, label);
        return { status: 204, audit: { prompt: id.name, label } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: `${promptPath}/render`,
      access: bySessionOrKey('settings:read'),
      summary: 'Show what a call with these variables would begin with, without making it',
      body: jsonBody({
        variables: z.record(z.string(), z.unknown()).optional().describe('Texts by name'),
        label: z.string().optional().describe('`latest` by default'),
        version: z.int().min(1, 'must be 1 or more').optional().describe('In place of a label'),
      }),
      bodyBytesMax: limits.explainedBodyBytesMax,
      responses: {
        200: { description: 'The texts with values in place of variables', schema: renderedInfo },
        400: { description: 'Variables are missing or unknown; the message names all of them' },
        413: {
          description: `The texts would have more than ${callsLimits.promptRenderedCharactersMax} characters`,
        },
        ...unauthenticated,
        ...notFound,
      },
      async handle({ caller, parameters, body: { variables, label, version: number } }) {
        const { accountId } = caller;
        const selector = readFieldSelector(label, number, '') ?? latestLabel;
        const version = await prompts.versionOf(accountId);
        const found = await prompts.find(idOf(accountId, parameters), selector, version);
        const rendered = renderPrompt(found.version, found.prompt, readVariables(variables, 'variables'));
        return { body: describeRendered(found.version, rendered) };
      },
    }),
  ];
}

function idOf(accountId: string, { name = '' }: ApiRequest['parameters']): PromptId {
  return { accountId, name };
}

function readNewVersion({ note: sentNote, labels: sentLabels, ...content }: JsonObject) {
  const { note, labels = [] } = parseWithSchema(extras, { note: sentNote, labels: sentLabels });
  return { content, note: note ?? null, labels: [...new Set(labels)] };
}
