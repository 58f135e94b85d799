import { z } from 'zod';
import type { Provider } from '../kernel/provider.ts';
import type { OutboundRequest, SignedRequest } from '../kernel/signing.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import type { Secret } from '../lib/secret.ts';
import { openaiForm } from '../wire/endpoints/embedding-forms.ts';
import { openaiChat, openaiResponses, openaiResponsesCompact } from '../wire/index.ts';
import { openaiAcceptance, openaiFallbackAcceptance } from './acceptance/openai.ts';
import {
  fillUrlTemplate,
  findLocationFault,
  JsonKeyForm,
  locationField,
  modelPathSegment,
  secretField,
  textField,
} from './json-key-form.ts';
import { wiresForOpenai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** A subdomain of Microsoft's domain: it must not contain characters that change the host. */
const resource = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
const printableText = z.string().regex(/^[!-~]{1,8000}$/);
const apiVersion = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:-preview)?$/)
  .optional();

interface AzureKey {
  readonly resource?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly key?: string | undefined;
  /** A Microsoft Entra ID token, valid for about an hour. */
  readonly token?: string | undefined;
}

const azureKeyForm = new JsonKeyForm<AzureKey>({
  description: '{"resource", "key"} or {"resource", "token"}, with "apiVersion" for the versioned endpoints',
  schema: z.union([
    z.strictObject({ resource: resource.optional(), key: printableText, apiVersion }),
    z.strictObject({ resource: resource.optional(), token: printableText, apiVersion }),
  ]),
  parsePlainKey: (text, { locations }) => ({
    ...(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text) ? { token: text } : { key: text }),
    resource: locations?.[0],
  }),
  findFault: ({ resource: named }, provider) =>
    findLocationFault(named ?? provider.locations?.[0], 'resource', provider),
  hintSource: ({ key, token }) => key ?? token ?? '',
  variants: (provider) => {
    const resourceField = locationField(
      { name: 'resource', title: 'Resource', example: 'my-resource' },
      provider,
    );
    const version = textField('apiVersion', 'API version', { required: false, example: 'none: the newest' });
    return [
      { title: 'API key', fields: [resourceField, secretField('key', 'Key'), version] },
      { title: 'Entra ID', fields: [resourceField, secretField('token', 'Access token'), version] },
    ];
  },
});

/**
 * OpenAI's models on Azure, named by the customer's deployments. Without an API version, requests go to the unversioned
 * endpoints (https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle).
 */
export const azure: Provider = {
  ...openaiCompatible({
    name: 'azure',
    telemetryName: 'azure.ai.openai',
    title: 'Azure OpenAI',
    baseUrl: 'https://{resource}.openai.azure.com/openai',
    // A deployment can have any name; all models accept `max_completion_tokens`.
    accepts: [...openaiAcceptance, openaiFallbackAcceptance].map((rule) => ({
      ...rule,
      outputLimitField: 'max_completion_tokens',
    })),
    streamUsage: 'asked',
    // https://learn.microsoft.com/azure/foundry/openai/how-to/websockets
    callSockets: 'sequential',
    wires: [openaiChat, openaiResponses, openaiResponsesCompact],
    wiresFor: wiresForOpenai,
    keyPrefixes: ['{'],
    priceId: 'openai',
    endpoints: {
      embeddings: '/embeddings',
      files: '/files',
      batches: '/batches',
      images: '/images/generations',
      image_edits: '/images/edits',
      transcriptions: '/audio/transcriptions',
      speech: '/audio/speech',
      realtime: '/realtime',
    },
    endpointForms: { embeddings: openaiForm },
  }),
  sites: /^https:\/\/[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\.openai\.azure\.com\/openai$/,
  keyForm: azureKeyForm,
  requiresProviderPrefix: true,
  hasCustomerModelNames: true,
  sign: signAzureRequest,
};

const responsesFormats: readonly ProviderFormat[] = [openaiResponses, openaiResponsesCompact];

function signAzureRequest(outboundRequest: OutboundRequest, credential: Secret): SignedRequest {
  const { provider, headers, body } = outboundRequest;
  const parts = azureKeyForm.partsOf(credential, provider);
  const { key = '', token, resource: named = provider.locations?.[0] ?? '' } = parts;
  headers.push(...(token === undefined ? ['api-key', key] : ['authorization', `Bearer ${token}`]));
  return {
    baseUrl: fillUrlTemplate(provider.baseUrl, { resource: named }),
    path: pathOf(outboundRequest, parts.apiVersion ?? provider.apiVersion),
    headers,
    body,
    secrets: [token ?? key],
  };
}

/** Unversioned endpoints read the deployment from `model`; versioned ones have it in the path, except for Responses. */
function pathOf({ provider, modelCall, path }: OutboundRequest, version: string | undefined): string {
  // Drops the client's query: the client must not choose the version.
  const [bare = '', query = ''] = path.split('?');
  const deployment =
    modelCall === undefined ? '' : modelPathSegment(modelCall.model, /^\w[\w.-]{0,63}$/, provider);
  if (modelCall?.wire.name === 'realtime') return realtimePath(bare, { version, deployment, query });
  if (version === undefined) return `/v1${bare}`;
  const isInPath = modelCall !== undefined && !responsesFormats.includes(modelCall.wire);
  const prefix = isInPath ? `/deployments/${deployment}` : '';
  return `${prefix}${bare}?api-version=${version}`;
}

/** Released sessions name the deployment as the model, those of preview versions in a field of its own. */
function realtimePath(
  bare: string,
  { version, deployment, query }: { version: string | undefined; deployment: string; query: string },
): string {
  if (version !== undefined) return `${bare}?api-version=${version}&deployment=${deployment}`;
  const isTranscription = new URLSearchParams(query).get('intent') === 'transcription';
  return `/v1${bare}?${isTranscription ? 'intent=transcription' : `model=${deployment}`}`;
}
