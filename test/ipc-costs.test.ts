import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionOptions, SimulatedPrices } from './support/agent-sessions.ts';
import { compareSession } from './support/compare-session.ts';

const seeds = Number(process.env.WEIR_IPC_RUNS ?? 1);
const contextTokens = 24_000;
/** Ten times the usual prices: these conversations have a tenth of the usual size. */
const prices: SimulatedPrices = { input: 30, output: 150, cacheRead: 3, cacheWrite: 37.5 };
const automatic: SimulatedPrices = { ...prices, cacheWrite: 30 };
const plain = { calls: 70, resultTokens: 200, toolsTokens: 400, pauses: 0, isMarked: true };
const clearing = { type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 6000 } };

const kinds: readonly { readonly name: string; readonly session: Omit<SessionOptions, 'seed'> }[] = [
  { name: 'with cache markers and no pause', session: plain },
  { name: 'with pauses', session: { ...plain, pauses: 0.06 } },
  { name: 'with an automatic cache', session: { ...plain, isMarked: false } },
  { name: 'up to the window, with many tools', session: { ...plain, resultTokens: 330, toolsTokens: 6000 } },
  {
    name: 'of a client that compacts it',
    session: { ...plain, resultTokens: 400, compactsAtTokens: 15_000, isMarked: false },
  },
  {
    name: 'of a client that has the provider clear results',
    session: { ...plain, contextManagement: { edits: [clearing] } },
  },
];

for (const { name, session } of kinds)
  test(`a session ${name} never costs 0.5 % or $0.02 more with ipc`, async () => {
    for (let seed = 1001; seed <= 1000 + seeds; seed++) {
      const options = `target=${seed % 2 === 0 ? 0.25 : 0.5}`;
      const paid = session.isMarked ? prices : automatic;
      const compared = await compareSession({ ...session, seed }, { prices: paid, contextTokens, options });
      const { worstShare, worstDollars, reported, without, spent } = compared;
      assert.ok(worstShare <= 0.005, `seed ${seed}: ${worstShare * 100} % more`);
      assert.ok(worstDollars <= 0.02, `seed ${seed}: $${worstDollars} more`);
      assert.equal(compared.refused, 0);
      assert.ok(
        reported <= (without - spent) * 1.03 + 0.01,
        `seed ${seed}: reports $${reported} of $${without - spent}`,
      );
    }
  });

test('hold keeps requests below the target where a step would not pay yet', async () => {
  const target = 6000;
  const session = { ...plain, seed: 1001 };
  const compare = (options: string) => compareSession(session, { prices, contextTokens, options });
  const [held, free] = [await compare(`target=${target}&hold=on`), await compare(`target=${target}`)];
  assert.ok(Math.max(...held.sentTokens) <= target * 1.02, `${Math.max(...held.sentTokens)}`);
  assert.ok(Math.max(...free.sentTokens) > target * 1.5, `${Math.max(...free.sentTokens)}`);
});
