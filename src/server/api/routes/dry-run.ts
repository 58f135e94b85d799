import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { CallerIdentity } from '../../../calls/caller-authenticator.ts';
import type { DryRunResult, DryRuns } from '../../../calls/dry-run/dry-runs.ts';
import type { CallRecordings } from '../../../calls/recordings/call-recordings.ts';
import { ClientRequest } from '../../../kernel/client-request.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { LazyJsonObject } from '../../../kernel/json/lazy-json-object.ts';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import { formatUsd, type NanoUsd } from '../../../kernel/money.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { isRequestId } from '../../../kernel/request-id.ts';
import { effects } from '../../../kernel/trace.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { gemini, wireByName } from '../../../wire/index.ts';
import { limits } from '../../limits.ts';
import { type AccountCaller, requireRightOf } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { wireOf } from './route.ts';

const body = {
  pipeline: z
    .string()
    .max(kernelLimits.pipelineTextMax, `must have at most ${kernelLimits.pipelineTextMax} characters`)
    .optional()
    .describe('The list to try, as if a key had it; by default the gateway’s own'),
  request: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The body of an inference call, in any format'),
  recording: z.string().optional().describe('The id of a recorded call, in place of `request`'),
};

const side = z.object({
  target: z.string().describe('The provider and the model'),
  request: z.looseObject({}).describe('In the canonical form, the same for all formats'),
  input_tokens: z.int().nullable().describe('Estimated; null if no provider has the model'),
  input_usd: z
    .string()
    .nullable()
    .describe('Without what a provider’s prompt cache saves; null without a price'),
  output_usd_max: z.string().nullable().describe('The cost of the longest answer that `max_tokens` allows'),
});

const result = z.object({
  pipeline: z.string().describe('What would run, with the protective modules of the gateway'),
  outcome: z
    .enum(['sent', 'answered', 'rejected'])
    .describe('Whether a provider would get the call, a module would answer it, or it would be rejected'),
  error: z.object({ status: z.int(), code: z.string(), message: z.string() }).nullable(),
  before: side.describe('What the client sends'),
  after: side.nullable().describe('What the provider would get; null if nothing is sent'),
  modules: z.array(
    z.object({
      name: z.string(),
      effect: z
        .enum([...effects, 'left-out', 'not-reached'])
        .describe(
          '`left-out`: a module that is not built in, whose effect can’t be known without running it',
        ),
      notes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      saved_usd: z.string(),
    }),
  ),
  headers: z.record(z.string(), z.string()).describe('Response headers that modules set'),
});

interface DryRunRouteParts {
  readonly dryRuns: DryRuns;
  readonly recordings: Pick<CallRecordings, 'find'>;
  readonly rateLimiter: RateLimiter;
}

/** Tries a pipeline on a request without sending it. */
export function dryRunRoutes({ dryRuns, recordings, rateLimiter }: DryRunRouteParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/pipeline/dry-run',
      summary: 'Show what a pipeline would do with a request, without sending it or leaving a trace',
      tag: 'Inference',
      access: bySessionOrKey('calls:read'),
      body: jsonBody(body),
      bodyBytesMax: limits.explainedBodyBytesMax,
      responses: {
        200: { description: 'What would happen', schema: result },
        400: { description: 'The pipeline or the request is invalid' },
        401: { description: 'Missing or invalid credential' },
        403: { description: 'API keys can’t read recordings' },
        404: { description: 'There is no such recording' },
        429: { description: `More than ${limits.dryRuns.most} dry runs in a minute` },
      },
      async handle({ id, caller, body: { pipeline, request, recording } }) {
        await countAttempt(rateLimiter, `dry runs ${caller.accountId}`, limits.dryRuns);
        if ((request === undefined) === (recording === undefined))
          throw new GatewayError('invalid_request', 'request: send either "request" or "recording"', {
            param: 'request',
          });
        const clientRequest =
          request === undefined
            ? await findRecorded(recordings, caller, recording ?? '')
            : typedRequest(request);
        return { body: describe(await dryRuns.run(id, clientRequest, identityOf(caller, pipeline))) };
      },
    }),
  ];
}

function identityOf(caller: AccountCaller, pipeline: string | undefined): CallerIdentity {
  const { accountId } = caller;
  return {
    caller:
      caller.kind === 'local'
        ? { kind: 'local' }
        : { kind: 'account', accountId, keyId: caller.kind === 'key' ? caller.keyId : '' },
    accountId,
    pipelineConfig: pipeline ?? null,
    key: undefined,
    access: caller.kind === 'key' ? caller.access : undefined,
    session: undefined,
  };
}

function typedRequest(request: JsonObject): ClientRequest {
  const wire = wireOf(request, []);
  return new ClientRequest({
    wire,
    fields: LazyJsonObject.of(Buffer.from(JSON.stringify(request))),
    headers: [],
    query: '',
    path: wire === gemini ? `/v1beta/models/${String(request.model)}:generateContent` : '',
  });
}

async function findRecorded(
  recordings: DryRunRouteParts['recordings'],
  caller: AccountCaller,
  id: string,
): Promise<ClientRequest> {
  if (caller.kind === 'key')
    throw new GatewayError('forbidden', 'an API key can’t read recordings; use a session token');
  requireRightOf(caller, 'content:read');
  const found = isRequestId(id) ? await recordings.find(caller.accountId, id) : undefined;
  if (found === undefined)
    throw new GatewayError('not_found', 'no such recording; GET /v1/recordings lists the recorded calls');
  const wire = wireByName(found.wire);
  const { request } = found;
  if (wire === undefined || found.redaction === 'withheld' || request.storedBytes < request.bytes)
    throw new GatewayError(
      'invalid_request',
      'recording: the request of this call was not recorded in full',
      {
        param: 'recording',
      },
    );
  const [path = '', query] = found.path.split('?', 2);
  return new ClientRequest({
    wire,
    fields: LazyJsonObject.of(Buffer.from(request.body)),
    headers: request.headers,
    query: query === undefined ? '' : `?${query}`,
    path,
  });
}

function describe({ pipeline, outcome, error, before, after, steps, headers }: DryRunResult) {
  return {
    pipeline,
    outcome,
    error: error === undefined ? null : { status: error.status, code: error.code, message: error.message },
    before: describeSide(before),
    after: after === undefined ? null : describeSide(after),
    modules: steps.map(({ module, effect, attributes, savedNanoUsd }) => ({
      name: module,
      effect,
      notes: attributes,
      saved_usd: formatUsd(savedNanoUsd),
    })),
    headers: Object.fromEntries(
      headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])),
    ),
  };
}

function describeSide({
  target,
  request,
  inputTokens,
  inputNanoUsd,
  outputNanoUsdMax,
}: DryRunResult['before']) {
  return {
    target,
    request: { ...request },
    input_tokens: inputTokens ?? null,
    input_usd: usdOrNull(inputNanoUsd),
    output_usd_max: usdOrNull(outputNanoUsdMax),
  };
}

function usdOrNull(nano: NanoUsd | undefined): string | null {
  return nano === undefined ? null : formatUsd(nano);
}
