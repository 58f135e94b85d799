import type { Memory } from '../gateway/memory.ts';
import type { Purses } from '../kernel/ports/purse.ts';
import type {
  Allowance,
  Attempts,
  SharedState,
  Slots,
  UnderWay,
  Versions,
} from '../kernel/ports/shared-state.ts';
import type { Handed, Holder, SlotsAhead } from './slots-ahead.ts';

/** What workers ask of the memory that they share. */
export interface MemoryQuestions {
  readonly ping: SharedState['ping'];
  /** `usedUp` is the last that it was handed ahead, 0 for none; undefined where it wants no more. */
  take(allowance: Allowance, underWay: UnderWay | undefined, usedUp?: number): Promise<Handed>;
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

/** The answers of the process that has the memory to one of the others. */
export function memoryAnswers(memory: Memory, ahead: SlotsAhead, asking: Holder): MemoryQuestions {
  const { purses } = memory;
  const { slots, versions, attempts } = memory.shared;
  const shelf = ({ shelves, scope }: ShelfPlace) => memory[shelves].shelf(scope);
  return {
    ping: () => memory.shared.ping(),
    take: (allowance, underWay, usedUp) => ahead.take(asking, { allowance, underWay, usedUp }),
    tell: (allowance, underWay) => slots.tell(allowance, underWay),
    giveBack: (allowance) => ahead.giveBack(allowance),
    undo: (allowance) => slots.undo(allowance),
    begin: (allowance, used) => slots.begin(allowance, used),
    version: (accountId) => versions.of(accountId),
    async renew(accountId) {
      await versions.renew(accountId);
      await ahead.forget(accountId);
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
