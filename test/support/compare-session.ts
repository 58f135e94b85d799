import { ipc } from '../../src/modules/ipc/ipc.ts';
import { compileCard } from '../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../src/testing/run-module.ts';
import {
  type SessionOptions,
  type SimulatedPrices,
  SimulatedProvider,
  simulateSession,
} from './agent-sessions.ts';

/** What a session costs in dollars, with ipc and without. */
export interface SessionComparison {
  readonly without: number;
  readonly spent: number;
  /** The worst moment of the session: how much more it had cost by then, as a share and in dollars. */
  readonly worstShare: number;
  readonly worstDollars: number;
  /** The savings that ipc reports. */
  readonly reported: number;
  /** The sizes of the requests that ipc sent. */
  readonly sentTokens: readonly number[];
  /** Calls that failed with ipc. */
  readonly refused: number;
}

interface ComparisonOptions {
  readonly prices: SimulatedPrices;
  readonly contextTokens: number;
  /** The options of ipc. */
  readonly options: string;
}

/** Sends a session with and without ipc, until it no longer fits into the window without. */
export async function compareSession(
  session: SessionOptions,
  { prices, contextTokens, options }: ComparisonOptions,
): Promise<SessionComparison> {
  const [direct, behind] = [
    new SimulatedProvider(prices, contextTokens),
    new SimulatedProvider(prices, contextTokens),
  ];
  let [worstShare, worstDollars, reported, refused] = [0, 0, 0, 0];
  const sentTokens: number[] = [];
  const card = compileCard(prices);
  const run = runModule(
    ipc,
    {
      options: `holdout=0&${options}`,
      headers: ['x-weir-conversation', 'session'],
      upstream: async ({ request }) => behind.answer(request),
    },
    {
      clock: { now: () => behind.atSeconds * 1000 },
      prices: {
        priceOf: () => ({ card, estimated: false, contextTokens, cacheSeconds: 300 }),
        bill: () => ({ nanoUsd: 0, estimated: false }),
      },
      onModuleWork: ({ savedNanoUsd = 0 }) => {
        reported += savedNanoUsd / 1e9;
      },
    },
  );
  for (const { request, atSeconds } of simulateSession(session)) {
    direct.atSeconds = atSeconds;
    behind.atSeconds = atSeconds;
    if (!direct.accepts(request)) break;
    direct.answer(request);
    const { error, step } = await run(request);
    if (step?.effect === 'broken') throw new Error('ipc failed');
    if (error !== undefined) refused++;
    sentTokens.push(behind.tokens);
    worstShare = Math.max(worstShare, behind.dollars / direct.dollars - 1);
    worstDollars = Math.max(worstDollars, behind.dollars - direct.dollars);
  }
  return {
    without: direct.dollars,
    spent: behind.dollars,
    worstShare,
    worstDollars,
    reported,
    sentTokens,
    refused,
  };
}
