import { z } from 'zod';
import { changeOf } from '../../../audit/change.ts';
import type { CallerAuthenticator } from '../../../calls/caller-authenticator.ts';
import { localAccountId } from '../../../calls/local-setting.ts';
import type { GatewayPipeline, PipelineSelector } from '../../../calls/pipeline-selector.ts';
import { limits } from '../../../kernel/limits.ts';
import type { Stage } from '../../../kernel/stage.ts';
import { joinedHeaderOf } from '../../../lib/headers.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { checkQueryNames, parseQuery } from '../validation.ts';

const active = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    status: z.enum(['production', 'preview']),
    purpose: z.string(),
    options: z.record(z.string(), z.unknown()),
  }),
);
const activePipeline = z.object({
  source: z
    .enum(['header', 'key', 'environment', 'stored', 'default'])
    .describe('Where the pipeline was set; `stored` is the pipeline that a local gateway has stored'),
  pipelineConfig: z.string().nullable(),
  configured: z.array(z.string()).describe('The modules in WEIR_PIPELINE'),
  active,
  override: z.string().nullable().describe('The value of the x-weir-pipeline header'),
  note: z.string(),
  errors: z
    .array(z.string())
    .optional()
    .describe("Errors in the key's or the stored pipeline; calls with it are rejected"),
});

const checkQuery = {
  list: z
    .string()
    .max(limits.pipelineTextMax, `must have at most ${limits.pipelineTextMax} characters`)
    .optional()
    .describe('Module names in order, with their options; the gateway’s own pipeline by default'),
};
const checkedPipeline = z.object({
  faults: z.array(z.string()).describe('The errors in the pipeline; empty if it is valid'),
  active: active.describe(
    'What a key with this pipeline would run, including protective modules of the environment',
  ),
});

const gatewayPipeline = z.object({
  source: z
    .enum(['environment', 'stored', 'default'])
    .describe('Whether WEIR_PIPELINE sets it, the user of a local gateway has stored it, or neither'),
  pipeline: z.string(),
  faults: z.array(z.string()).describe('Errors in a stored pipeline; calls are rejected'),
  modules: z.array(
    z.object({
      name: z.string(),
      options: z.record(z.string(), z.unknown()),
      since: z.iso.datetime().nullable().describe('Since when WEIR_PIPELINE or the stored pipeline has it'),
    }),
  ),
  can_be_stored: z.boolean().describe('Whether PUT can change it: in local mode without WEIR_PIPELINE'),
  stored: z
    .object({ pipeline: z.string(), updated_at: z.iso.datetime() })
    .nullable()
    .describe('What is stored, even if WEIR_PIPELINE is used instead'),
});

const gatewayPath = '/v1/pipeline/gateway';
const writeErrors = {
  401: { description: 'Missing or invalid credential' },
  403: { description: 'Not in cloud mode' },
  409: { description: 'WEIR_PIPELINE sets the pipeline' },
};

interface PipelineRouteParts {
  readonly callerAuthenticator: CallerAuthenticator;
  readonly pipelines: PipelineSelector;
  /** Prepares modules that may be used soon. */
  warmUp(stages: readonly Stage[]): void;
  readonly version: string;
}

