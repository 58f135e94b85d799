import type { Counters } from '../../kernel/ports/counters.ts';

/** Reads the counts of others, and adds nothing to them. There is always a free slot. */
export function dryCounters(counters: Counters): Counters {
  return {
    async add(name, { amount, limit, windowMs }) {
      const state = await counters.add(name, { amount: 0, limit, windowMs });
      if (amount === 0) return state;
      const isAllowed = state.count + amount <= limit;
      return { ...state, isAllowed, count: isAllowed ? state.count + amount : state.count };
    },
    correct: async () => undefined,
    takeSlot: async () => ({ isAllowed: true, count: 1 }),
    releaseSlot: async () => undefined,
  };
}
