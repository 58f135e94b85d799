import {
  type Exchange,
  type Kit,
  type Message,
  type Module,
  patternsModule,
  personRef,
  unnamedScope,
} from '../../module-api.ts';
import { advised, type Decision, decide, toDecision, tokensOf } from './advice.ts';
import { reckonAdvice } from './cost.ts';
import { PatternVectors } from './kept-vectors.ts';
import { learn } from './learning.ts';
import { limits } from './limits.ts';
import { type PatternsOptions, patternsOptions } from './options.ts';
import { ownWords } from './own-words.ts';
import { PatternIndexes } from './pattern-index.ts';
import { type Relevant, relevantOf } from './relevance.ts';

type PatternsKit = Kit<PatternsOptions>;

interface Work {
  readonly kit: PatternsKit;
  readonly indexes: PatternIndexes;
}

/** What was decided before a message of the conversation. */
interface Decided {
  readonly at: number;
  readonly decision: Decision;
  readonly isNew: boolean;
}

export const patterns = (): Module<PatternsOptions> => {
  const indexes = new PatternIndexes();
  const vectors = new PatternVectors();
  return {
    api: 1,
    name: patternsModule,
    summary: 'Remembers what worked and brings it in where it helps.',
    status: 'production',
    protective: false,
    order: 30,
    ifBroken: 'skip',
    touches: ['history', 'newest-turn'],
    options: patternsOptions,

    async handle(exchange, next, kit) {
      const { caller, conversation, request, id } = exchange;
      // Whoever calls without an account is nobody the next time.
      if (caller.kind !== 'local' && caller.kind !== 'account') return next(exchange);
      const decided = await decisionsOf(exchange, { kit, indexes });
      // Behind what was read for this call, which would wait for it in some databases.
      const noted = kit.patterns.note(id, conversation.name).catch(() => undefined);
      const goesOn = withAdvice(exchange, decided, kit);
      const isAdvised = goesOn !== exchange;
      const counted = decided.filter(({ decision }) => isAdvised || decision.text === '');
      kit.note({ injected: isAdvised ? decided.reduce((sum, one) => sum + one.decision.with.length, 0) : 0 });
      const fresh = counted.find(({ isNew }) => isNew)?.decision;
      const tried =
        fresh === undefined
          ? undefined
          : kit.patterns.tried(conversation.name, trialsOf(fresh)).catch(() => undefined);
      // Also where a prefix kept the advice out: the trial is whether it was meant to be there.
      if (decided.length > 0) kit.trial(decided.some(({ decision }) => decision.isBare));
      if (isAdvised) reckonAdvice(textsOf(decided), exchange, kit);
      const from = Math.min(...counted.map(({ at }) => at));
      const person = personFor(exchange, kit);
      kit.later(() => learn({ id, request, conversation: conversation.name, person, from }, kit));
      kit.later(() => vectors.keep(kit));
      const reply = await next(goesOn);
      // Outcomes may come as soon as the answer is there.
      await Promise.all([noted, tried]);
      return reply;
    },
  };
};

/** What was decided on earlier turns, and what is for the newest one where a person speaks in it. */
async function decisionsOf(exchange: Exchange, work: Work): Promise<readonly Decided[]> {
  const { messages } = exchange.request;
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const speaking = messages.findLastIndex((message, at) => at >= newest && isSpoken(message));
  // Looked up at the same time: mostly both are needed, and each takes a while.
  const [decided, relevant] = await Promise.all([
    newest === 0 ? [] : decidedBefore(exchange, work.kit),
    speaking < 0 ? [] : relevantTo(exchange, speaking, work),
  ]);
  if (relevant.length === 0 || decided.some(({ at }) => at === speaking)) return decided;
  const choice = await choose(exchange, { at: speaking, decided, relevant }, work.kit);
  return choice === undefined ? decided : [...decided, { at: speaking, decision: choice, isNew: true }];
}

/** Before the model has spoken there is nothing but what is for this very turn. */
async function decidedBefore(
  { request: { messages }, conversation }: Exchange,
  kit: PatternsKit,
): Promise<readonly Decided[]> {
  const decided: Decided[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isSpoken(message)) continue;
    const decision = toDecision(await kit.ledger.recall(conversation.at(at + 1)));
    if (decision !== undefined) decided.push({ at, decision, isNew: false });
  }
  return decided;
}

async function relevantTo(
  exchange: Exchange,
  at: number,
  { kit, indexes }: Work,
): Promise<readonly Relevant[]> {
  const { request } = exchange;
  const open = await kit.patterns.open();
  const index = open.length === 0 ? undefined : await indexes.of(kit.scope, open);
  if (index === undefined) return [];
  const message = request.messages[at];
  const said = message === undefined ? '' : ownWords(message).slice(0, limits.saidCharactersMax);
  const { relevant, why } = await relevantOf(index, { request, said, scope: personFor(exchange, kit) }, kit);
  if (why !== undefined && why !== 'off') kit.note({ vectors: why });
  return relevant;
}

async function choose(
  { conversation }: Exchange,
  {
    at,
    decided,
    relevant,
  }: { readonly at: number; readonly decided: readonly Decided[]; readonly relevant: readonly Relevant[] },
  kit: PatternsKit,
): Promise<Decision | undefined> {
  const { budget_tokens, holdout } = kit.options;
  const spent = decided.reduce((sum, { decision }) => sum + tokensOf(decision.text), 0);
  const before = new Set(decided.flatMap(({ decision }) => [...decision.with, ...decision.without]));
  const choice = decide(
    relevant.filter(({ pattern }) => !before.has(pattern.id)),
    {
      budgetTokens: budget_tokens - spent,
      holdOut: holdout,
      place: conversation.name,
      patterns: kit.patterns,
    },
  );
  if (choice === undefined) return undefined;
  return toDecision(await kit.ledger.once(conversation.at(at + 1), () => choice));
}

/** The exchange with all that was decided, as long as that is what its provider was sent before. */
function withAdvice(exchange: Exchange, decided: readonly Decided[], kit: PatternsKit): Exchange {
  if (decided.every(({ decision }) => decision.text === '')) {
    if (decided.length > 0) kit.note({ aside: 'holdout' });
    return exchange;
  }
  const { request } = exchange;
  const texts = new Map(decided.map(({ at, decision }) => [at, decision.text]));
  const messages = request.messages.map((message, at) => advised(message, texts.get(at) ?? ''));
  const edited = { ...request, messages };
  if (!kit.prefix.keeps(edited) && kit.prefix.keeps(request)) {
    kit.note({ aside: 'prefix' });
    return exchange;
  }
  return exchange.with({ request: edited });
}

/** A name of ours for the end user whom a call is for, or for all who aren't named; null where all of them are one. */
function personFor({ received }: Exchange, kit: PatternsKit): string | null {
  if (kit.options.scope === 'account') return null;
  return personRef(received, kit.scope) ?? unnamedScope;
}

/** Whether a person may have said something in it. */
function isSpoken({ role, content }: Message): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' || content.some(({ type }) => type === 'text');
}

function textsOf(decided: readonly Decided[]) {
  const text = (isNew: boolean) =>
    decided.flatMap((one) => (one.isNew === isNew ? [one.decision.text] : [])).join('\n');
  return { fresh: text(true), earlier: text(false) };
}

/** A conversation without any advice says nothing about one pattern among them. */
function trialsOf({ with: on, without, isBare }: Decision) {
  if (isBare) return [];
  return [
    ...on.map((patternId) => ({ patternId, isHeldOut: false })),
    ...without.map((patternId) => ({ patternId, isHeldOut: true })),
  ];
}
