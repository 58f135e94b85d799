import type { InferenceClient } from '../../embeddings/inference.ts';
import { limits } from '../../embeddings/limits.ts';
import { LocalTextModels } from '../../embeddings/local-text-models.ts';
import { noEmbeddings } from '../../embeddings/no-embeddings.ts';
import { noTextModels } from '../../embeddings/no-text-models.ts';
import { TextEmbeddings } from '../../embeddings/text-embeddings.ts';
import { IndexedVectorStore } from '../../embeddings/vectors/indexed-vector-store.ts';
import { SharedEmbeddingCache } from '../../embeddings/vectors/shared-embedding-cache.ts';
import { createSlabs, slabBytes } from '../../embeddings/vectors/slabs.ts';
import type { EmbeddingProvider, Embeddings } from '../../kernel/ports/embeddings.ts';
import type { TextModels } from '../../kernel/ports/text-models.ts';
import type { VectorStores } from '../../kernel/ports/vectors.ts';
import { enableProviderHint } from '../../providers/provider-directory.ts';
import { ProviderEmbeddings } from '../../providers/provider-embeddings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Gauge } from '../../telemetry/process-gauges.ts';
import { modelsCheck } from '../checks/models.ts';
import type { Part } from '../part.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface EmbeddingsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly stores: Stores;
  readonly providers: ProvidersPart;
  /** The local models, which other gateways of this process or machine use, too. */
  readonly models: InferenceClient;
}

export interface EmbeddingsPart extends Part {
  readonly embeddings: Embeddings;
  /** Embeddings that ask no provider and store no vectors, for dry runs. */
  readonly dryEmbeddings: Embeddings;
  readonly textModels: TextModels;
  readonly vectors: VectorStores;
}

/** Embeddings, text models and stored vectors. Nothing runs before a module needs it. */
export function embeddingsPart({
  settings,
  log,
  stores,
  providers: providersPart,
  models,
}: EmbeddingsParts): EmbeddingsPart {
  const vectors = new IndexedVectorStore({
    table: stores.database.vectors,
    clock: stores.clock,
    perScope: settings.vectorsPerScope,
    slabs: () => createSlabs(limits.vectorBytesMax),
    onError: (err) => log.error({ err }, 'could not read or store vectors'),
  });
  const gauges = vectorGauges(vectors);
  const source = settings.embeddings;
  if (source.from === 'off')
    return {
      embeddings: noEmbeddings('off'),
      dryEmbeddings: noEmbeddings('off'),
      textModels: noTextModels('off'),
      vectors,
      gauges,
    };
  const embeddings = new TextEmbeddings({
    source: source.from === 'provider' ? `${source.provider}/${source.model}` : 'local',
    models,
    sharedCache: new SharedEmbeddingCache({
      table: stores.database.vectors,
      clock: stores.clock,
      onError: (err) => log.error({ err }, 'could not read or store vectors of tools'),
    }),
    provider:
      source.from === 'provider'
        ? createProviderEmbeddings(source, { settings, log, providers: providersPart })
        : undefined,
  });
  return {
    embeddings,
    dryEmbeddings:
      source.from === 'provider' ? noEmbeddings('off') : new TextEmbeddings({ source: 'local', models }),
    textModels: new LocalTextModels(models),
    vectors,
    checks: [modelsCheck(embeddings)],
    gauges: [...gauges, ...embeddingGauges(embeddings)],
  };
}

type ProviderSource = Extract<Settings['embeddings'], { readonly from: 'provider' }>;

function createProviderEmbeddings(
  { provider: name, model }: ProviderSource,
  { settings, log, providers: providersPart }: Pick<EmbeddingsParts, 'settings' | 'log' | 'providers'>,
): EmbeddingProvider {
  const provider = providersPart.providers.find(
    (provider) => provider.name === name && provider.answerLocally === undefined,
  );
  if (provider === undefined) {
    const why = providersPart.directory.isDisabled(name)
      ? enableProviderHint(name)
      : `unknown provider "${name}"`;
    throw new SettingsError([`WEIR_EMBEDDINGS: ${why}`]);
  }
  const credential = settings.credentials.get(name);
  if (credential === undefined && !provider.keyless)
    throw new SettingsError([`WEIR_EMBEDDINGS: ${name} needs a key; set ${name.toUpperCase()}_API_KEY`]);
  return new ProviderEmbeddings({
    egress: providersPart.egress,
    signing: providersPart.means,
    provider,
    model,
    credential,
    onFailure: (how) => log.error({ provider: name, how }, 'an embeddings provider failed'),
  });
}

function embeddingGauges(embeddings: TextEmbeddings): readonly Gauge[] {
  return [
    {
      name: 'weir_embeddings_remembered_total',
      help: 'Embedding requests served from the cache',
      read: () => embeddings.figures.hits,
    },
    {
      name: 'weir_embeddings_aside_total',
      help: 'Embedding requests that failed, so that a module was skipped',
      read: () => embeddings.figures.aside,
    },
    {
      name: 'weir_embeddings_busy_total',
      help: 'Embedding requests that failed because the queue was full',
      read: () => embeddings.figures.of('busy'),
    },
    {
      name: 'weir_embeddings_late_total',
      help: 'Embedding requests that timed out',
      read: () => embeddings.figures.of('late'),
    },
  ];
}

function vectorGauges(vectors: IndexedVectorStore): readonly Gauge[] {
  return [
    {
      name: 'weir_vector_parts',
      help: `Vector partitions in memory, max ${limits.vectorPartsMax}`,
      read: () => vectors.figures.parts,
    },
    {
      name: 'weir_vector_bytes',
      help: `Bytes of vectors in memory, max ${limits.vectorBytesMax}`,
      read: () => vectors.figures.slabs * slabBytes,
    },
  ];
}
