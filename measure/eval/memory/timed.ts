import type { ChatRequest, Message } from '../../../src/kernel/message.ts';
import { ipc } from '../../../src/modules/ipc/ipc.ts';
import { compileCard } from '../../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { answered } from './simulated.ts';

const rounds = 20;

/** What the module takes of a core before its call goes on: where nothing is left out, where a known view is sent, and where 200,000 tokens are made smaller. */
export async function timed(): Promise<void> {
  const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const prices = {
    priceOf: () => ({ card, estimated: false, contextTokens: 1_000_000, cacheSeconds: 300 }),
    bill: () => ({ nanoUsd: 0, estimated: false }),
  };
  const making = (options: string) => runModule(ipc, { options: `holdout=0&${options}` }, { prices });
  const [idle, known] = [making('target=1'), making('target=100000')];
  const [begun, large] = [conversationOf(90_000, 'small'), conversationOf(200_000, 'known')];
  const times: Record<'idle' | 'known' | 'anew', number[]> = { idle: [], known: [], anew: [] };
  for (let round = 0; round < rounds; round++) {
    await known(large, { upstream: answered });
    const before = await guardedMs(idle, large);
    const small = wentOn(begun, round);
    times.idle.push((await guardedMs(idle, small)) - (await guardedMs(idle, small, 'none')));
    times.known.push((await guardedMs(known, large)) - before);
    const fresh = conversationOf(200_000, `anew ${round}`);
    times.anew.push((await guardedMs(making('target=100000'), fresh)) - before);
  }
  console.log(
    `\nCPU of a call until it goes on, median of ${rounds}: 90,000 tokens of which nothing is left out, with the guard, ${median(times.idle)} ms more than without any module;`,
    `beyond that, 200,000 that are sent as before ${median(times.known)} ms, 200,000 that are made smaller ${median(times.anew)} ms`,
  );
}

/** The same conversation, some turns later. */
function wentOn(request: ChatRequest, turns: number): ChatRequest {
  const more = Array.from({ length: turns }, (_, turn): readonly Message[] => [
    { role: 'assistant', content: `Part ${turn} is done.` },
    { role: 'user', content: `Go on with part ${turn + 1}.` },
  ]);
  return { ...request, messages: [...request.messages, ...more.flat()] };
}

/** Of this thread, up to the provider: what comes after the call is not waited for. */
async function guardedMs(
  run: ReturnType<typeof runModule>,
  request: ChatRequest,
  pipeline?: string,
): Promise<number> {
  const start = process.threadCpuUsage();
  let ms = 0;
  const upstream = () => {
    const { user, system } = process.threadCpuUsage(start);
    ms = (user + system) / 1000;
    return answered();
  };
  const { error } = await run(request, pipeline === undefined ? { upstream } : { upstream, pipeline });
  if (error !== undefined) throw error;
  return ms;
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
