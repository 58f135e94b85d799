import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRequest, Message } from '../../../src/kernel/message.ts';
import { ipc } from '../../../src/modules/ipc/ipc.ts';
import { recallCharsMax } from '../../../src/modules/ipc/limits.ts';
import { searchMessages } from '../../../src/modules/ipc/text/search.ts';
import { compileCard } from '../../../src/providers/catalog/price-sheet.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { type LocomoQuestion, type LocomoTurn, rowsOf } from './rows.ts';
import { answered } from './simulated.ts';

interface Outcome {
  readonly category: string;
  readonly isThere: boolean;
  readonly isRecalled: boolean;
  readonly share: number;
  readonly recalledTokens: number;
}

/** Is what a question needs still in the request, of which nobody knew the question when it was made smaller? */
export async function talksIn(folder: string, share: number): Promise<readonly Outcome[]> {
  const questions = rowsOf<LocomoQuestion>(join(folder, 'questions.jsonl'));
  const outcomes: Outcome[] = [];
  for (const file of readdirSync(folder).filter((name) => name !== 'questions.jsonl')) {
    const path = join(folder, file);
    if (!file.endsWith('.jsonl') || !existsSync(path)) continue;
    const own = questions.filter(({ conversation }) => `${conversation}.jsonl` === file);
    outcomes.push(...(await conversation(rowsOf<LocomoTurn>(path), own, share)));
  }
  return outcomes;
}

async function conversation(
  turns: readonly LocomoTurn[],
  questions: readonly LocomoQuestion[],
  share: number,
): Promise<readonly Outcome[]> {
  const full = turns.reduce((sum, { message }) => sum + tokensOf(textOf(message.content)), 0);
  const texts = new Map(turns.map(({ id, text, message }) => [String(id), text ?? textOf(message.content)]));
  const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const prices = {
    priceOf: () => ({ card, estimated: false, contextTokens: 200_000, cacheSeconds: 300 }),
    bill: () => ({ nanoUsd: 0, estimated: false }),
  };
  // What the scorer counts is all text of a request, names of roles and the tool included.
  const target = Math.floor(full * share);
  const run = runModule(ipc, { options: `holdout=0&target=${target}`, upstream: answered }, { prices });
  const all = turns.map(({ message }) => message);
  // The conversation goes through first, and is answered; then comes the question.
  const isAnswered = all.at(-1)?.role === 'assistant';
  const said: readonly Message[] = isAnswered ? all : [...all, { role: 'assistant', content: 'I see.' }];
  const whole: ChatRequest = { model: 'demo-1', max_tokens: 100, messages: said.slice(0, -1) };
  await run(whole);
  const outcomes: Outcome[] = [];
  for (const { question, category, evidence } of questions) {
    const wanted = evidence.flatMap((id) => texts.get(String(id)) ?? []).map(squeezed);
    if (wanted.length === 0) continue;
    const messages: readonly Message[] = [...said, { role: 'user', content: question }];
    const { sent } = await run({ ...whole, messages });
    const request = textOf(sent[0]);
    const recalled = await searchMessages(messages, question, { chars: recallCharsMax });
    const has = (text: string) => wanted.every((one) => squeezed(text).includes(one));
    outcomes.push({
      category,
      isThere: has(request),
      isRecalled: has(`${request}\n${recalled}`),
      share: tokensOf(request) / full,
      recalledTokens: tokensOf(recalled),
    });
  }
  return outcomes;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (value !== null && typeof value === 'object') return Object.values(value).map(textOf).join('\n');
  return String(value ?? '');
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

function tokensOf(text: string): number {
  return Buffer.byteLength(text) / 4;
}
