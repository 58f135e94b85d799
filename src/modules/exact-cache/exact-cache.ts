import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  answererOf,
  autoOption,
  bypassesCaches,
  CachedAnswers,
  cachedBytesOption,
  cacheScopeOption,
  changesState,
  type Exchange,
  endUserRefOf,
  GatewayError,
  type Kit,
  type ModuleFactory,
  onCompleteAnswer,
  packAnswer,
  pricingMetadata,
  savingOf,
  stepsAside,
  ttlOption,
} from '../../module-api.ts';
import { answerInputs } from './answer-inputs.ts';

/** How long a request waits for an identical one in flight before it goes to the provider itself. */
const singleFlightWaitMs = 60_000;

const exactCacheOptions = z.strictObject({
  ttl: ttlOption,
  scope: cacheScopeOption,
  max_bytes: cachedBytesOption,
  auto: autoOption,
});

type ExactCacheOptions = z.output<typeof exactCacheOptions>;

/** Answers repeated requests from the cache, and lets concurrent identical requests wait for the first. */
export const exactCache: ModuleFactory<ExactCacheOptions> = () => {
  const inFlight = new Map<string, Promise<void>>();
  const answers = new CachedAnswers();

  function lead(flight: string): () => void {
    if (inFlight.has(flight)) return () => undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    inFlight.set(flight, promise);
    return () => {
      inFlight.delete(flight);
      resolve();
    };
  }

  return {
    api: 1,
    name: 'exact-cache',
    summary: 'Answers identical requests from memory, streamed or not.',
    status: 'production',
    protective: false,
    order: 10,
    cache: true,
    ifBroken: 'skip',
    deadlineMs: singleFlightWaitMs + 30_000,
    touches: ['reply', 'inputs'],
    options: exactCacheOptions,

    async handleRelay(exchange, next, kit) {
      if (exchange.relay?.route.inputList === undefined || (await isBypassed(exchange, kit)))
        return next(exchange);
      return answerInputs(exchange, next, { kit, key: await keyOf(exchange, kit) });
    },

    async handle(exchange, next, kit) {
      const { clientRequest } = exchange;
      if (await isBypassed(exchange, kit)) return next(exchange);
      const key = await keyOf(exchange, kit);
      const flight = `${kit.scope} ${key}`;
      const lookUp = () => answers.find(kit.cache, key, clientRequest);
      let cached = await lookUp();
      // No await may come between this lookup and `lead`, or two requests could become the leader.
      const ahead = cached === undefined ? inFlight.get(flight) : undefined;
      // Waits once only: if the leader stores nothing, its answer can't be cached, and each request goes to the provider.
      if (ahead !== undefined && (await waitForLeader(ahead, exchange))) cached = await lookUp();
      if (cached !== undefined) {
        kit.note({ hit: true });
        const answerer = answererOf(cached, exchange, kit.models);
        kit.addSaving(savingOf(cached, answerer, kit.catalog));
        return kit.replay(cached.recording, answerer, cached.metadata);
      }
      kit.note({ miss: true });
      const release = lead(flight);
      try {
        const reply = await next(exchange);
        const bytesMax = kit.options.max_bytes;
        onCompleteAnswer(reply, { bytesMax, exchange }, ({ recording, usage, model }) =>
          kit.cache.put(
            key,
            packAnswer({ recording, metadata: pricingMetadata({ usage, model }, exchange) }, clientRequest),
            kit.options.ttl,
          ),
        );
        return reply.onEnd(release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
};

/** Whether the call goes past the cache, which is noted. */
async function isBypassed(
  { clientRequest }: Exchange,
  kit: Parameters<typeof stepsAside>[0] & Pick<Kit<ExactCacheOptions>, 'note'>,
): Promise<boolean> {
  if (bypassesCaches(clientRequest)) {
    kit.note({ bypass: true, aside: changesState(clientRequest) ? 'stateful' : 'cache-control' });
    return true;
  }
  if (!(await stepsAside(kit))) return false;
  kit.note({ bypass: true });
  return true;
}

/** In the scope `account`, too, an answer belongs to its end user if a downstream module may add advice for that person. */
async function keyOf(exchange: Exchange, kit: Kit<ExactCacheOptions>): Promise<string> {
  const requestKey = await kit.requestKey(exchange);
  const isPersonal = kit.options.scope === 'person' || kit.mayBeEditedDownstream;
  const endUser = isPersonal ? endUserRefOf(exchange.clientRequest, kit.scope) : null;
  return endUser === null ? requestKey : `${requestKey} ${endUser}`;
}

/** False after a timeout. */
async function waitForLeader(ahead: Promise<void>, { signal }: Exchange): Promise<boolean> {
  const enough = new AbortController();
  const timer = sleep(singleFlightWaitMs, false, { signal: AbortSignal.any([signal, enough.signal]) });
  try {
    return await Promise.race([ahead.then(() => true), timer]);
  } catch (cause) {
    throw new GatewayError('client_gone', 'the client closed the connection', { cause });
  } finally {
    timer.catch(() => undefined);
    enough.abort();
  }
}
