import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import type { Provider } from '../kernel/provider.ts';
import type { OutboundRequest, SignedRequest, SigningContext } from '../kernel/signing.ts';
import type { Secret } from '../lib/secret.ts';
import { anthropicMessages, gemini } from '../wire/index.ts';
import { vertexAcceptance } from './acceptance/vertex.ts';
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

/** Both contain only letters, digits and hyphens: they become parts of a host name and a path. */
const region = z.string().regex(/^(?:global|us|eu|[a-z]{2,20}-[a-z]{2,20}\d{1,2})$/);
const project = z.string().regex(/^(?:[a-z][a-z0-9.-]{0,60}:)?[a-z][a-z0-9-]{3,60}[a-z0-9]$/);

/** Drops the other fields of a service account file; its token endpoint is ignored. */
const serviceAccount = z.object({
  type: z.literal('service_account'),
  project_id: project,
  private_key_id: z
    .string()
    .regex(/^[\w-]{1,100}$/)
    .optional(),
  private_key: z.string().refine(isRsaKey),
  client_email: z.string().regex(/^[\w.+-]{1,100}@[\w.-]{1,150}$/),
  region: region.optional(),
});
const accessToken = z.strictObject({
  token: z.string().regex(/^[!-~]{1,4096}$/),
  project_id: project,
  region: region.optional(),
});

type VertexKey = z.infer<typeof serviceAccount> | z.infer<typeof accessToken>;

const vertexKeyForm = new JsonKeyForm<VertexKey>({
  description:
    'the JSON of a service account, with "region" added if it differs from the gateway\'s default, or {"token", "project_id", "region"?}',
  schema: z.union([serviceAccount, accessToken]),
  findFault: ({ region: named }, provider) =>
    findLocationFault(regionOf(named, provider), 'region', provider),
  // Both identify the account without revealing part of the secret.
  hintSource: (key) => ('token' in key ? key.token : (key.private_key_id ?? key.client_email)),
  variants: (provider) => {
    const defaultRegion = regionOf(undefined, provider);
    const regionField = locationField(
      { name: 'region', title: 'Region', example: defaultRegion },
      provider,
      defaultRegion,
    );
    const file = {
      name: '',
      title: 'Its JSON file',
      kind: 'object',
      required: true,
      example: '{"type": "service_account", …}',
    } as const;
    const owner = textField('project_id', 'Project', { required: true, example: 'my-project' });
    return [
      { title: 'Service account', fields: [file, regionField] },
      { title: 'Access token', fields: [secretField('token', 'Token'), owner, regionField] },
    ];
  },
});

/** The global location, unless the key or the operator sets another. */
function regionOf(named: string | undefined, { locations }: Provider): string {
  return named ?? locations?.[0] ?? 'global';
}

/** Gemini, and Claude in Anthropic's format, on Google Cloud, billed to a project. */
export const vertex: Provider = {
  name: 'vertex',
  telemetryName: 'gcp.vertex_ai',
  title: 'Google Vertex AI',
  baseUrl: 'https://{host}',
  sites:
    /^https:\/\/(?:[a-z]{2,20}-[a-z]{2,20}\d{1,2}-aiplatform|aiplatform(?:\.(?:us|eu)\.rep)?)\.googleapis\.com$/,
  accepts: vertexAcceptance,
  wires: [gemini],
  wiresFor: (model) => (/claude/.test(model) ? [anthropicMessages] : undefined),
  keyPrefixes: ['{'],
  modelPrefixes: [],
  keyless: false,
  priceId: 'google',
  hasOwnErrorFormat: true,
  keyTest: { path: '' },
  keyForm: vertexKeyForm,
  regionOf: ({ provider }, credential) =>
    regionOf(vertexKeyForm.partsOf(credential, provider).region, provider),
  requiresProviderPrefix: true,
  authorize: () => [],
  sign: signVertexRequest,
};

async function signVertexRequest(
  outboundRequest: OutboundRequest,
  credential: Secret,
  signingContext: SigningContext,
): Promise<SignedRequest> {
  const { provider } = outboundRequest;
  const { headers, body } = buildVertexRequest(outboundRequest);
  const key = vertexKeyForm.partsOf(credential, provider);
  const region = regionOf(key.region, provider);
  const token = 'token' in key ? key.token : await signingContext.accessToken(accountOf(key));
  headers.push('authorization', `Bearer ${token}`);
  const prefix = `/v1/projects/${encodeURIComponent(key.project_id)}/locations/${region}`;
  return {
    baseUrl: fillUrlTemplate(provider.baseUrl, { host: hostOf(region) }),
    path: prefix + pathOf(outboundRequest),
    headers,
    body,
    ...('token' in key
      ? { secrets: [token] }
      : {
          secrets: [token, key.private_key],
          onUnauthorized: () => signingContext.forgetToken(accountOf(key), token),
        }),
  };
}

/** Claude requests have their version in the body and their betas in one header. The key determines the billed project. */
function buildVertexRequest({ modelCall, headers, body }: OutboundRequest): {
  readonly headers: string[];
  readonly body: Uint8Array;
} {
  if (modelCall?.wire !== anthropicMessages)
    return { headers: pickHeaders(headers, (name) => name !== billingProjectHeader), body };
  const betas = supportedBetas(headers);
  const others = pickHeaders(headers, (name) => !rewrittenHeaders.has(name));
  return {
    headers: betas.length > 0 ? [...others, 'anthropic-beta', betas.join(',')] : others,
    body: toCloudMessagesBody(body, 'vertex-2023-10-16'),
  };
}

const billingProjectHeader = 'x-goog-user-project';
const rewrittenHeaders: ReadonlySet<string> = new Set([
  billingProjectHeader,
  'anthropic-beta',
  'anthropic-version',
]);

function accountOf(key: z.infer<typeof serviceAccount>) {
  return { email: key.client_email, keyId: key.private_key_id, privateKey: key.private_key };
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}

/** Without a model call the project itself: a key that can read it works. */
function pathOf({ provider, modelCall }: OutboundRequest): string {
  if (modelCall === undefined) return '';
  const model = modelPathSegment(modelCall.model, /^\w[\w.@-]{0,127}$/, provider);
  if (modelCall.wire === anthropicMessages)
    return `/publishers/anthropic/models/${model}:${modelCall.streamed ? 'streamRawPredict' : 'rawPredict'}`;
  return `/publishers/google/models/${model}:${modelCall.streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

/** Limits the key length: Google's keys have 2048 bits, and signing with a far longer one would block a CPU. */
function isRsaKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0 } = {} } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' && modulusLength >= 2048 && modulusLength <= 8192;
  } catch {
    return false;
  }
}
