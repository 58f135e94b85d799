import {
  type Exchange,
  endUserRefOf,
  type Kit,
  type Message,
  type Module,
  patternsModule,
  unnamedScope,
} from '../../module-api.ts';
import {
  type AdviceDecision,
  appendAdvice,
  chooseAdvice,
  estimateTokens,
  parseAdviceDecision,
} from './advice.ts';
import { recordAdviceCost } from './advice-cost.ts';
import { learnFromCall } from './learning.ts';
import { limits } from './limits.ts';
import { type PatternsOptions, patternsOptions } from './options.ts';
import { PatternIndexes } from './pattern-index.ts';
import { PatternVectors } from './pattern-vectors.ts';
import { type RelevantPattern, rankPatterns } from './relevance.ts';
import { userTextOf } from './user-text.ts';

type PatternsKit = Kit<PatternsOptions>;

interface PatternsContext {
  readonly kit: PatternsKit;
  readonly indexes: PatternIndexes;
}

/** What was decided before a message of the conversation. */
interface PlacedDecision {
  readonly at: number;
  readonly decision: AdviceDecision;
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
      const decided = await resolveDecisions(exchange, { kit, indexes });
      // Behind what was read for this call, which would wait for it in some databases.
      const noted = kit.patterns.recordCall(id, conversation.name).catch(() => undefined);
      const goesOn = injectAdvice(exchange, decided, kit);
      const isAdvised = goesOn !== exchange;
      const counted = decided.filter(
        ({ decision: adviceDecision }) => isAdvised || adviceDecision.text === '',
      );
      kit.note({ injected: isAdvised ? decided.reduce((sum, one) => sum + one.decision.with.length, 0) : 0 });
      const fresh = counted.find(({ isNew }) => isNew)?.decision;
      const tried =
        fresh === undefined
          ? undefined
          : kit.patterns.recordTrials(conversation.name, trialsOf(fresh)).catch(() => undefined);
      // Also where a prefix kept the advice out: the trial is whether it was meant to be there.
      if (decided.length > 0)
        kit.recordTrial(decided.some(({ decision: adviceDecision }) => adviceDecision.isBare));
      if (isAdvised) recordAdviceCost(adviceTextsOf(decided), exchange, kit);
      const from = Math.min(...counted.map(({ at }) => at));
      const person = endUserScope(exchange, kit);
      kit.runInBackground(() =>
        learnFromCall({ id, request, conversation: conversation.name, person, from }, kit),
      );
      kit.runInBackground(() => vectors.embedMissing(kit));
      const reply = await next(goesOn);
      // Outcomes may come as soon as the answer is there.
      await Promise.all([noted, tried]);
      return reply;
    },
  };
};

/** What was decided on earlier turns, and what is for the newest one where a person speaks in it. */
async function resolveDecisions(
  exchange: Exchange,
  patternsContext: PatternsContext,
): Promise<readonly PlacedDecision[]> {
  const { messages } = exchange.request;
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const speaking = messages.findLastIndex((message, at) => at >= newest && mayHaveUserText(message));
  // Looked up at the same time: mostly both are needed, and each takes a while.
  const [decided, relevant] = await Promise.all([
    newest === 0 ? [] : recallDecisions(exchange, patternsContext.kit),
    speaking < 0 ? [] : findRelevantPatterns(exchange, speaking, patternsContext),
  ]);
  if (relevant.length === 0 || decided.some(({ at }) => at === speaking)) return decided;
  const choice = await decideAdvice(exchange, { at: speaking, decided, relevant }, patternsContext.kit);
  return choice === undefined ? decided : [...decided, { at: speaking, decision: choice, isNew: true }];
}

/** Before the model has spoken there is nothing but what is for this very turn. */
async function recallDecisions(
  { request: { messages }, conversation }: Exchange,
  kit: PatternsKit,
): Promise<readonly PlacedDecision[]> {
  const decided: PlacedDecision[] = [];
  for (const [at, message] of messages.entries()) {
    if (!mayHaveUserText(message)) continue;
    const adviceDecision = parseAdviceDecision(await kit.decisions.get(conversation.digestAt(at + 1)));
    if (adviceDecision !== undefined) decided.push({ at, decision: adviceDecision, isNew: false });
  }
  return decided;
}

