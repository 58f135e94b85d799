import type { Clock } from '../kernel/clock.ts';
import { scopeOf } from '../kernel/exchange.ts';
import type { Models } from '../kernel/module.ts';
import type { KitMaker } from '../kernel/pipeline.ts';
import type { ModuleStores } from '../kernel/ports/module-store.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import { type Holder, holderOf, type Purse } from '../kernel/ports/purse.ts';
import type { Shelves } from '../kernel/ports/shelves.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Afterwork } from './afterwork.ts';
import { type AskingParts, ask } from './asking.ts';
import type { Meanings } from './meaning.ts';

export interface KitParts {
  readonly shelves: Shelves;
  readonly stores: ModuleStores;
  readonly clock: Clock;
  readonly catalog: Prices;
  readonly meanings: Meanings;
  readonly afterwork: Afterwork;
  readonly asking: AskingParts;
  purse(holder: Holder): Purse;
  wireByName(name: string): WireFormat | undefined;
  target: Models['target'];
}

/** What modules work with; the same for those of a gateway and for those under test. */
export function kitMaker(parts: KitParts): KitMaker {
  const { shelves, stores, clock, catalog, meanings, afterwork, wireByName, target } = parts;
  return ({ options, observation, aside }) => {
    const { module, step, exchange } = observation;
    const { caller, trace } = exchange;
    const scope = scopeOf(caller);
    return {
      options,
      scope,
      cache: shelves.shelf(`${module.name}\n${scope}`),
      store: stores.store(module.name, scope),
      clock,
      catalog,
      purse: parts.purse(holderOf(caller)),
      models: {
        target,
        ask: (question, to) => ask(parts.asking, { question, target: to, observation, aside }),
      },
      note: (facts) => step.note(facts),
      tell: (name, value) => trace.tell(name, value),
      meaning: (asked) => meanings.of(asked),
      replay: (recording) => Reply.replay(recording, wireByName(recording.wire)),
      whenPaid: (then) => observation.whenPaid(then),
      later: (run) => trace.afterwards(() => afterwork.add({ module: module.name, run })),
    };
  };
}
