import { setImmediate as nextTurn } from 'node:timers/promises';
import { contentWords, isJsonObject, splitIntoUnits, toPlainLine } from '../../module-api.ts';
import { keptMax, ledgerCharsMax, partsMax, quotationCharsMax, readAtOnceChars } from './limits.ts';
import { namesIn, namesInArguments } from './names.ts';
import { isRule } from './rules.ts';
import type { Utterance } from './utterances.ts';

/**
 * What is quoted:
 * - `user`: what the user asked for, ruled out, corrected or decided.
 * - `name`: a path, identifier, address or number in use.
 * - `failure`: a tool call that failed, with the line of its error.
 * - `open`: an entry of the agent's task list that is not done.
 * - `finding`: what the model answered, and what it decided.
 */
export type QuotationKind = 'user' | 'name' | 'failure' | 'open' | 'finding';

/** A part of a conversation, word for word. */
export interface Quotation {
  readonly kind: QuotationKind;
  readonly text: string;
  /** The number of the user's message that it belongs to, from 1. */
  readonly turn: number;
  /** Whether the user demands, forbids or corrects something. */
  readonly isRule?: boolean;
  /** Of a name: the number of turns that it was used in. */
  readonly uses?: number;
  /** Of a name: whether the user wrote it, or a tool worked on it. */
  readonly isSubject?: boolean;
}

/** What is remembered of a conversation. */
export interface Ledger {
  /** In the order of the conversation. */
  readonly quotations: readonly Quotation[];
  /** The number of the user's messages. */
  readonly turns: number;
}

/** The parts that are kept of one answer. */
const answerPartsMax = 3;

const emptyLedger: Ledger = { quotations: [], turns: 0 };

/** Reads a conversation in turns of the event loop; `before` is the ledger of an earlier compaction of it. */
export async function keepQuotations(
  utterances: readonly Utterance[],
  before: Ledger = emptyLedger,
): Promise<Ledger> {
  const reader = new ConversationReader(before.turns);
  let chars = 0;
  for (const utterance of utterances) {
    reader.read(utterance);
    chars += utterance.text.length;
    if (chars < readAtOnceChars) continue;
    chars = 0;
    await nextTurn();
  }
  return mergeLedgers(before, reader.ledger());
}

class ConversationReader {
  #turn: number;
  readonly #users: Quotation[] = [];
  readonly #names = new Map<string, Quotation>();
  readonly #failures = new Map<string, Quotation>();
  #open: readonly Quotation[] = [];
  #findings: Quotation[] = [];
  #call: Utterance['call'];
  /** The model's latest text, which is its answer if the user speaks next. */
  #answer = '';
  #lastRole: Utterance['role'] | undefined;

  constructor(turnsBefore: number) {
    this.#turn = turnsBefore;
  }

  read({ role, text, call, failed }: Utterance): void {
    if (role === 'user') this.#readUser(text);
    else if (role === 'tool') this.#readResult(text, failed);
    else if (call === undefined) this.#readText(text);
    else this.#readCall(call);
    this.#lastRole = role;
  }

  ledger(): Ledger {
    this.#keepAnswer();
    const names = [...this.#names.values()].sort(
      (one, other) => scoreName(other, this.#turn) - scoreName(one, this.#turn),
    );
    const quotations = [
      ...this.#users.slice(-keptMax.user),
      ...this.#failures.values(),
      ...this.#open,
      ...this.#findings,
      ...names.slice(0, keptMax.name),
    ];
    return { quotations, turns: this.#turn };
  }

  #readUser(text: string): void {
    this.#keepAnswer();
    // A message may have several texts.
    if (this.#lastRole !== 'user') this.#turn++;
    this.#users.push(...partsOf(text).map((part) => this.#quote('user', part)));
    // A long text of the user is mostly pasted.
    this.#addNames(namesIn(text), text.length <= quotationCharsMax);
  }

  #readText(text: string): void {
    this.#addNames(namesIn(text), false);
    const boxes = text.split('\n').filter((line) => /^\s*(?:[-*]|\d+[.)]) \[ \] /.test(line.slice(0, 40)));
    if (boxes.length > 0) this.#setOpen(boxes.map((line) => line.slice(line.indexOf('[ ]') + 4)));
    this.#answer = text;
  }

