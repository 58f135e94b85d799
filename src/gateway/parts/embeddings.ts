import type { InferenceClient } from '../../embeddings/inference.ts';
import { LocalModels } from '../../embeddings/local-models.ts';
import { noEmbeddings } from '../../embeddings/no-embeddings.ts';
import { TextEmbeddings } from '../../embeddings/text-embeddings.ts';
import { IndexedVectorStore } from '../../embeddings/vectors/indexed-vector-store.ts';
import { SharedEmbeddingCache } from '../../embeddings/vectors/shared-embedding-cache.ts';
import { slabBytes } from '../../embeddings/vectors/slabs.ts';
import { createFastestSlabs } from '../../embeddings/vectors/wasm-slabs.ts';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { EmbeddingProvider, Embeddings } from '../../kernel/ports/embeddings.ts';
import type { VectorStores } from '../../kernel/ports/vectors.ts';
import { enableProviderHint } from '../../providers/provider-directory.ts';
import { ProviderEmbeddings } from '../../providers/provider-embeddings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Gauge } from '../../telemetry/process-gauges.ts';
import { createLocalModels, modelGauges } from '../local-models.ts';
import type { Part } from '../part.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface EmbeddingsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly stores: Stores;
  readonly providers: ProvidersPart;
  /** Those of the machine; this process's own where it is undefined. */
  readonly models: InferenceClient | undefined;
}

export interface EmbeddingsPart extends Part {
  readonly embeddings: Embeddings;
  readonly vectors: VectorStores;
}

/** Texts as vectors, and vectors that are kept. Nothing of it runs before a module asks for it. */
export function embeddingsPart({
  settings,
  log,
  stores,
  providers: providersPart,
  models,
}: EmbeddingsParts): EmbeddingsPart {
  const vectors = new IndexedVectorStore({
    table: stores.database.vectors,
    clock: systemClock,
    perScope: settings.vectorsPerScope,
    slabs: () => createFastestSlabs(limits.vectorBytesMax),
    onError: (err) => log.error({ err }, 'vectors could not be read or kept'),
  });
  const gauges = vectorGauges(vectors);
  const source = settings.embeddings;
  if (source.from === 'off') return { embeddings: noEmbeddings('off'), vectors, gauges };
  const own = models ?? createLocalModels(log);
  const embeddings = new TextEmbeddings({
    source: source.from === 'provider' ? `${source.provider}/${source.model}` : 'local',
    models: own,
    sharedCache: new SharedEmbeddingCache({
      table: stores.database.vectors,
      clock: systemClock,
      onError: (err) => log.error({ err }, 'vectors of tools could not be read or kept'),
    }),
    provider:
      source.from === 'provider'
        ? createProviderEmbeddings(source, { settings, log, providers: providersPart })
        : undefined,
  });
  return {
    embeddings,
    vectors,
    gauges: [
      ...gauges,
      ...embeddingGauges(embeddings),
      ...(own instanceof LocalModels ? modelGauges(own) : []),
    ],
    close: () => own.close(),
  };
}

type ProviderSource = Extract<Settings['embeddings'], { readonly from: 'provider' }>;

function createProviderEmbeddings(
  { provider: name, model }: ProviderSource,
  { settings, log, providers: providersPart }: Pick<EmbeddingsParts, 'settings' | 'log' | 'providers'>,
): EmbeddingProvider {
  const provider = providersPart.providers.find(
    (one) => one.name === name && one.answerLocally === undefined,
  );
  if (provider === undefined) {
    const why = providersPart.directory.isDisabled(name)
      ? enableProviderHint(name)
      : `there is no provider "${name}"`;
    throw new SettingsError([`WEIR_EMBEDDINGS: ${why}`]);
  }
  const credential = settings.credentials.get(name);
  if (credential === undefined && !provider.keyless)
    throw new SettingsError([`WEIR_EMBEDDINGS: ${name} needs a key, in ${name.toUpperCase()}_API_KEY`]);
  return new ProviderEmbeddings({
    egress: providersPart.egress,
    signing: providersPart.means,
    provider,
    model,
    credential,
    onFailure: (how) => log.error({ provider: name, how }, 'a provider of vectors failed'),
  });
}

function embeddingGauges(embeddings: TextEmbeddings): readonly Gauge[] {
  return [
    {
      name: 'weir_embeddings_remembered_total',
      help: 'Vectors that had been made before',
      read: () => embeddings.figures.hits,
    },
    {
      name: 'weir_embeddings_aside_total',
      help: 'Questions for vectors without an answer, so that a module stepped aside',
      read: () => embeddings.figures.aside,
    },
    {
      name: 'weir_embeddings_busy_total',
      help: 'Of these, those for which too many waited already',
      read: () => embeddings.figures.of('busy'),
    },
    {
      name: 'weir_embeddings_late_total',
      help: 'Of these, those that took too long',
      read: () => embeddings.figures.of('late'),
    },
  ];
}

function vectorGauges(vectors: IndexedVectorStore): readonly Gauge[] {
  return [
    {
      name: 'weir_vector_parts',
      help: `Parts of vectors in memory, of ${limits.vectorPartsMax}`,
      read: () => vectors.figures.parts,
    },
    {
      name: 'weir_vector_bytes',
      help: `Memory for vectors that is taken, of ${limits.vectorBytesMax}`,
      read: () => vectors.figures.slabs * slabBytes,
    },
  ];
}