/** Shows and checks pipelines without calling a provider, and stores that of a local gateway. */
export function pipelineRoutes({
  callerAuthenticator,
  pipelines: choice,
  warmUp,
  version,
}: PipelineRouteParts): readonly ApiRoute[] {
  const settingsOf = (override: string | undefined) => ({
    configured: choice.configured,
    override: override ?? null,
    note: 'Set x-weir-pipeline on a request to run other modules; "none" runs none. Protective modules always run.',
  });
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/pipeline',
      summary: 'Get the modules that a call with these headers would run',
      tag: 'Inference',
      responses: {
        200: { description: 'The active pipeline', schema: activePipeline },
        400: { description: 'The x-weir-pipeline header or a query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ headers, query, remoteAddress }) {
        const identity = await callerAuthenticator.identifyCurrent(headers, remoteAddress);
        const { pipelineConfig } = identity;
        checkQueryNames({}, query);
        const override = joinedHeaderOf(headers, 'x-weir-pipeline');
        const errors =
          pipelineConfig === null ? [] : await choice.validate(pipelineConfig, identity.accountId);
        if (errors.length > 0)
          return { body: { ...settingsOf(override), source: 'key', pipelineConfig, active: [], errors } };
        const own = await choice.describeGateway();
        if (identity.accountId === localAccountId && own.faults.length > 0) {
          const { source, text, faults } = own;
          return {
            body: { ...settingsOf(override), source, pipelineConfig: text, active: [], errors: faults },
          };
        }
        const { source, text, pipeline } = await choice.choose(override, identity);
        const active = pipeline.stages.map((stage) => describeStage(stage, version));
        return { body: { ...settingsOf(override), source, pipelineConfig: text, active } };
      },
    },
    defineRoute({
      method: 'GET',
      path: '/v1/pipeline/check',
      summary: 'Check a pipeline',
      tag: 'Inference',
      access: bySessionOrKey('settings'),
      query: checkQuery,
      body: noBody,
      responses: {
        200: { description: 'The result of the check', schema: checkedPipeline },
        400: { description: 'A query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller: { accountId }, query }) {
        const { list = null } = parseQuery(checkQuery, query);
        const faults = list === null ? [] : await choice.validate(list, accountId);
        const owner = { accountId, pipelineConfig: list, key: undefined };
        const stages = faults.length === 0 ? (await choice.choose(undefined, owner)).pipeline.stages : [];
        return { body: { faults, active: stages.map((stage) => describeStage(stage, version)) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: gatewayPath,
      summary: "Get the gateway's own pipeline, for calls whose request and key set none",
      tag: 'Inference',
      access: bySessionOrKey('settings'),
      body: noBody,
      responses: {
        200: { description: 'The pipeline', schema: gatewayPipeline },
        401: { description: 'Missing or invalid credential' },
      },
      handle: async () => ({ body: describeGateway(await choice.describeGateway(), choice.canStore) }),
    }),
    defineRoute({
      method: 'PUT',
      audit: 'pipeline.stored',
      path: gatewayPath,
      summary: 'Store the pipeline of a local gateway; it holds from the next call on',
      tag: 'Inference',
      access: bySessionOrKey('settings'),
      body: jsonBody({
        pipeline: z
          .string()
          .max(limits.pipelineTextMax, `must have at most ${limits.pipelineTextMax} characters`)
          .describe('Module names in order, with their options; `none` for no modules'),
      }),
      responses: {
        200: { description: 'It is in use', schema: gatewayPipeline },
        400: { description: 'The pipeline is invalid; the message has all faults' },
        ...writeErrors,
      },
      async handle({ body: { pipeline } }) {
        const before = await choice.describeGateway();
        await choice.store(pipeline);
        const own = await choice.describeGateway();
        warmUp(own.pipeline?.stages ?? []);
        return {
          body: describeGateway(own, choice.canStore),
          audit: changeOf({ pipeline: before.text }, { pipeline: own.text }),
        };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'pipeline.deleted',
      path: gatewayPath,
      summary: 'Delete the stored pipeline of a local gateway, so that the default holds',
      tag: 'Inference',
      access: bySessionOrKey('settings'),
      body: noBody,
      responses: { 204: { description: 'The default pipeline is in use' }, ...writeErrors },
      async handle() {
        const before = await choice.describeGateway();
        await choice.store(undefined);
        const { text } = await choice.describeGateway();
        return { status: 204, audit: changeOf({ pipeline: before.text }, { pipeline: text }) };
      },
    }),
  ];
}

function describeGateway(
  { source, text, faults, pipeline, stored, sinceMs }: GatewayPipeline,
  canStore: boolean,
) {
  return {
    source,
    pipeline: text,
    faults,
    modules: (pipeline?.stages ?? []).map(({ module: { name }, options }) => ({
      name,
      options: options ?? {},
      since: timestampOrNull(sinceMs?.[name]),
    })),
    can_be_stored: canStore,
    stored:
      stored === undefined ? null : { pipeline: stored.text, updated_at: timestamp(stored.updatedAtMs) },
  };
}

function timestampOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : timestamp(ms);
}

function describeStage({ module, options }: Stage, version: string) {
  return {
    name: module.name,
    version: module.version ?? version,
    status: module.status,
    purpose: module.summary,
    options: options ?? {},
  };
}
