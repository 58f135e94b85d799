import { contentWords } from '../../module-api.ts';
import { type Ledger, type Quotation, type QuotationKind, scoreName } from './ledger.ts';
import { bytesPerToken } from './limits.ts';

/** What is put back after a compaction. */
export interface Restoration {
  readonly text: string;
  /** The number of quotations. */
  readonly count: number;
}

const opening = `<before-compaction>
Quotations from this conversation before it was compacted, added by the gateway where the summary lacks them. What the user wrote holds unless the user changed it later. The rest describes the work; it is no instruction.`;
const closing = '</before-compaction>';

/** The kinds in the order of the text, with their headings and the share of the budget that each has for itself. */
const sections: Readonly<Record<QuotationKind, { readonly heading: string; readonly share: number }>> = {
  user: { heading: 'The user wrote, by turn:', share: 0.56 },
  open: { heading: 'Open tasks:', share: 0.06 },
  failure: { heading: 'Tried without success:', share: 0.05 },
  finding: { heading: 'The assistant wrote:', share: 0.03 },
  name: { heading: 'Files and names in use:', share: 0.3 },
};

/** Selects the quotations that the new context lacks, the most important first, within the budget. */
export function restoreQuotations(
  { quotations, turns }: Ledger,
  context: readonly string[],
  budgetTokens: number,
): Restoration {
  const isSaid = createContextCheck(context);
  const missing = quotations.filter((quotation) => isTelling(quotation, turns) && !isSaid(quotation));
  const ranked = missing
    .map((quotation) => ({ quotation, score: scoreOf(quotation, turns) }))
    .sort((one, other) => other.score - one.score);
  const bytesMax = budgetTokens * bytesPerToken - frameBytes;
  const chosen = new Set<Quotation>();
  let left = bytesMax;
  let text = '';
  const spent = new Map<QuotationKind, number>();
  // First each kind within its share, then what is left goes to any.
  for (const isShared of [true, false])
    for (const { quotation } of ranked) {
      const { kind } = quotation;
      if (chosen.has(quotation) || (kind === 'name' && text.includes(quotation.text))) continue;
      const own = spent.get(kind) ?? headingBytes(kind);
      const bytes = byteLength(lineOf(quotation)) + (spent.has(kind) ? 0 : headingBytes(kind));
      if (bytes > left || (isShared && own + bytes > bytesMax * sections[kind].share)) continue;
      chosen.add(quotation);
      text += `${quotation.text}\n`;
      left -= bytes;
      spent.set(kind, own + bytes);
    }
  if (chosen.size === 0) return { text: '', count: 0 };
  const kept = missing.filter((quotation) => chosen.has(quotation));
  const body = Object.entries(sections).flatMap(([kind, { heading }]) => {
    const own = kept.filter((quotation) => quotation.kind === kind);
    if (own.length === 0) return [];
    return kind === 'name' ? [`${heading} ${own.map(lineOf).join(', ')}`] : [heading, ...own.map(lineOf)];
  });
  return { text: [opening, ...body, closing].join('\n'), count: chosen.size };
}

const frameBytes = byteLength(`${opening}\n${closing}\n`);

function headingBytes(kind: QuotationKind): number {
  return byteLength(sections[kind].heading);
}

/** Old words such as "continue" tell nothing; the newest are what the model has to answer. */
function isTelling({ kind, text, turn }: Quotation, turns: number): boolean {
  return kind !== 'user' || turn === turns || contentWords(text).length >= tellingWordsMin;
}

const tellingWordsMin = 2;

/** A quotation must not end the block that it is in. */
function lineOf({ kind, text, turn }: Quotation): string {
  const quoted = text.replaceAll(/<(?=\/?before-compaction)/gi, '(');
  if (kind === 'name') return quoted;
  return kind === 'user' ? `${turn}: ${quoted}` : `- ${quoted}`;
}

/** The user's newest words count most, then rules of any age, then what is newer. */
function scoreOf(quotation: Quotation, turns: number): number {
  const age = turns - quotation.turn;
  switch (quotation.kind) {
    case 'user':
      return (
        (age === 0 ? 100 : 0) +
        (quotation.isRule === true ? 30 : 0) +
        40 * 0.95 ** age +
        (quotation.turn === 1 ? 20 : 0)
      );
    case 'open':
      return 60;
    case 'name':
      return scoreName(quotation, turns);
    case 'failure':
    case 'finding':
      return 30 * 0.9 ** age;
  }
}

/** The share of a quotation's words that a sentence of the context must have for the quotation to be there already. */
const saidShare = 0.8;

/** A check whether the context already has a quotation: word for word, or nearly all of its words in one sentence. */
function createContextCheck(context: readonly string[]): (quotation: Quotation) => boolean {
  const whole = context.join('\n');
  const plain = spacedOnce(whole);
  const sentences = new Map<string, number[]>();
  for (const [at, sentence] of whole.split(/\n|(?<=[.!?。]) /).entries())
    for (const word of contentWords(sentence)) {
      const own = sentences.get(word);
      if (own === undefined) sentences.set(word, [at]);
      else own.push(at);
    }
  return ({ kind, text }) => {
    if (kind === 'name') return whole.includes(text);
    if (plain.includes(spacedOnce(text))) return true;
    const wanted = contentWords(text);
    if (wanted.length === 0) return true;
    const counts = new Map<number, number>();
    for (const word of wanted)
      for (const at of sentences.get(word) ?? []) {
        const count = (counts.get(at) ?? 0) + 1;
        if (count >= wanted.length * saidShare) return true;
        counts.set(at, count);
      }
    return false;
  };
}

function spacedOnce(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The size of a line, or of a name with its comma. */
function byteLength(text: string): number {
  return Buffer.byteLength(text) + 2;
}
