// What rehydrator brings back, and how often it acts without need: npm run eval:rehydrator -- --data <folder> [--options budget_tokens=1500] [--every 4] [--vectors] [--show]
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Message } from '../../src/kernel/message.ts';
import { type LocomoQuestion, type LocomoTurn, rowsOf } from './memory/rows.ts';
import { CompactedConversation } from './rehydrator/compacted-conversation.ts';
import { turnsWithoutReference } from './rehydrator/turns-without-reference.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    options: { type: 'string', default: '' },
    /** Every so many questions. */
    every: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
  },
});
const folder = values.data;
const { options } = values;

if (folder === undefined || !existsSync(join(folder, 'locomo')))
  console.log(`skipped: there are no conversations at ${folder ?? '--data <folder>'}`);
else {
  await reportEvidence(join(folder, 'locomo'));
  await reportNeedlessActs(folder);
}

/** Whether the evidence of each question is in the request, with and without what rehydrator appended. */
async function reportEvidence(locomo: string): Promise<void> {
  const questions = rowsOf<LocomoQuestion>(join(locomo, 'questions.jsonl'));
  const files = readdirSync(locomo).filter((file) => file !== 'questions.jsonl');
  console.log(
    'conversations   questions   evidence sent   with rehydrator   acts   tokens, mean and most   p95',
  );
  for (const half of [0, 1]) {
    const outcomes: { isSent: boolean; isThere: boolean; tokens: number; ms: number }[] = [];
    for (const file of files.sort().filter((_, at) => at % 2 === half)) {
      const turns = rowsOf<LocomoTurn>(join(locomo, file));
      const texts = new Map(
        turns.map(({ id, text, message }) => [String(id), squeeze(text ?? String(message.content))]),
      );
      const conversation = new CompactedConversation(
        turns.map(({ message }) => message),
        { options },
      );
      await conversation.open();
      const own = questions.filter((one) => `${one.conversation}.jsonl` === file);
      for (const { question, evidence } of own.filter((_, at) => at % Number(values.every) === 0)) {
        const wanted = evidence.flatMap((id) => texts.get(String(id)) ?? []);
        if (wanted.length === 0) continue;
        const { before, whole, tokens, ms } = await conversation.send(question);
        const has = (text: string) => wanted.every((one) => squeeze(text).includes(one));
        outcomes.push({ isSent: has(before), isThere: has(whole), tokens, ms });
      }
    }
    const tokens = outcomes.map((one) => one.tokens);
    console.log(
      (half === 0 ? 'to build on' : 'others').padEnd(15),
      String(outcomes.length).padEnd(11),
      percent(share(outcomes, ({ isSent }) => isSent)).padEnd(15),
      percent(share(outcomes, ({ isThere }) => isThere)).padEnd(17),
      percent(share(outcomes, (one) => one.tokens > 0)).padEnd(6),
      `${Math.round(tokens.reduce((sum, one) => sum + one, 0) / tokens.length)}, ${Math.max(...tokens)}`.padEnd(
        23,
      ),
      `${(outcomes.map(({ ms }) => ms).sort((one, other) => one - other)[Math.floor(outcomes.length * 0.95)] ?? 0).toFixed(1)} ms`,
    );
  }
}

/** How often something is appended to a turn that refers to nothing. */
async function reportNeedlessActs(data: string): Promise<void> {
  const acts = new Map<string, boolean[]>();
  let open: { of: readonly Message[]; conversation: CompactedConversation } | undefined;
  for (const { set, conversation: messages, turn } of turnsWithoutReference(data)) {
    if (open?.of !== messages) {
      open = { of: messages, conversation: new CompactedConversation(messages, { options }) };
      await open.conversation.open();
    }
    const { tokens, whole } = await open.conversation.send(turn);
    acts.set(set, [...(acts.get(set) ?? []), tokens > 0]);
    if (values.show && tokens > 0) console.log(`\n${set}: ${turn}\n${whole.slice(-tokens * 4)}`);
  }
  console.log('\nturns that refer to nothing          number   acts');
  for (const [set, all] of [...acts, ['all', [...acts.values()].flat()] as const])
    console.log(set.padEnd(36), String(all.length).padEnd(8), percent(share(all, Boolean)));
}

function share<One>(all: readonly One[], is: (one: One) => boolean): number {
  return all.filter(is).length / all.length;
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