async function findRelevantPatterns(
  exchange: Exchange,
  at: number,
  { kit, indexes }: PatternsContext,
): Promise<readonly RelevantPattern[]> {
  const { request } = exchange;
  const open = await kit.patterns.listUnretired();
  const index = open.length === 0 ? undefined : await indexes.indexFor(kit.scope, open);
  if (index === undefined) return [];
  const message = request.messages[at];
  const said = message === undefined ? '' : userTextOf(message).slice(0, limits.userTextCharactersMax);
  const { relevant, why } = await rankPatterns(
    index,
    { request, said, scope: endUserScope(exchange, kit) },
    kit,
  );
  if (why !== undefined && why !== 'off') kit.note({ vectors: why });
  return relevant;
}

async function decideAdvice(
  { conversation }: Exchange,
  {
    at,
    decided,
    relevant,
  }: {
    readonly at: number;
    readonly decided: readonly PlacedDecision[];
    readonly relevant: readonly RelevantPattern[];
  },
  kit: PatternsKit,
): Promise<AdviceDecision | undefined> {
  const { budget_tokens, holdout } = kit.options;
  const spent = decided.reduce(
    (sum, { decision: adviceDecision }) => sum + estimateTokens(adviceDecision.text),
    0,
  );
  const before = new Set(
    decided.flatMap(({ decision: adviceDecision }) => [...adviceDecision.with, ...adviceDecision.without]),
  );
  const choice = chooseAdvice(
    relevant.filter(({ pattern }) => !before.has(pattern.id)),
    {
      budgetTokens: budget_tokens - spent,
      holdOut: holdout,
      place: conversation.name,
      patterns: kit.patterns,
    },
  );
  if (choice === undefined) return undefined;
  return parseAdviceDecision(await kit.decisions.decideOnce(conversation.digestAt(at + 1), () => choice));
}

/** The exchange with all that was decided, as long as that is what its provider was sent before. */
function injectAdvice(exchange: Exchange, decided: readonly PlacedDecision[], kit: PatternsKit): Exchange {
  if (decided.every(({ decision: adviceDecision }) => adviceDecision.text === '')) {
    if (decided.length > 0) kit.note({ aside: 'holdout' });
    return exchange;
  }
  const { request } = exchange;
  const texts = new Map(decided.map(({ at, decision: adviceDecision }) => [at, adviceDecision.text]));
  const messages = request.messages.map((message, at) => appendAdvice(message, texts.get(at) ?? ''));
  const edited = { ...request, messages };
  if (!kit.prefix.isPreserved(edited) && kit.prefix.isPreserved(request)) {
    kit.note({ aside: 'prefix' });
    return exchange;
  }
  return exchange.with({ request: edited });
}

/** A name of ours for the end user whom a call is for, or for all who aren't named; null where all of them are one. */
function endUserScope({ clientRequest }: Exchange, kit: PatternsKit): string | null {
  if (kit.options.scope === 'account') return null;
  return endUserRefOf(clientRequest, kit.scope) ?? unnamedScope;
}

/** Whether a person may have said something in it. */
function mayHaveUserText({ role, content }: Message): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' || content.some(({ type }) => type === 'text');
}

function adviceTextsOf(decided: readonly PlacedDecision[]) {
  const text = (isNew: boolean) =>
    decided.flatMap((one) => (one.isNew === isNew ? [one.decision.text] : [])).join('\n');
  return { fresh: text(true), earlier: text(false) };
}

/** A conversation without any advice says nothing about one pattern among them. */
function trialsOf({ with: on, without, isBare }: AdviceDecision) {
  if (isBare) return [];
  return [
    ...on.map((patternId) => ({ patternId, isHeldOut: false })),
    ...without.map((patternId) => ({ patternId, isHeldOut: true })),
  ];
}
