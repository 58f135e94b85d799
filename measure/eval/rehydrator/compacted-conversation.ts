import type { Message } from '../../../src/kernel/message.ts';
import type { Embeddings } from '../../../src/kernel/ports/embeddings.ts';
import { ipc } from '../../../src/modules/ipc/ipc.ts';
import { rehydrator } from '../../../src/modules/rehydrator/rehydrator.ts';
import { compileCard } from '../../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { answered } from '../memory/simulated.ts';

export interface SentTurn {
  /** All text that was sent before the newest turn, and with it. */
  readonly before: string;
  readonly whole: string;
  /** Tokens that rehydrator appended to the newest turn. */
  readonly tokens: number;
  /** Milliseconds of rehydrator's own work. */
  readonly ms: number;
}

/** A conversation through ipc, at a quarter of its tokens, and rehydrator. */
export class CompactedConversation {
  readonly #messages: readonly Message[];
  readonly #run: ReturnType<typeof runModule>;

  constructor(
    messages: readonly Message[],
    { options, embeddings }: { readonly options: string; readonly embeddings?: Embeddings | undefined },
  ) {
    const isAnswered = messages.at(-1)?.role === 'assistant';
    this.#messages = isAnswered ? messages : [...messages, { role: 'assistant', content: 'I see.' }];
    const tokens = messages.reduce((sum, { content }) => sum + tokensOf(textOf(content)), 0);
    const target = Math.max(1000, Math.floor(tokens / 4));
    const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
    this.#run = runModule(
      ipc,
      {
        pipeline: `ipc?holdout=0&target=${target},rehydrator?${['holdout=0', options].filter(Boolean).join('&')}`,
        headers: ['x-weir-conversation', 'eval'],
        upstream: answered,
      },
      {
        prices: {
          priceOf: () => ({ card, estimated: false, contextTokens: 200_000, cacheSeconds: 300 }),
          bill: () => ({ nanoUsd: 0, estimated: false }),
        },
        otherModules: [rehydrator()],
        ...(embeddings === undefined ? {} : { embeddings }),
      },
    );
  }

  /** Sends the conversation without its last answer, so that ipc has compacted it before the next turn. */
  async open(): Promise<void> {
    await this.#call(this.#messages.slice(0, -1));
  }

  async send(turn: string): Promise<SentTurn> {
    return this.#call([...this.#messages, { role: 'user', content: turn }]);
  }

  async #call(messages: readonly Message[]): Promise<SentTurn> {
    const { sent, steps, error } = await this.#run({ model: 'demo-1', max_tokens: 100, messages });
    if (error !== undefined) throw error;
    const step = steps.find(({ module }) => module === 'rehydrator');
    return {
      before: textOf(sent[0]?.messages.slice(0, -1)),
      whole: textOf(sent[0]?.messages),
      tokens: Number(step?.attributes.tokens ?? 0),
      ms: step?.ownMs ?? 0,
    };
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return value !== null && typeof value === 'object' ? Object.values(value).map(textOf).join('\n') : '';
}

function tokensOf(text: string): number {
  return Buffer.byteLength(text) / 4;
}
