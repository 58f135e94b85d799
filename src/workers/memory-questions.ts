import type { Memory } from '../gateway/memory.ts';
import type { Purses } from '../kernel/ports/purse.ts';
import type { Attempts, SharedState, Slots, Versions } from '../kernel/ports/shared-state.ts';

/** What workers ask of the memory that they share. */
export interface MemoryQuestions {
  readonly ping: SharedState['ping'];
  readonly take: Slots['take'];
  readonly tell: Slots['tell'];
  readonly giveBack: Slots['giveBack'];
  readonly undo: Slots['undo'];
  readonly begin: Slots['begin'];
  readonly version: Versions['of'];
  readonly renew: Versions['renew'];
  readonly count: Attempts['count'];
  readonly forget: Attempts['forget'];
  readonly hold: Purses['hold'];
  readonly settle: Purses['settle'];
  readonly renewHold: Purses['renew'];
  readonly beginPurse: Purses['begin'];
  get(place: ShelfPlace): Promise<Uint8Array | undefined>;
  put(place: ShelfPlace, value: Uint8Array, ttlSeconds: number): Promise<void>;
  delete(place: ShelfPlace): Promise<void>;
  forgetShelf(which: Omit<ShelfPlace, 'key'>): Promise<void>;
  readonly erase: Memory['erase'];
}

export interface ShelfPlace {
  readonly shelves: 'shelves' | 'turnShelves';
  readonly scope: string;
  readonly key: string;
}

/** The answers of the process that has the memory. `forget` resolves when no process knows an account's version any more. */
export function memoryAnswers(
  memory: Memory,
  forget: (accountId: string) => Promise<unknown>,
): MemoryQuestions {
  const { purses } = memory;
  const { slots, versions, attempts } = memory.shared;
  const shelf = ({ shelves, scope }: ShelfPlace) => memory[shelves].shelf(scope);
  return {
    ping: () => memory.shared.ping(),
    take: (allowance, underWay) => slots.take(allowance, underWay),
    tell: (allowance, underWay) => slots.tell(allowance, underWay),
    giveBack: (allowance) => slots.giveBack(allowance),
    undo: (allowance) => slots.undo(allowance),
    begin: (allowance, used) => slots.begin(allowance, used),
    version: (accountId) => versions.of(accountId),
    async renew(accountId) {
      await versions.renew(accountId);
      await forget(accountId);
    },
    count: (name, limit) => attempts.count(name, limit),
    forget: (name) => attempts.forget(name),
    hold: (asked) => purses.hold(asked),
    settle: (held, settlement) => purses.settle(held, settlement),
    renewHold: (held) => purses.renew(held),
    beginPurse: (holder, windows, spent) => purses.begin(holder, windows, spent),
    get: (place) => shelf(place).get(place.key),
    // A copy, since what has arrived is a part of its whole message and would keep all of it.
    put: (place, value, ttlSeconds) => shelf(place).put(place.key, new Uint8Array(value), ttlSeconds),
    delete: (place) => shelf(place).delete(place.key),
    forgetShelf: ({ shelves, scope }) => memory[shelves].forget(scope),
    erase: (traces) => memory.erase(traces),
  };
}
