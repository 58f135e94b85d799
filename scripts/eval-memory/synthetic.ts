import type { Block, ChatRequest, Message } from '../../src/kernel/message.ts';
import { ipc } from '../../src/modules/ipc/ipc.ts';
import { compileCard } from '../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../src/testing/run-module.ts';
import { faultsIn } from './faults.ts';
import { answered } from './simulated.ts';

const turns = 500;

/** 500 turns of an agent at work: valid requests, a prefix that stays between steps, and turns that cost no more in the end than in the middle. */
export async function synthetic(): Promise<void> {
  const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const prices = {
    priced: () => ({ card, estimated: false, contextTokens: 200_000, cacheSeconds: 300 }),
    bill: () => ({ nanoUsd: 0, estimated: false }),
  };
  const run = runModule(
    ipc,
    { options: 'target=0.25', upstream: answered },
    { prices, clock: { now: () => 0 } },
  );
  const messages: Message[] = [];
  const sizes: number[] = [];
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
    const isStep = step?.facts.step === 'pays' || step?.facts.step === 'window';
    if (isStep) steps++;
    else if (before.some((block, at) => block !== now[at])) moved++;
    before = now;
    sizes.push(JSON.stringify(asked).length / 4);
    messages.push({
      role: 'assistant',
      content: [
        { type: 'tool_use', id: `call_${turn}`, name: 'read', input: { path: `src/part-${turn}.ts` } },
      ],
    });
  }
  const mean = (list: readonly number[]) => Math.round(list.reduce((sum, one) => sum + one, 0) / list.length);
  console.log(
    `\n${turns} turns of an agent: ${faults} faults, ${steps} steps, ${moved} other changes of what was sent before;`,
    `tokens of a request in turns 200–300 ${mean(sizes.slice(200, 300))}, in turns 400–500 ${mean(sizes.slice(400, 500))},`,
    `without ipc ${Math.round(JSON.stringify(messages).length / 4)}`,
  );
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
