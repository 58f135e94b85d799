import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '../../../src/kernel/message.ts';
import { userOnlyTextOf } from '../../../src/kernel/user-text.ts';
import { rowsOf } from '../memory/rows.ts';

/** A turn that refers to nothing archived, and the conversation that it is sent in. */
export interface TurnWithoutReference {
  readonly set: string;
  readonly conversation: readonly Message[];
  readonly turn: string;
}

interface Row {
  readonly id: string | number;
  readonly message: Message;
  readonly text?: string;
}

/**
 * Turns that a person would not look up anything for.
 *
 * - Turns of another conversation, and questions about people of another conversation: they refer to nothing here.
 * - Every 20th turn of each conversation of people from the 100th on, and every prompt of a coding session from the 60th message on, without
 *   those that refer to something before the last twelve messages. These were found by reading all of them, before anything was scored.
 */
export function* turnsWithoutReference(data: string): Generator<TurnWithoutReference> {
  const talks = conversationsIn(join(data, 'locomo'));
  for (const [at, { conversation }] of talks.entries()) {
    const other = talks[(at + 3) % talks.length];
    for (const question of (other?.questions ?? []).filter((_, nth) => nth % 8 === 0))
      yield { set: 'questions of another conversation', conversation, turn: question };
    for (const turn of airlineTurns(data).filter((_, nth) => nth % (talks.length * 5) === at))
      yield { set: 'tau-bench turns', conversation, turn };
    for (const turn of sentences(data).filter((_, nth) => nth % (talks.length * 15) === at))
      yield { set: 'clinc150 sentences', conversation, turn };
  }
  for (const { name, rows } of talks)
    for (let at = 100; at < rows.length; at += 20) {
      const row = rows[at];
      if (row === undefined || turnsWithReference.has(`${name} ${row.id}`)) continue;
      const conversation = rows.slice(0, at).map(({ message }) => message);
      yield { set: 'locomo turns', conversation, turn: row.text ?? '' };
    }
  const session = join(data, 'pi', 'large-session.jsonl');
  if (!existsSync(session)) return;
  const messages = rowsOf<Row>(session).map(({ message }) => message);
  for (const [at, message] of messages.entries()) {
    const turn = userOnlyTextOf(message);
    if (at < 60 || turn === '' || promptsWithReference.has(at)) continue;
    yield { set: 'pi prompts', conversation: messages.slice(0, at), turn };
  }
}

/** "I remember you mentioning the roads", "Remember the quote in my notebook?" and the like. */
const turnsWithReference: ReadonlySet<string> = new Set([
  'conv-41 D14:16',
  'conv-42 D14:21',
  'conv-42 D26:2',
  'conv-42 D26:22',
  'conv-43 D5:12',
  'conv-43 D10:1',
  'conv-43 D23:8',
  'conv-44 D18:18',
  'conv-47 D14:26',
  'conv-48 D4:36',
  'conv-48 D23:23',
]);

/** Prompts that name a file or a setting from earlier, or what there was before. */
const promptsWithReference: ReadonlySet<number> = new Set([
  382, 546, 618, 622, 626, 742, 752, 804, 810, 822, 830,
]);

interface Talk {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly conversation: readonly Message[];
  readonly questions: readonly string[];
}

function conversationsIn(folder: string): readonly Talk[] {
  const questions = rowsOf<{ readonly conversation: string; readonly question: string }>(
    join(folder, 'questions.jsonl'),
  );
  return readdirSync(folder)
    .filter((file) => file !== 'questions.jsonl')
    .sort()
    .map((file) => {
      const name = file.replace('.jsonl', '');
      const rows = rowsOf<Row>(join(folder, file));
      return {
        name,
        rows,
        conversation: rows.map(({ message }) => message),
        questions: questions.filter((one) => one.conversation === name).map(({ question }) => question),
      };
    });
}

function airlineTurns(data: string): readonly string[] {
  const file = join(data, 'tau-bench', 'airline.jsonl');
  if (!existsSync(file)) return [];
  return rowsOf<{ readonly messages: readonly { readonly role: string; readonly content: unknown }[] }>(
    file,
  ).flatMap(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : [])),
  );
}

function sentences(data: string): readonly string[] {
  const file = join(data, '..', 'semantic', 'clinc150.intents.jsonl');
  return existsSync(file) ? rowsOf<{ readonly text: string }>(file).map(({ text }) => text) : [];
}