  /** What the model wrote before it called tools is about these calls; only its answer reports. */
  #keepAnswer(): void {
    const [state, ...others] = splitIntoUnits(this.#answer).map(({ start, end }) =>
      this.#answer.slice(start, end).slice(0, quotationCharsMax),
    );
    const told = state === undefined ? [] : [state, ...others.filter(isRule)].slice(0, answerPartsMax);
    this.#findings = [...this.#findings, ...told.map((part) => this.#quote('finding', part))].slice(
      -keptMax.finding,
    );
    this.#answer = '';
  }

  #readCall(call: NonNullable<Utterance['call']>): void {
    this.#call = call;
    this.#answer = '';
    const { whole, mentioned } = namesInArguments(call.input);
    this.#addNames(whole, true);
    this.#addNames(mentioned, false);
    const tasks = tasksIn(call.input);
    if (tasks !== undefined) this.#setOpen(tasks);
  }

  #readResult(text: string, isFailure = false): void {
    const line = errorLineIn(text, isFailure);
    if (line === undefined) return;
    const { name = 'tool', input } = this.#call ?? {};
    const made = toPlainLine(argumentsOf(input), 80);
    this.#failures.delete(line);
    this.#failures.set(line, this.#quote('failure', `${name}${made === '' ? '' : ` (${made})`}: ${line}`));
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > keptMax.failure && oldest !== undefined) this.#failures.delete(oldest);
  }

  #setOpen(tasks: readonly string[]): void {
    this.#open = tasks
      .slice(0, keptMax.open)
      .map((task) => this.#quote('open', task.slice(0, quotationCharsMax)));
  }

  #addNames(names: readonly string[], isSubject: boolean): void {
    for (const name of names) {
      const before = this.#names.get(name);
      this.#names.set(name, {
        ...this.#quote('name', name),
        uses: (before?.uses ?? 0) + (before?.turn === this.#turn ? 0 : 1),
        isSubject: isSubject || before?.isSubject === true,
      });
    }
  }

  #quote(kind: QuotationKind, text: string): Quotation {
    const quotation = { kind, text, turn: this.#turn };
    return kind === 'user' && isRule(text) ? { ...quotation, isRule: true } : quotation;
  }
}

/** A short text as a whole; of a longer one its beginning, its end and its rules. */
function partsOf(text: string): readonly string[] {
  if (text.length <= quotationCharsMax) return [text];
  const parts = splitIntoUnits(text).map(({ start, end }) =>
    text.slice(start, end).slice(0, quotationCharsMax),
  );
  const isTelling = (part: string, at: number) => at === 0 || at === parts.length - 1 || isRule(part);
  return parts.filter(isTelling).slice(0, partsMax);
}

/** The words of errors, in any output. */
const errorWords =
  /\b(?:error|exception|traceback|panic|fatal|failed|failure|denied|refused|not found|cannot|could not|undefined|unable to|no such)\b/i;

/** The line that says what went wrong; undefined if nothing did. */
function errorLineIn(text: string, isFailure: boolean): string | undefined {
  const lines = text
    .slice(0, 2000)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const found = lines.find((line) => errorWords.test(line.slice(0, 300)));
  const isError =
    isFailure ||
    (found !== undefined &&
      (lines.indexOf(found) < 2 || /\bexit (?:code|status):? ?[1-9]/i.test(text.slice(-300))));
  const line = isError ? (found ?? lines[0]) : undefined;
  return line === undefined ? undefined : toPlainLine(line, 200);
}

/** The first text among the arguments, such as a command or a path. */
function argumentsOf(input: unknown): string {
  return isJsonObject(input)
    ? String(Object.values(input).find((value) => typeof value === 'string') ?? '')
    : '';
}

const doneStates = /^(?:completed?|done|cancelled|canceled|closed)$/i;

/** The tasks that are not done, if the arguments are a task list: objects with a text and a state. */
function tasksIn(input: unknown): readonly string[] | undefined {
  const lists = isJsonObject(input) ? Object.values(input).filter(Array.isArray) : [];
  for (const list of lists) {
    const entries = list
      .filter(isJsonObject)
      .flatMap(({ status, state = status, content, text, step, title }) => {
        const said = [content, text, step, title].find((one) => typeof one === 'string');
        return typeof state === 'string' && typeof said === 'string' ? [{ state, said }] : [];
      });
    if (entries.length > 0)
      return entries.flatMap(({ state, said }) => (doneStates.test(state) ? [] : [String(said)]));
  }
  return undefined;
}

/** In place of one long name, several short ones have room. */
const nameCharsPerPoint = 16;

/** The more a name was used, and the later, the likelier it is used again. */
export function scoreName({ text, turn, uses = 1, isSubject = false }: Quotation, turns: number): number {
  const age = Math.log2(1 + turns - turn);
  return 4 * Math.log2(1 + uses) + (isSubject ? 14 : 0) - 3 * age - text.length / nameCharsPerPoint;
}

/** The quotations of both, the newest of those with the same words, within the limits. */
export function mergeLedgers(before: Ledger, { quotations, turns }: Ledger): Ledger {
  const merged = new Map<string, Quotation>();
  for (const one of [...before.quotations, ...quotations]) {
    const key = `${one.kind} ${contentKey(one)}`;
    merged.delete(key);
    merged.set(key, one);
  }
  const all = [...merged.values()];
  const kept = all.filter(({ kind }, at) => {
    const later = all.slice(at + 1).filter((other) => other.kind === kind).length;
    return later < keptMax[kind];
  });
  return { quotations: withinChars(kept), turns: Math.max(before.turns, turns) };
}

function contentKey({ kind, text }: Quotation): string {
  return kind === 'name' ? text : contentWords(text).join(' ') || text;
}

/** Without the oldest, if all would be too much to store. */
function withinChars(quotations: readonly Quotation[]): readonly Quotation[] {
  let chars = 0;
  return quotations
    .toReversed()
    .filter(({ text }) => {
      chars += text.length + 60;
      return chars <= ledgerCharsMax;
    })
    .reverse();
}
