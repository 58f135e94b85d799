import { z } from 'zod';
import type { Provider } from '../kernel/provider.ts';
import type { OutboundRequest, SignedRequest, SigningContext } from '../kernel/signing.ts';
import type { Secret } from '../lib/secret.ts';
import { anthropicMessages, bedrockConverse } from '../wire/index.ts';
import { bedrockAcceptance } from './acceptance/bedrock.ts';
import { signHeaders } from './aws-signature.ts';
import { pickHeaders, supportedBetas, toCloudMessagesBody } from './cloud-claude.ts';
import {
  fillUrlTemplate,
  findLocationFault,
  JsonKeyForm,
  locationField,
  modelPathSegment,
  secretField,
  textField,
} from './json-key-form.ts';

const region = z.string().regex(/^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/);
const printableText = z.string().regex(/^[!-~]{1,4096}$/);

interface BedrockKey {
  readonly region?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
}

const bedrockKeyForm = new JsonKeyForm<BedrockKey>({
  description:
    '{"accessKeyId", "secretAccessKey", "sessionToken"?, "region"}, {"apiKey", "region"}, or only an API key if the gateway has a default region',
  schema: z.union([
    z.strictObject({ apiKey: printableText, region: region.optional() }),
    z.strictObject({
      accessKeyId: z.string().regex(/^[A-Z0-9]{16,128}$/),
      secretAccessKey: printableText,
      sessionToken: printableText.optional(),
      region: region.optional(),
    }),
  ]),
  parsePlainKey: (apiKey, { locations }) => ({ apiKey, region: locations?.[0] }),
  findFault: ({ region: named }, provider) =>
    findLocationFault(named ?? provider.locations?.[0], 'region', provider),
  // The end of the access key ID reveals nothing about the secret key.
  hintSource: ({ apiKey, accessKeyId }) => apiKey ?? accessKeyId ?? '',
  variants: (provider) => {
    const regionField = locationField({ name: 'region', title: 'Region', example: 'us-east-1' }, provider);
    const id = textField('accessKeyId', 'Access key ID', { required: true, example: 'AKIA…' });
    return [
      { title: 'API key', fields: [secretField('apiKey', 'Key'), regionField] },
      {
        title: 'Access key',
        fields: [
          id,
          secretField('secretAccessKey', 'Secret access key'),
          secretField('sessionToken', 'Session token', false),
          regionField,
        ],
      },
    ];
  },
});

/**
 * Models of many makers at Amazon. Claude models are called in Anthropic's format, which covers all their features, all
 * others through Converse. A customer's profile name doesn't reveal its model, so it is called through Converse too.
 */
export const bedrock: Provider = {
  name: 'bedrock',
  telemetryName: 'aws.bedrock',
  title: 'Amazon Bedrock',
  baseUrl: 'https://{service}.{region}.amazonaws.com',
  sites: /^https:\/\/bedrock(?:-runtime)?\.[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}\.amazonaws\.com$/,
  accepts: bedrockAcceptance,
  wires: [bedrockConverse],
  wiresFor: (model) => (/claude/.test(model) ? [anthropicMessages] : undefined),
  keyPrefixes: ['ABSK', 'bedrock-api-key-', '{'],
  modelPrefixes: [],
  keyless: false,
  priceId: 'aws',
  billsRequestedModel: true,
  hasOwnErrorFormat: true,
  keyTest: { path: '/foundation-models' },
  keyForm: bedrockKeyForm,
  regionOf: ({ provider, model }, credential) =>
    profileRegion.exec(model)?.[1] ?? regionOf(bedrockKeyForm.partsOf(credential, provider), provider),
  requiresProviderPrefix: true,
  authorize: () => [],
  sign: signBedrockRequest,
};

/** An inference profile, which answers in any region of a part of the world. */
const profileRegion = /^(global|us-gov|us|eu|apac|jp|au|ca)\./;

function regionOf({ region: named }: BedrockKey, { locations }: Provider): string {
  return named ?? locations?.[0] ?? '';
}

async function signBedrockRequest(
  outboundRequest: OutboundRequest,
  credential: Secret,
  signingContext: SigningContext,
): Promise<SignedRequest> {
  const { provider, method } = outboundRequest;
  const key = bedrockKeyForm.partsOf(credential, provider);
  const named = regionOf(key, provider);
  const { service, path, body, accept } = buildBedrockRequest(outboundRequest);
  const baseUrl = fillUrlTemplate(provider.baseUrl, { service, region: named });
  const headers = pickHeaders(outboundRequest.headers, (name) => forwardedHeaderNames.has(name));
  headers.push('accept', accept, ...(method === 'POST' ? ['content-type', 'application/json'] : []));
  const { apiKey, accessKeyId, secretAccessKey, sessionToken } = key;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    headers.push('authorization', `Bearer ${apiKey}`);
  else {
    const pair = { accessKeyId, secretAccessKey, sessionToken };
    const call = { method, url: baseUrl + path, body, region: named, atMs: signingContext.now() };
    headers.push(...(await signHeaders(call, pair)));
  }
  const secrets = [apiKey, secretAccessKey, sessionToken].filter((secret) => secret !== undefined);
  return { baseUrl, path, headers, body, secrets };
}

const forwardedHeaderNames: ReadonlySet<string> = new Set(['user-agent', 'accept-encoding', 'via']);

interface BedrockRequest {
  readonly service: 'bedrock' | 'bedrock-runtime';
  readonly path: string;
  readonly body: Uint8Array;
  readonly accept: string;
}

function buildBedrockRequest({ provider, modelCall, path, headers, body }: OutboundRequest): BedrockRequest {
  const json = 'application/json';
  if (modelCall === undefined) return { service: 'bedrock', path, body, accept: json };
  const { wire, model, streamed } = modelCall;
  const name = modelPathSegment(model, modelNamePattern, provider);
  const accept = streamed ? 'application/vnd.amazon.eventstream' : json;
  if (wire !== anthropicMessages) return { service: 'bedrock-runtime', path, body, accept };
  const betas = supportedBetas(headers);
  const extraFields = betas.length > 0 ? { anthropic_beta: betas } : {};
  return {
    service: 'bedrock-runtime',
    path: `/model/${name}/${streamed ? 'invoke-with-response-stream' : 'invoke'}`,
    body: toCloudMessagesBody(body, 'bedrock-2023-05-31', extraFields),
    accept,
  };
}

/** Ids of models and profiles, and ARNs of profiles and custom models. */
const modelNamePattern =
  /^(?:[a-z0-9][a-z0-9.:_-]*|arn:aws[a-z-]{0,12}:(?:bedrock|sagemaker):[a-z0-9-]+:\d{0,12}:[a-z-]+\/[\w.:/-]+)$/i;
