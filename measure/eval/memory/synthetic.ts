import type { Block, ChatRequest, Message, Usage } from '../../../src/kernel/message.ts';
import type { Handler } from '../../../src/kernel/module.ts';
import { ipc } from '../../../src/modules/ipc/ipc.ts';
import { compileCard } from '../../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { faultsIn } from './faults.ts';
import { answeredWith } from './simulated.ts';

const hundred = 100;
const sheet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** 500 turns of an agent at work: valid requests, a prefix that stays between steps, and turns that cost no more in the end than in the middle. */
export async function synthetic(turns: number): Promise<void> {
  const card = compileCard(sheet);
  const prices = {
    priceOf: () => ({ card, estimated: false, contextTokens: 200_000, cacheSeconds: 300 }),
    bill: () => ({ nanoUsd: 0, estimated: false }),
  };
  const provider = new Keeping();
  const upstream: Handler = async ({ request }) => answeredWith(provider.usageOf(request));
  const run = runModule(
    ipc,
    { options: 'holdout=0&target=0.25', upstream },
    { prices, clock: { now: () => 0 } },
  );
  const messages: Message[] = [];
  let [steps, faults, moved] = [0, 0, 0];
  let before: readonly string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    messages.push(...saidIn(turn));
    const request: ChatRequest = { model: 'demo-1', max_tokens: 4000, messages: [...messages] };
    const { sent, step } = await run(request);
    const [asked] = sent;
    if (asked === undefined) throw new Error('nothing was sent');
    faults += faultsIn(asked).length;
    const now = blocksIn(asked);
    const isStep = step?.attributes.step === 'pays' || step?.attributes.step === 'window';
    if (isStep) steps++;
    else if (before.some((block, at) => block !== now[at])) moved++;
    before = now;
    messages.push({
      role: 'assistant',
      content: [
        { type: 'tool_use', id: `call_${turn}`, name: 'read', input: { path: `src/part-${turn}.ts` } },
      ],
    });
  }
  console.log(
    `\n${turns} turns of an agent: ${faults} faults, ${steps} steps, ${moved} other changes of what was sent before;`,
    `in the end ${Math.round(JSON.stringify(messages).length / 4)} tokens without ipc. Each hundred turns:`,
  );
  for (let from = 0; from < turns; from += hundred) {
    const own = provider.sent.slice(from, from + hundred);
    console.log(
      `  ${from}–${from + hundred}: ${Math.round(mean(own.map(({ tokens }) => tokens)))} tokens a request,`,
      `$${mean(own.map(({ dollars }) => dollars)).toFixed(4)} a turn`,
    );
  }
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, one) => sum + one, 0) / list.length;
}

/** A provider that keeps what it was sent last, and bills what it reads of that for less. */
class Keeping {
  readonly sent: { readonly tokens: number; readonly dollars: number }[] = [];
  #kept: readonly string[] = [];

  usageOf(request: ChatRequest): Usage {
    const now = blocksIn(request);
    const first = now.findIndex((block, at) => block !== this.#kept[at]);
    const same = first < 0 ? now.length : first;
    this.#kept = now;
    const [read, written] = [tokensOf(now.slice(0, same)), tokensOf(now.slice(same))];
    const dollars = (read * sheet.cacheRead + written * sheet.cacheWrite) / 1e6;
    this.sent.push({ tokens: read + written, dollars });
    return {
      input_tokens: 0,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 30,
    };
  }
}

function tokensOf(blocks: readonly string[]): number {
  return Math.round(blocks.reduce((sum, { length }) => sum + length, 0) / 4);
}

function saidIn(turn: number): readonly Message[] {
  const result: readonly Block[] =
    turn === 0 ? [] : [{ type: 'tool_result', tool_use_id: `call_${turn - 1}`, content: fileOf(turn) }];
  if (turn % 10 !== 0) return [{ role: 'user', content: result }];
  return [
    {
      role: 'user',
      content: [
        ...result,
        { type: 'text', text: `Task ${turn}: look at part ${turn} and say what it needs.` },
      ],
    },
  ];
}

function fileOf(turn: number): string {
  return Array.from(
    { length: 40 },
    (_, line) => `export const value${line} = part${turn}(${(turn * 7919 + line * 31) % 1000});`,
  ).join('\n');
}

/** With all that a provider keeps, in its order; markers are no part of it. */
function blocksIn({ tools, messages }: ChatRequest): readonly string[] {
  const blocks = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) =>
      JSON.stringify([role, { ...block, cache_control: undefined }]),
    ),
  );
  return [JSON.stringify(tools ?? []), ...blocks];
}
