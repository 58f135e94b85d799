import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalModels } from '../../../src/embeddings/local-models.ts';
import { LocalTextModels } from '../../../src/embeddings/local-text-models.ts';
import { findModelFiles } from '../../../src/embeddings/model-files.ts';
import {
  type InjectionResult,
  InjectionScanner,
} from '../../../src/modules/guardrails/injection/injection-scanner.ts';
import { readRows } from './spans.ts';

interface Row {
  readonly id: string;
  readonly text: string;
  readonly attack: boolean;
}

interface ScannedRow extends Row, InjectionResult {}

type Field = 'message' | 'tool-result';

/**
 * Recall and false alarms. The limits and weights were chosen on notinject, wildguard-benign, both parts of deepset and the
 * documents below, so only other sets are free of that.
 */
export async function reportInjection(data: string, showsMisses: boolean): Promise<void> {
  const models = new LocalModels({ findFiles: findModelFiles });
  const injectionScanner = new InjectionScanner();
  const textModels = new LocalTextModels(models);
  const scan = async (rows: readonly Row[], field: Field): Promise<readonly ScannedRow[]> => {
    const scanned: ScannedRow[] = [];
    for (const row of rows) {
      const { results } = await injectionScanner.scan([{ text: row.text, field, role: 'user' }], {
        scope: '',
        textModels,
        deadlineMs: 60_000,
      });
      for (const result of results)
        scanned.push({
          ...row,
          ...(result ?? { isFlagged: false, score: Number.NEGATIVE_INFINITY, cues: [] }),
        });
    }
    return scanned;
  };
  try {
    const set = (name: string) => readRows<Row>(data, `guardrails/injection/${name}.jsonl`);
    const deepset = await scan(set('deepset'), 'message');
    const harmless = await scan([...set('notinject'), ...set('wildguard-benign')], 'message');
    const others = await scan(set('piguard-valid'), 'message');
    const documents = readDocuments(data);
    const inDocuments = await scan(putIntoDocuments(set('bipia'), documents), 'tool-result');
    const clean = await scan(documents.map(harmlessRow), 'tool-result');
    console.log('\nInjection\ntexts                                          flagged');
    const lines: readonly (readonly [string, readonly ScannedRow[]])[] = [
      ['deepset, attacks', deepset.filter(({ attack }) => attack)],
      ['deepset, harmless', deepset.filter(({ attack }) => !attack)],
      ['piguard-valid, attacks', others.filter(({ attack }) => attack)],
      ['piguard-valid, harmless', others.filter(({ attack }) => !attack)],
      ['notinject and wildguard-benign, harmless', harmless],
      ['attacks of bipia in documents', inDocuments],
      ['the documents alone', clean],
    ];
    for (const [name, rows] of lines) console.log(`${name.padEnd(44)}${share(rows, 0)}`);
    console.log('\nThe curve: the limit moved by');
    for (const by of [-2, -1, -0.5, 0, 0.5, 1, 2, 3])
      console.log(
        `${String(by).padStart(5)}   deepset ${share(
          deepset.filter(({ attack }) => attack),
          by,
        )}   notinject and wildguard-benign ${share(harmless, by)}   in documents ${share(inDocuments, by)}   documents ${share(clean, by)}`,
      );
    const { messages, results: toolResults } = readSession(data);
    const session: readonly ScannedRow[] = [
      ...(await scan(messages.map(harmlessRow), 'message')),
      ...(await scan(toolResults.map(harmlessRow), 'tool-result')),
    ];
    const prompts = await scan(readPrompts(data).map(harmlessRow), 'message');
    for (const [name, rows] of [
      ['coding session', session],
      ['system prompts of agents, as messages', prompts],
    ] as const) {
      const tokens = rows.reduce((sum, { text }) => sum + Buffer.byteLength(text) / 4, 0);
      const flagged = rows.filter(({ isFlagged }) => isFlagged).length;
      console.log(
        `${name.padEnd(44)}${flagged} of ${rows.length} flagged, ${((flagged * 20_000) / tokens).toFixed(2)} per 20,000 tokens`,
      );
    }
    if (showsMisses)
      for (const { id, text, attack, isFlagged, score, cues } of [
        ...[deepset, harmless, others, inDocuments, clean, session, prompts].flat(),
      ])
        if (attack !== isFlagged)
          console.log(
            `${attack ? 'missed' : 'wrong '} ${id} ${score.toFixed(1)} ${cues.join(', ')} ${text.slice(0, 160).replace(/\s+/g, ' ')}`,
          );
  } finally {
    await models.close();
  }
}

function share(rows: readonly ScannedRow[], limit: number): string {
  const flagged = rows.filter(({ score }) => score >= limit).length;
  return `${(flagged / rows.length).toFixed(3)} (${flagged} of ${rows.length})`;
}

function harmlessRow(text: string, at: number): Row {
  return { id: `harmless-${at}`, text, attack: false };
}

/** Answers of an airline's tools, pages of our documentation, and conversations of friends, of about 1,500 characters. */
function readDocuments(data: string): readonly string[] {
  const answers = readRows<{ messages: readonly { role: string; content: unknown }[] }>(
    data,
    'memory/tau-bench/airline.jsonl',
  ).flatMap(({ messages }) =>
    messages.flatMap(({ role, content }) =>
      role === 'tool' && typeof content === 'string' && content.length > 300 ? [content] : [],
    ),
  );
  const conversations = globSync(join(data, 'memory/locomo/conv*.jsonl')).flatMap((file) =>
    chunk(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): string => JSON.parse(line).text),
      12,
    ).map((turns) => turns.join('\n')),
  );
  const pages = globSync('docs/guides/*.md').map((file) => readFileSync(file, 'utf8'));
  const every = (texts: readonly string[], count: number) =>
    texts.filter((_, at) => at % Math.ceil(texts.length / count) === 0);
  return [...every(answers, 70), ...every(conversations, 70), ...pages].map((text) => text.slice(0, 1500));
}

function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/** Each attack at the beginning, in the middle or at the end of a document. */
function putIntoDocuments(attacks: readonly Row[], documents: readonly string[]): readonly Row[] {
  return attacks.map((row, at) => {
    const document = documents[(at * 7919) % documents.length] ?? '';
    const cut = [0, document.lastIndexOf(' ', document.length / 2), document.length][at % 3] ?? 0;
    return { ...row, attack: true, text: `${document.slice(0, cut)}\n${row.text}\n${document.slice(cut)}` };
  });
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

/** A real coding session: what its user wrote, and what tools answered. */
function readSession(data: string) {
  const lines = readRows<{ message: { role: string; content: string | readonly Block[] } }>(
    data,
    'memory/pi/large-session.jsonl',
  );
  const contents = lines
    .filter(({ message }) => message.role === 'user')
    .map(({ message }) => message.content);
  const results = contents.flatMap((content) =>
    typeof content === 'string' ? [] : content.flatMap((block) => textsOf(block.content ?? [])),
  );
  return { messages: contents.flatMap(textsOf), results };
}

function textsOf(content: string | readonly Block[]): readonly string[] {
  return typeof content === 'string' ? [content] : content.flatMap(({ text }) => text ?? []);
}

function readPrompts(data: string): readonly string[] {
  return globSync(join(data, 'prompts/agents/*')).map((file) => readFileSync(file, 'utf8'));
}
