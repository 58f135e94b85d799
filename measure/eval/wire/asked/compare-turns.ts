import { isDeepStrictEqual } from 'node:util';
import type { Media, Turn } from './asked.ts';
import type { Report } from './report.ts';

/** The same turns in the same order, each call with its result. */
export function comparedTurns(client: readonly Turn[], provided: readonly Turn[], report: Report): void {
  // Where an assistant begins, instructions may stand before it.
  const isPreceded = client[0]?.side === 'assistant' && provided[0]?.side === 'user';
  const provider = isPreceded ? provided.slice(1) : provided;
  const sides = (turns: readonly Turn[]) => turns.map(({ side }) => side[0]).join('');
  // Instructions alone, or in mid-conversation, may have become a turn of the user's.
  const demoted = client.length === 0 || report.isListed('messages[].system');
  if (sides(client) !== sides(provider)) {
    if (!demoted) report.lost('turns', [sides(client), sides(provider)], 'messages[].content[]');
    return;
  }
  const ids = new Ids();
  for (const [at, turn] of client.entries()) {
    const got = provider[at];
    if (got !== undefined) comparedTurn(turn, got, { report, ids, demoted });
  }
  if (ids.clash !== undefined) report.lost('pairing of calls and results', ids.clash);
}

interface Comparing {
  readonly report: Report;
  readonly ids: Ids;
  readonly demoted: boolean;
}

function comparedTurn(turn: Turn, got: Turn, { report, ids, demoted }: Comparing): void {
  const { side } = turn;
  // Some take nothing beside results, and are told it in the last of them.
  const isJoined = turn.texts.length > 0 && turn.results.length > 0 && got.texts.length === 0;
  const told = isJoined ? (got.results.at(-1)?.texts ?? []) : got.texts;
  report.texts(`text of the ${side}`, turn.texts, told, { mayHaveMore: demoted || isJoined });
  if (got.secrets.length === 0 && inWords(turn.thoughts) !== inWords(got.thoughts))
    report.lost('thoughts', [turn.thoughts, got.thoughts], 'thinking', 'reasoning');
  const called = (made: Turn) => made.calls.map(({ name, input }) => ({ name, input: objectFor(input) }));
  report.same('calls', called(turn), called(got));
  for (const [at, { id }] of turn.calls.entries()) ids.pair(id, got.calls[at]?.id);
  report.same('number of results', turn.results.length, got.results.length);
  for (const [at, result] of turn.results.entries()) {
    const returned = got.results[at];
    if (returned === undefined) continue;
    ids.pair(result.id, returned.id);
    const mayHaveMore = isJoined && at === turn.results.length - 1;
    report.texts('text of a result', result.texts, returned.texts, { mayHaveMore });
    if (result.failed && !returned.failed) report.lost('failure of a tool', result);
  }
  report.same('media', turn.media.map(plain), got.media.map(plain), 'image', 'document', 'file');
}

/** Formats have parts of thoughts, or put empty lines between them. */
function inWords(thoughts: readonly string[]): string {
  return thoughts.join('').replace(/\s/g, '');
}

/** A tool takes an object; what isn't one is put into one where the format insists. */
function objectFor(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { value: input };
}

function plain({ kind, data }: Media): { readonly kind: string; readonly data: string } {
  return { kind, data };
}

/** Ids may change, but a call and its result alike, and no two into one. */
class Ids {
  readonly #given = new Map<string, string>();
  clash: unknown;

  pair(id: string, other: string | undefined): void {
    const known = this.#given.get(id);
    const taken = [...this.#given].some(([one, given]) => one !== id && given === other);
    if (known === undefined && !taken && other !== undefined) this.#given.set(id, other);
    else if (!isDeepStrictEqual(known, other)) this.clash ??= [id, known, other];
  }
}
