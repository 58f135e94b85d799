import type { SessionOptions, SimulatedPrices } from '../../../test/support/agent-sessions.ts';
import { compareSession } from '../../../test/support/compare-session.ts';

const anthropic: SimulatedPrices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const openai: SimulatedPrices = { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 };
const contextTokens = 200_000;

interface AgentKind {
  readonly name: string;
  readonly prices: SimulatedPrices;
  readonly session: Omit<SessionOptions, 'seed'>;
}

const plain = { calls: 160, resultTokens: 900, toolsTokens: 3000, pauses: 0, isMarked: true };
const kinds: readonly AgentKind[] = [
  { name: '60 calls', prices: anthropic, session: { ...plain, calls: 60, resultTokens: 2400 } },
  { name: 'markers, no pause', prices: anthropic, session: plain },
  { name: 'markers, pauses', prices: anthropic, session: { ...plain, pauses: 0.04 } },
  { name: 'up to the window', prices: anthropic, session: { ...plain, resultTokens: 1800 } },
  {
    name: 'up to it, 40k of tools',
    prices: anthropic,
    session: { ...plain, resultTokens: 1500, toolsTokens: 40_000 },
  },
  { name: 'automatic cache', prices: openai, session: { ...plain, isMarked: false } },
  {
    name: 'client compacts',
    prices: anthropic,
    session: { ...plain, calls: 250, resultTokens: 1500, compactsAtTokens: 150_000 },
  },
  {
    name: 'provider clears',
    prices: anthropic,
    session: {
      ...plain,
      resultTokens: 1200,
      contextManagement: {
        edits: [{ type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 60_000 } }],
      },
    },
  },
];

/** Simulated agents: what ipc saves, the worst moment of any session, and what ipc reports. */
export async function agents(seeds: readonly number[], options: string): Promise<void> {
  console.log(`\nsimulated agents, ${options}, ${seeds.length} sessions each`);
  console.log(
    'kind                     without   with      less     dearest            reported   largest   refused',
  );
  for (const { name, prices, session } of kinds) {
    const sums = { without: 0, spent: 0, worst: 0, worstDollars: 0, reported: 0, largest: 0, refused: 0 };
    for (const seed of seeds) {
      const one = await compareSession({ ...session, seed }, { prices, contextTokens, options });
      sums.without += one.without;
      sums.spent += one.spent;
      sums.worst = Math.max(sums.worst, one.worstShare);
      sums.worstDollars = Math.max(sums.worstDollars, one.worstDollars);
      sums.reported += one.reported;
      sums.largest = Math.max(sums.largest, ...one.sentTokens);
      sums.refused += one.refused;
    }
    console.log(
      name.padEnd(24),
      `$${sums.without.toFixed(2)}`.padEnd(9),
      `$${sums.spent.toFixed(2)}`.padEnd(9),
      percent(1 - sums.spent / sums.without).padEnd(8),
      `${percent(sums.worst)}, $${sums.worstDollars.toFixed(3)}`.padEnd(18),
      `$${sums.reported.toFixed(2)}`.padEnd(10),
      `${Math.round(sums.largest / 1000)}k`.padEnd(9),
      sums.refused,
    );
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
