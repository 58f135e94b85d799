import { z } from 'zod';
import type { Admission } from '../../../calls/admission.ts';
import type { CallerAuthenticator } from '../../../calls/caller-authenticator.ts';
import { ClientRequest } from '../../../kernel/client-request.ts';
import { LazyJsonObject } from '../../../kernel/json/lazy-json-object.ts';
import { parseBody } from '../../../kernel/json/parse-body.ts';
import type { WireFormat } from '../../../kernel/wire-format.ts';
import { type HeaderList, headerOf } from '../../../lib/headers.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  anthropicMessages,
  gemini,
  geminiInteractions,
  openaiChat,
  openaiResponses,
} from '../../../wire/index.ts';
import { limits } from '../../limits.ts';
import type { ApiRequest, ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';

const query = {
  model: z.string().optional().describe('The model, if the body has none'),
};

const candidate = z.object({
  target: z.string(),
  position: z.number().nullable().describe('When it would be called; null if it is excluded'),
  reason: z.string().nullable(),
  excluded: z.string().nullable().describe('Why it can’t take the call'),
  region: z.string().nullable().describe('The region that would answer, if known'),
  abilities_from: z
    .object({ source: z.string().nullable(), checked_on: z.iso.date() })
    .nullable()
    .describe('The page that says what the model can do, and when it was last compared'),
  expected_usd: z.string().nullable(),
  input_tokens: z.number(),
  warm: z.boolean().describe('Whether its provider has the conversation in its prompt cache'),
  weight: z.number(),
  health: z.object({
    breaker: z.enum(['closed', 'open', 'half-open']),
    error_rate: z.number(),
    first_content_ms: z.number().nullable(),
    rests_until: z.iso.datetime().nullable(),
  }),
});

const explanation = z.object({
  target: z.string().nullable().describe('The target that would be called first; null if there is none'),
  reason: z.string().nullable(),
  strategy: z.string(),
  sticky: z.boolean(),
  needs: z.array(z.string()).describe('The abilities that the call needs'),
  candidates: z.array(candidate),
});

/** Explains a decision of the router without calling anybody. */
export function routeRoutes(
  callerAuthenticator: CallerAuthenticator,
  admission: Pick<Admission, 'explainRoute'>,
): readonly ApiRoute[] {
  const shared = {
    kind: 'own',
    path: '/v1/route',
    tag: 'Inference',
    query,
    body: { required: false, schema: z.looseObject({}).describe('The body of an inference call') },
    bodyBytesMax: limits.explainedBodyBytesMax,
    responses: {
      200: { description: 'The candidates, in the order in which they would be called', schema: explanation },
      400: { description: 'The body, the x-weir-pipeline header or a query parameter is invalid' },
      401: { description: 'Missing or invalid credential' },
    },
    async handle(request: ApiRequest) {
      const { id, headers, remoteAddress } = request;
      const identity = await callerAuthenticator.identifyCurrent(headers, remoteAddress);
      const clientRequest = await readCall(request);
      return { body: await admission.explainRoute(id, clientRequest, identity) };
    },
  } as const;
  const summary = 'Explain where a call would go';
  return [
    { ...shared, method: 'GET', summary },
    {
      ...shared,
      method: 'POST',
      audit: 'none',
      summary: `${summary}, for clients that send no body with GET`,
    },
  ];
}

async function readCall({ headers, query: text, readBody }: ApiRequest): Promise<ClientRequest> {
  const { model } = parseQuery(query, text);
  const bytes = await readBody();
  const body = bytes.byteLength === 0 ? { messages: [{ role: 'user', content: '' }] } : parseBody(bytes);
  const named: JsonObject = model === undefined ? body : { ...body, model };
  const wire = wireOf(named, headers);
  return new ClientRequest({
    wire,
    fields: LazyJsonObject.of(Buffer.from(JSON.stringify(named))),
    headers,
    query: '',
    path: wire === gemini ? `/v1beta/models/${String(named.model)}:generateContent` : '',
  });
}

/** Formats have fields of their own, except for Messages and Chat Completions, which differ in the client's headers. */
export function wireOf(body: JsonObject, headers: HeaderList): WireFormat {
  if ('contents' in body) return gemini;
  if ('messages' in body)
    return headerOf(headers, 'anthropic-version') !== undefined || 'system' in body
      ? anthropicMessages
      : openaiChat;
  if (!('input' in body)) return openaiChat;
  return 'generation_config' in body || 'system_instruction' in body ? geminiInteractions : openaiResponses;
}
