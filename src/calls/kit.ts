import type { Spending } from '../billing/spending.ts';
import { systemClock } from '../kernel/clock.ts';
import type { KitMaker } from '../kernel/pipeline.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import { holderOf } from '../kernel/ports/purse.ts';
import type { Shelves } from '../kernel/ports/shelves.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { Catalog } from '../providers/catalog/catalog.ts';
import { wireByName } from '../wire/index.ts';

interface KitParts {
  readonly shelves: Shelves;
  /** Makes the names of credentials. */
  readonly nameKey: Uint8Array;
  readonly spending: Spending;
  readonly catalog: Catalog;
}

/** What modules of this gateway work with. */
export function kitMaker({ shelves, nameKey, spending, catalog }: KitParts): KitMaker {
  const prices: Prices = {
    priced: ({ provider, model }) => catalog.priced(provider, model),
    cost: (target, usage, answered) => catalog.bill({ ...target, answered }, usage)?.nanoUsd,
  };
  return (module, scope, caller) => ({
    store: shelves.shelf(`${module.name}\n${scope}`),
    clock: systemClock,
    prices,
    purse: spending.purse(holderOf(caller)),
    fingerprint: ({ target }) => target.credential?.fingerprint(nameKey) ?? '',
    replay: (recording) => Reply.replay(recording, wireByName(recording.wire)),
  });
}
