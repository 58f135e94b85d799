// What it costs a call to belong to a conversation: npm run bench:conversation
import { Sealer } from '../../src/accounts/sealer.ts';
import { DecisionLogs } from '../../src/calls/decision-logs.ts';
import { ClientPresence } from '../../src/kernel/client-presence.ts';
import { ClientRequest } from '../../src/kernel/client-request.ts';
import { suppliedConversationName } from '../../src/kernel/conversation/conversation.ts';
import { PrefixGuard } from '../../src/kernel/conversation/prefix-guard.ts';
import { Exchange } from '../../src/kernel/exchange.ts';
import { LazyJsonObject } from '../../src/kernel/json/lazy-json-object.ts';
import type { Message } from '../../src/kernel/message.ts';
import { Trace } from '../../src/kernel/trace.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { demo } from '../../src/providers/demo/demo.ts';
import { MemoryCacheBackend } from '../../src/storage/memory/memory-cache-backend.ts';
import { createModuleTables } from '../../src/testing/module-tables.ts';
import { anthropicMessages } from '../../src/wire/index.ts';

const rounds = 7;
const sdkHeaders = [
  ...['Host', '127.0.0.1:3099', 'Accept', 'application/json', 'Content-Type', 'application/json'],
  ...['User-Agent', 'Anthropic/JS 1.8.0', 'X-Stainless-Retry-Count', '0', 'X-Stainless-Timeout', '600'],
  ...['X-Stainless-Lang', 'js', 'X-Stainless-Package-Version', '1.8.0', 'X-Stainless-OS', 'Linux'],
  ...['X-Stainless-Arch', 'arm64', 'X-Stainless-Runtime', 'node', 'anthropic-version', '2023-06-01'],
  ...['X-Api-Key', 'any', 'Connection', 'keep-alive', 'Accept-Encoding', 'gzip', 'Content-Length', '123'],
];
const session = '0b5f4d5e-5a9c-4f8c-9d57-6c1c3b1a2f3e';

function exchangeWith(turns: number, headers: readonly string[]): Exchange {
  const messages = Array.from(
    { length: turns },
    (_, at): Message => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: `${at} ${'word '.repeat(200)}` }],
    }),
  );
  const body = Buffer.from(
    JSON.stringify({ model: 'demo-1', max_tokens: 100, system: 'Be brief.', messages }),
  );
  return new Exchange({
    id: 'req_bench',
    clientRequest: new ClientRequest({
      wire: anthropicMessages,
      fields: LazyJsonObject.of(body),
      headers,
      query: '',
    }),
    caller: { kind: 'local' },
    target: { provider: demo, model: 'demo-1' },
    presence: new ClientPresence(),
    trace: new Trace(0),
    credentials: { find: async () => undefined },
  });
}

/** Microseconds of CPU time, the median of several rounds; `prepare` is not counted. */
async function measured<Given>(
  name: string,
  times: number,
  { prepare, run }: { prepare: () => Given; run: (given: Given) => unknown },
): Promise<void> {
  const results: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const given = Array.from({ length: times }, prepare);
    const before = process.cpuUsage();
    for (const one of given) await run(one);
    const { user, system } = process.cpuUsage(before);
    results.push((user + system) / times);
  }
  const median = results.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
  console.log(`${name.padEnd(72)} ${median.toFixed(1).padStart(9)} µs`);
}

const cacheBackend = new MemoryCacheBackend(systemClock);
const guard = new PrefixGuard({ cacheBackend, prices: { priceOf: () => undefined }, clock: systemClock });
const { modules: stores } = createModuleTables();
const decisionLogs = new DecisionLogs({
  stores,
  clock: systemClock,
  sealing: new Sealer([Buffer.alloc(32, 'bench')]),
});

await measured('nothing (the loop itself)', 20_000, { prepare: () => undefined, run: () => undefined });
for (const [what, headers] of [
  ['no module edits, no mark', sdkHeaders],
  ['no module edits, a session mark', [...sdkHeaders, 'x-claude-code-session-id', session]],
] as const) {
  const { clientRequest } = exchangeWith(3, headers);
  await measured(`name of a call: ${what}`, 20_000, {
    prepare: () => clientRequest,
    run: suppliedConversationName,
  });
}
for (const turns of [3, 101, 1001]) {
  const prepare = () => {
    const exchange = exchangeWith(turns, sdkHeaders);
    void exchange.request;
    return exchange;
  };
  const times = turns > 1000 ? 10 : 100;
  await measured(`places of a conversation of ${turns} messages, 1 KB each`, times, {
    prepare,
    run: (exchange) => exchange.conversation.digestAt(),
  });
  await measured('  and what its provider keeps', times, {
    prepare,
    run: async (exchange) => (await guard.open(exchange, ['editor'])).recordReplyStart(exchange),
  });
}
await measured('a decision that is known', 20_000, {
  prepare: () => decisionLogs.of({ module: 'editor', scope: 'local', root: 'known' }),
  run: (decisionLog) => decisionLog.decideOnce('place', () => 1),
});
