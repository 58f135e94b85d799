import type { Message } from '../../../src/kernel/message.ts';
import { type Provider, type Scorer, SimulatedRun } from './simulated.ts';
import { requestsIn } from './traces.ts';

const target = 50_000 * 4;

interface Way {
  readonly name: string;
  /** How many results of old calls are cleared, of so many, where so many were before. */
  cleared(uses: number, before: number): number;
}

/** All but the latest three at each call, as the provider does by itself; or in steps, as often as a step of ours would be taken. */
const ways: readonly Way[] = [
  { name: 'keeping 3, at each call', cleared: (uses) => Math.max(0, uses - 3) },
  ...[20, 60].map((apart) => ({
    name: `frozen for ${apart} calls`,
    cleared: (uses: number, before: number) => (uses - before >= apart + 6 ? uses - 6 : before),
  })),
];

/** What a recorded session would cost if its provider left out results of old calls. */
export async function clearedByProvider(
  file: string,
  { scorer, provider }: { readonly scorer: Scorer; readonly provider: Provider },
): Promise<void> {
  for (const { name, cleared } of ways) {
    const plain = new SimulatedRun(scorer, provider, undefined);
    const edited = new SimulatedRun(scorer, provider, undefined);
    let before = 0;
    for (const { request, atSeconds } of requestsIn(file, true)) {
      await plain.call(request, atSeconds);
      const uses = resultsIn(request.messages);
      if (before > 0 || JSON.stringify(request.messages).length > target) before = cleared(uses, before);
      await edited.call({ ...request, messages: withoutResults(request.messages, before) }, atSeconds);
    }
    console.log(
      `cleared by the provider, ${name}: $${edited.dollars.toFixed(2)} of $${plain.dollars.toFixed(2)}`,
    );
  }
}

function resultsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + resultsOf(content), 0);
}

function resultsOf(content: Message['content']): number {
  return typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'tool_result').length;
}

function withoutResults(messages: readonly Message[], count: number): readonly Message[] {
  let left = count;
  return messages.map((message) => {
    if (left <= 0 || typeof message.content === 'string') return message;
    const content = message.content.map((block) =>
      block.type === 'tool_result' && left-- > 0 ? { ...block, content: '[cleared to save context]' } : block,
    );
    return { ...message, content };
  });
}
