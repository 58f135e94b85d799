import { createHash, randomBytes } from 'node:crypto';
import { createRandom, type Random, usageOf } from '../../../scripts/screenshots/made-up-calls.ts';
import type { Database } from '../../../src/kernel/ports/records.ts';
import type { LoggedCall, LoggedStep } from '../../../src/kernel/ports/request-log.ts';
import { firstIdAt } from '../../../src/kernel/request-id.ts';
import { AccountRetentions } from '../../../src/telemetry/request-log/account-retentions.ts';
import { LogCleaner } from '../../../src/telemetry/request-log/log-cleaner.ts';
import { someCall } from '../../../test/conformance/database/samples.ts';

export const monthMs = 30 * 86_400_000;

interface Month {
  readonly accountId: string;
  readonly count: number;
  readonly nowMs: number;
}

/** Calls of one account over the 30 days until now, with their usage. Sums are merged on the way, as once a minute. */
export async function fillMonth(
  { requests, usage, logRetentions }: Database,
  { accountId, count, nowMs }: Month,
): Promise<void> {
  let simulatedMs = nowMs - monthMs;
  const clock = { now: () => simulatedMs };
  const retentions = new AccountRetentions({ table: logRetentions, tiers: new Map(), clock });
  const parts = { log: requests, retentions, clock, pauseMs: 0 };
  // The lease of an earlier gateway would last until after the month.
  await requests.acquireCleanupLease('none', Number.MAX_SAFE_INTEGER, 0);
  const cleaner = new LogCleaner({ ...parts, retentionMs: 2 * monthMs });
  const random = createRandom(11);
  let unsummed: LoggedCall[] = [];
  for (let at = 0; at < count; at += requests.rowsAtOnce) {
    const size = Math.min(requests.rowsAtOnce, count - at);
    const calls = Array.from({ length: size }, (_, of) =>
      callAt(accountId, nowMs - monthMs + Math.floor(((at + of) / count) * monthMs), at + of, random),
    );
    await requests.addPacked([requests.pack(calls)]);
    unsummed.push(...calls);
    if (unsummed.length < usageCalls && at + size < count) continue;
    simulatedMs = nowMs - monthMs + Math.floor(((at + size) / count) * monthMs);
    await cleaner.clean();
    await usage.add({ id: randomBytes(8).toString('hex'), atMs: nowMs, ...totalsOf(unsummed), counted: [] });
    unsummed = [];
  }
  await cleaner.stop();
}

/** Calls whose usage is added up before it is stored. */
const usageCalls = 50_000;

const totalsOf = (calls: readonly LoggedCall[]) => ({
  days: calls.map(usageOf),
  tags: calls.flatMap((call) => {
    const { keyId, model, provider, ...sums } = usageOf(call);
    return Object.entries(call.tags).map(([tag, value]) => ({ ...sums, tag, value }));
  }),
});

const clients = ['claude-cli', 'codex_cli_rs', 'OpenAI/Python', 'support-bot'];
const providers = ['anthropic', 'openai', 'groq', 'mistral', 'gemini'];
const failures = [
  [429, 'rate_limit_exceeded'],
  [529, 'overloaded_error'],
  [500, 'server_error'],
] as const;

/** Forty calls are one session; 30 keys with a client and three of 24 models each, 2,000 end users, 40 teams. */
function callAt(accountId: string, atMs: number, at: number, random: Random): LoggedCall {
  const session = Math.floor(at / 400) * 10 + (at % 10);
  const digest = createHash('sha256').update(`session-${session}`).digest();
  const pick = (byte: number, below: number) => (digest[byte] ?? 0) % below;
  const failure = random(30) === 0 ? failures[random(failures.length)] : undefined;
  const isHit = failure === undefined && random(6) === 0;
  const key = pick(1, 30);
  const model = (key * 7 + pick(0, 3)) % 24;
  const contentMs = 200 + random(3000);
  return someCall({
    id: firstIdAt(atMs) + randomBytes(10).toString('hex'),
    accountId,
    keyId: `key-${key}`,
    client: clients[key % clients.length] ?? null,
    conversation: `session-${session}`,
    turn: { tools: '1a2b3c', system: '4d5e6f', called: { Read: 1 } },
    endUser: `user-${digest.readUInt16BE(3) % 2000}`,
    tags: { team: `team-${pick(5, 40)}`, env: pick(6, 4) === 0 ? 'test' : 'prod' },
    modelAsked: `model-${model}`,
    modelUsed: `model-${model}`,
    provider: providers[model % providers.length] ?? null,
    wire: 'anthropic-messages',
    providerWire: isHit ? null : 'anthropic-messages',
    streamed: true,
    status: failure?.[0] ?? 200,
    ending: failure === undefined ? 'complete' : 'failed',
    errorCode: failure === undefined ? null : 'upstream_error',
    providerError: failure?.[1] ?? null,
    stopReason: failure === undefined ? 'end_turn' : null,
    inputTokens: random(20_000),
    outputTokens: random(2000),
    cacheReadTokens: random(10_000),
    cacheWriteTokens: null,
    reasoningTokens: null,
    costNanoUsd: isHit ? 0 : random(50_000_000),
    savedNanoUsd: isHit ? random(50_000_000) : 0,
    contentMs,
    totalMs: contentMs + random(15_000),
    overheadMs: 0.3 + random(10) / 10,
    headMs: contentMs - 20,
    pipeline: 'exact-cache,cost-guard?day=5',
    steps: stepsOf(isHit),
  });
}

function stepsOf(isHit: boolean): readonly LoggedStep[] {
  if (isHit) return [{ module: 'exact-cache', effect: 'answered', ms: 0.2, facts: {} }];
  return [
    { module: 'exact-cache', effect: 'passed', ms: 0.2, facts: {} },
    { module: 'cost-guard', effect: 'passed', ms: 0.1, facts: {} },
  ];
}
