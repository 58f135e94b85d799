import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  bypassesCaches,
  CachedAnswers,
  cachedBytesOption,
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
  ttlOption,
} from '../../module-api.ts';

/** A request that waits for an identical one in flight goes on by itself after this. */
const singleFlightWaitMs = 60_000;

/** Answers a request that was answered before from memory, and lets identical ones in flight wait for the first. */
export const exactCache: ModuleFactory<{ ttl: number; max_bytes: number }> = () => {
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
    touches: ['reply'],
    options: z.strictObject({ ttl: ttlOption, max_bytes: cachedBytesOption }),

    async handle(exchange, next, kit) {
      const { clientRequest } = exchange;
      if (bypassesCaches(clientRequest)) {
        kit.note({ bypass: true, aside: changesState(clientRequest) ? 'stateful' : 'cache-control' });
        return next(exchange);
      }
      const key = await keyOf(exchange, kit);
      const flight = `${kit.scope} ${key}`;
      const look = () => answers.find(kit.cache, key, clientRequest);
      let found = await look();
      // Nothing may be waited for between this look and taking the lead, or two could take it.
      const ahead = found === undefined ? inFlight.get(flight) : undefined;
      // Once only: if the request ahead leaves nothing behind, its answer can't be kept, and everyone asks for themselves.
      if (ahead !== undefined && (await waitForLeader(ahead, exchange))) found = await look();
      if (found !== undefined) {
        kit.note({ hit: true });
        kit.addSaving(savingOf(found, exchange.target, kit.catalog));
        return kit.replay(found.recording);
      }
      kit.note({ miss: true });
      const release = lead(flight);
      try {
        const reply = await next(exchange);
        onCompleteAnswer(reply, kit.options.max_bytes, ({ recording, usage, model }) =>
          kit.cache.put(
            key,
            packAnswer({ recording, metadata: pricingMetadata({ usage, model }) }, clientRequest),
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

/** Advice that is for one person alone may be brought in further in: its answer is then for nobody else. */
async function keyOf(exchange: Exchange, kit: Kit<unknown>): Promise<string> {
  const meaning = await kit.requestKey(exchange);
  const person = kit.mayBeEditedDownstream ? endUserRefOf(exchange.clientRequest, kit.scope) : null;
  return person === null ? meaning : `${meaning} ${person}`;
}

/** False when the wait was too long. */
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
