import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Block,
  bypassesCaches,
  type ChatRequest,
  changesState,
  type Embeddings,
  type ModuleFactory,
  stepsAside,
} from '../../module-api.ts';
import { type SemanticCacheOptions, semanticCacheOptions } from './options.ts';
import type { SemanticCacheHandler } from './semantic-cache-handler.ts';

/** The models have this long to start, as for work in the background. */
const warmUpMs = 15_000;
/** Before each attempt; a failed process rests for a second and more. */
const warmUpPausesMs = [0, 1500, 3000, 6000];

/** Answers prompts with the same meaning from the cache. `random` decides which hits are compared with the provider's answer. */
export function semanticCacheWith(random: () => number): ModuleFactory<SemanticCacheOptions> {
  return ({ clock }) => {
    let loading: Promise<SemanticCacheHandler> | undefined;
    const load = async () => {
      const { loadInSlices } = await import('./loading.ts');
      await loadInSlices();
      const loaded = await import('./semantic-cache-handler.ts');
      return new loaded.SemanticCacheHandler(clock, random);
    };
    /** Loaded with the first call, so that gateways without this module start without its word lists. */
    const answering = () => {
      loading ??= load();
      return loading;
    };
    let isWarm = false;
    /** A pair of words starts the model process, and loads the judge. On a busy machine the start may fail. */
    const warmModels = async (embeddings: Embeddings): Promise<void> => {
      if (isWarm) return;
      isWarm = true;
      for (const pauseMs of warmUpPausesMs) {
        await sleep(pauseMs, undefined, { ref: false });
        const pairs = [{ before: 'hello', now: 'hello' }];
        const { why } = await embeddings.sameAnswer(pairs, { deadlineMs: warmUpMs });
        if (why !== 'late' && why !== 'down') return;
      }
    };
    return {
      api: 1,
      name: 'semantic-cache',
      summary: 'Answers prompts that mean the same from memory, with a bound on the share that is wrong.',
      status: 'production',
      protective: false,
      order: 20,
      cache: true,
      ifBroken: 'skip',
      touches: ['reply'],
      options: semanticCacheOptions,

      async warmUp({ embeddings }) {
        await Promise.all([warmModels(embeddings), answering()]);
      },

      async handle(exchange, next, kit) {
        void warmModels(kit.embeddings);
        if (bypassesCaches(exchange.clientRequest)) {
          kit.note({
            bypass: true,
            aside: changesState(exchange.clientRequest) ? 'stateful' : 'cache-control',
          });
          return next(exchange);
        }
        if (endsWithToolResult(exchange.request)) {
          kit.note({ bypass: true, aside: 'tool-result' });
          return next(exchange);
        }
        if (await stepsAside(kit)) {
          kit.note({ bypass: true });
          return next(exchange);
        }
        return (await answering()).handle(exchange, next, kit);
      },
    };
  };
}

/** Such a turn of an agent has no question that could be asked in other words. */
function endsWithToolResult({ messages }: ChatRequest): boolean {
  const content = messages.at(-1)?.content;
  return Array.isArray(content) && content.some(({ type }: Block) => type === 'tool_result');
}

export const semanticCache = semanticCacheWith(Math.random);
