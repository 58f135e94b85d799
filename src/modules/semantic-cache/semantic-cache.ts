import { changesState, type ModuleMaker, refusesCaches } from '../../module-api.ts';
import type { Answering } from './answering.ts';
import { type Options, options } from './options.ts';

/** Answers prompts that mean the same from memory. `random` decides which of these answers are asked for all the same. */
export function semanticCacheWith(random: () => number): ModuleMaker<Options> {
  return ({ clock }) => {
    let loading: Promise<Answering> | undefined;
    const load = async () => {
      const { loadInTurns } = await import('./loading.ts');
      await loadInTurns();
      const loaded = await import('./answering.ts');
      return new loaded.Answering(clock, random);
    };
    /** Loaded with its first call: gateways that don't use it shouldn't wait for its word lists when they start. */
    const answering = () => {
      loading ??= load();
      return loading;
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
      options,

      async handle(exchange, next, kit) {
        if (refusesCaches(exchange.received)) {
          kit.note({ bypass: true, aside: changesState(exchange.received) ? 'stateful' : 'cache-control' });
          return next(exchange);
        }
        return (await answering()).handle(exchange, next, kit);
      },
    };
  };
}

export const semanticCache = semanticCacheWith(Math.random);
