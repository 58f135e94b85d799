import type { ChatRequest, Message } from '../../src/kernel/message.ts';
import { ipc } from '../../src/modules/ipc/ipc.ts';
import { compileCard } from '../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../src/testing/run-module.ts';
import { answered } from './simulated.ts';

const rounds = 20;

/** What the module takes of a core: where nothing is left out, where a known view is sent, and where 200,000 tokens are made smaller. */
export async function timed(): Promise<void> {
  const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const prices = {
    priced: () => ({ card, estimated: false, contextTokens: 1_000_000, cacheSeconds: 300 }),
    bill: () => ({ nanoUsd: 0, estimated: false }),
  };
  const making = (options: string) => runModule(ipc, { options, upstream: answered }, { prices });
  // A module that edits is watched by the prefix guard, which reads all of a conversation: with a target that is never reached that is all.
  const [idle, known, rows] = [making('target=1'), making('target=100000'), new Map<string, number[]>()];
  const add = (name: string, ms: number) => rows.set(name, [...(rows.get(name) ?? []), ms]);
  const [small, large] = [conversationOf(90_000, 'small'), conversationOf(200_000, 'known')];
  for (let round = 0; round < rounds; round++) {
    await known(large);
    add('small', await cpuMs(making('target=1'), small));
    add('tiny', await cpuMs(making('target=1'), { ...small, messages: small.messages.slice(0, 1) }));
    const watched = await cpuMs(idle, large);
    add('known', (await cpuMs(known, large)) - watched);
    add('anew', (await cpuMs(making('target=100000'), conversationOf(200_000, `anew ${round}`))) - watched);
  }
  const told = (name: string) => median(rows.get(name) ?? []);
  console.log(
    `\nCPU in a call, median of ${rounds}: 90,000 tokens of which nothing is left out, watched by the guard, ${told('small')} ms (a short call ${told('tiny')} ms);`,
    `beyond that, 200,000 that are sent as before ${told('known')} ms, 200,000 that are made smaller ${told('anew')} ms`,
  );
}

async function cpuMs(run: ReturnType<typeof runModule>, request: ChatRequest): Promise<number> {
  const before = process.cpuUsage();
  const { error } = await run(request);
  if (error !== undefined) throw error;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function conversationOf(tokens: number, name: string): ChatRequest {
  const messages: Message[] = [];
  for (let turn = 0, chars = 0; chars < tokens * 4; turn++) {
    const text = Array.from(
      { length: 12 },
      (_, at) =>
        `In ${name} turn ${turn} we decided that part ${at} of Module${turn % 90} needs ${turn * 7 + at} checks because users in Lisbon asked for them.`,
    ).join(' ');
    chars += text.length + 30;
    messages.push({ role: turn % 2 === 0 ? 'user' : 'assistant', content: text });
  }
  if (messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: 'Go on.' });
  return { model: 'demo-1', max_tokens: 100, messages };
}

function median(times: readonly number[]): string {
  return ([...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0).toFixed(1);
}
