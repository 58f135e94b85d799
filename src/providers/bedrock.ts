import { z } from 'zod';
import type { Departure, Draft, Means } from '../kernel/departure.ts';
import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../kernel/secret.ts';
import { anthropicMessages, bedrockConverse } from '../wire/index.ts';
import { bedrockAcceptance } from './acceptance/bedrock.ts';
import { signedHeaders } from './aws-signature.ts';
import { betasIn, invokedBody, onlyHeaders } from './invoked-claude.ts';
import { filled, JsonKeys, placeFault, placeField, secretField, segment, textField } from './key-form.ts';

const region = z.string().regex(/^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/);
const word = z.string().regex(/^[!-~]{1,4096}$/);

interface BedrockKey {
  readonly region?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
}

const keys = new JsonKeys<BedrockKey>({
  written:
    '{"accessKeyId", "secretAccessKey", "sessionToken"?, "region"}, {"apiKey", "region"}, or an API key alone where the gateway has a region',
  schema: z.union([
    z.strictObject({ apiKey: word, region: region.optional() }),
    z.strictObject({
      accessKeyId: z.string().regex(/^[A-Z0-9]{16,128}$/),
      secretAccessKey: word,
      sessionToken: word.optional(),
      region: region.optional(),
    }),
  ]),
  plain: (apiKey, { places }) => ({ apiKey, region: places?.[0] }),
  fault: ({ region: named }, provider) => placeFault(named ?? provider.places?.[0], 'region', provider),
  // Whoever sees the end of the other half learns nothing.
  shown: ({ apiKey, accessKeyId }) => apiKey ?? accessKeyId ?? '',
  ways: (provider) => {
    const place = placeField({ name: 'region', title: 'Region', example: 'us-east-1' }, provider);
    const id = textField('accessKeyId', 'Access key ID', { required: true, example: 'AKIA…' });
    return [
      { title: 'API key', fields: [secretField('apiKey', 'Key'), place] },
      {
        title: 'Access key',
        fields: [
          id,
          secretField('secretAccessKey', 'Secret access key'),
          secretField('sessionToken', 'Session token', false),
          place,
        ],
      },
    ];
  },
});

/**
 * Models of many makers at Amazon. Claudes are asked in Anthropic's own format, which has all that they can do, and all
 * others by Converse; a profile that a customer made doesn't tell what it is, and is asked by Converse as well.
 */
export const bedrock: Provider = {
  name: 'bedrock',
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
  billsAsAsked: true,
  ownErrors: true,
  keyTest: { path: '/foundation-models' },
  keyForm: keys,
  namedFirst: true,
  authorize: () => [],
  depart,
};

async function depart(draft: Draft, credential: Secret, means: Means): Promise<Departure> {
  const { provider, method } = draft;
  const key = keys.of(credential, provider);
  const { region: named = provider.places?.[0] ?? '' } = key;
  const { service, path, body, accept } = written(draft);
  const baseUrl = filled(provider.baseUrl, { service, region: named });
  const headers = onlyHeaders(draft.headers, (name) => sentHeaders.has(name));
  headers.push('accept', accept, ...(method === 'POST' ? ['content-type', 'application/json'] : []));
  const { apiKey, accessKeyId, secretAccessKey, sessionToken } = key;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    headers.push('authorization', `Bearer ${apiKey}`);
  else {
    const pair = { accessKeyId, secretAccessKey, sessionToken };
    const call = { method, url: baseUrl + path, body, region: named, atMs: means.now() };
    headers.push(...(await signedHeaders(call, pair)));
  }
  const secrets = [apiKey, secretAccessKey, sessionToken].filter((secret) => secret !== undefined);
  return { baseUrl, path, headers, body, secrets };
}

const sentHeaders: ReadonlySet<string> = new Set(['user-agent', 'accept-encoding', 'via']);

interface Written {
  readonly service: 'bedrock' | 'bedrock-runtime';
  readonly path: string;
  readonly body: Uint8Array;
  readonly accept: string;
}

function written({ provider, asks, path, headers, body }: Draft): Written {
  const json = 'application/json';
  if (asks === undefined) return { service: 'bedrock', path, body, accept: json };
  const { wire, model, streamed } = asks;
  const name = segment(model, modelName, provider);
  const accept = streamed ? 'application/vnd.amazon.eventstream' : json;
  if (wire !== anthropicMessages) return { service: 'bedrock-runtime', path, body, accept };
  const betas = betasIn(headers);
  const more = betas.length > 0 ? { anthropic_beta: betas } : {};
  return {
    service: 'bedrock-runtime',
    path: `/model/${name}/${streamed ? 'invoke-with-response-stream' : 'invoke'}`,
    body: invokedBody(body, 'bedrock-2023-05-31', more),
    accept,
  };
}

/** Ids of models and of profiles, and full names of profiles and of models that customers made. */
const modelName =
  /^(?:[a-z0-9][a-z0-9.:_-]*|arn:aws[a-z-]{0,12}:(?:bedrock|sagemaker):[a-z0-9-]+:\d{0,12}:[a-z-]+\/[\w.:/-]+)$/i;
