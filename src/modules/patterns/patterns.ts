import {
  appendTexts,
  decideAppendedText,
  type Exchange,
  endUserRefOf,
  type Kit,
  type Module,
  type ModuleHost,
  newestUserTextIndex,
  type PlacedText,
  recallAppendedTexts,
  recordAppendedCost,
  stepsAside,
  userTextOf,
} from '../../module-api.ts';
import { type AdviceDecision, chooseAdvice, estimateTokens, parseAdviceDecision } from './advice.ts';
import { withoutContradicted } from './conflicts.ts';
import { learnFromCall } from './learning.ts';
import { limits } from './limits.ts';
import { type PatternsOptions, patternsOptions } from './options.ts';
import type { Patterns } from './pattern.ts';
import { PatternIndexes } from './pattern-index.ts';
import { PatternVectors } from './pattern-vectors.ts';
import { type RelevantPattern, rankPatterns } from './relevance.ts';
import { outcomesRoutes } from './routes/outcomes.ts';
import { patternsRoutes } from './routes/patterns.ts';
import { unnamedScope } from './scopes.ts';
import { PatternStore } from './store/pattern-store.ts';
import { PatternTable } from './store/pattern-table.ts';
import { collections } from './store/pattern-value.ts';
import { vectorPartitionOf } from './vector-partition.ts';

type PatternsKit = Kit<PatternsOptions>;

interface PatternsContext {
  readonly kit: PatternsKit;
  readonly indexes: PatternIndexes;
  readonly patterns: Patterns;
}

/** The advice decided for a message of the conversation. */
interface PlacedDecision extends PlacedText<AdviceDecision> {
  readonly isNew: boolean;
}

export const patterns = (host: ModuleHost): Module<PatternsOptions> => {
  const patternStore = openPatternStore(host);
  const indexes = new PatternIndexes();
  const vectors = new PatternVectors();
  return {
    api: 1,
    name: 'patterns',
    summary: 'Remembers what worked and brings it in where it helps.',
    status: 'production',
    protective: false,
    order: 30,
    ifBroken: 'skip',
    touches: ['history', 'newest-turn'],
    options: patternsOptions,
    features: ['patterns', 'outcomes'],
    collections,
    routes: () => [...patternsRoutes(patternStore), ...outcomesRoutes(patternStore, host)],

    async handle(exchange, next, kit) {
      const { caller, conversation, request, id } = exchange;
      // A caller without an account can't be recognized in later calls.
      if (caller.kind !== 'local' && caller.kind !== 'account') return next(exchange);
      const own = patternStore.of(kit.scope);
      if (kit.options.auto === 'on' && (await kit.decisions.isEmpty()) && (await stepsAside(kit))) {
        await own.recordCall(id, conversation.name).catch(() => undefined);
        return next(exchange);
      }
      const decided = await resolveDecisions(exchange, { kit, indexes, patterns: own });
      // After the reads of this call, which would wait for this write in some databases.
      const noted = own.recordCall(id, conversation.name).catch(() => undefined);
      const goesOn = injectAdvice(exchange, decided, kit);
      const isAdvised = goesOn !== exchange;
      const effective = decided.filter(
        ({ decision: adviceDecision }) => isAdvised || adviceDecision.text === '',
      );
      kit.note({ injected: isAdvised ? decided.reduce((sum, one) => sum + one.decision.with.length, 0) : 0 });
      const fresh = effective.find(({ isNew }) => isNew)?.decision;
      const tried =
        fresh === undefined
          ? undefined
          : own.recordTrials(conversation.name, trialsOf(fresh)).catch(() => undefined);
      // Also if the prefix guard kept the advice out: trials compare by intention to advise.
      if (decided.length > 0)
        kit.recordTrial(decided.some(({ decision: adviceDecision }) => adviceDecision.isBare));
      if (isAdvised) recordAppendedCost(adviceTokensOf(decided), exchange, kit);
      const from = Math.min(...effective.map(({ at }) => at));
      const person = endUserScope(exchange, kit);
      kit.runInBackground(() =>
        learnFromCall({ id, request, conversation: conversation.name, person, from }, kit, own),
      );
      kit.runInBackground(() => vectors.embedMissing(kit, own));
      const reply = await next(goesOn);
      // The client may report an outcome as soon as it has the answer.
      await Promise.all([noted, tried]);
      return reply;
    },
  };
};

function openPatternStore(host: ModuleHost): PatternStore {
  return new PatternStore({
    table: new PatternTable((owner) => host.store(owner)),
    clock: host.clock,
    async onRemoved(owner, removed) {
      for (const { id, scope } of removed) await host.vectors(owner).remove([id], vectorPartitionOf(scope));
    },
    onError: (err) => host.log.error('could not read patterns', { err }),
  });
}

/** The stored decisions of earlier turns, and a new one if the user writes in the newest turn. */
async function resolveDecisions(
  exchange: Exchange,
  patternsContext: PatternsContext,
): Promise<readonly PlacedDecision[]> {
  const { messages } = exchange.request;
  const speaking = newestUserTextIndex(messages);
  const isFirst = messages.every(({ role }) => role !== 'assistant');
  // In parallel: both are usually needed and take time.
  const [decided, relevant] = await Promise.all([
    isFirst ? [] : recallDecisions(exchange, patternsContext.kit),
    speaking < 0 ? [] : findRelevantPatterns(exchange, speaking, patternsContext),
  ]);
  if (relevant.length === 0 || decided.some(({ at }) => at === speaking)) return decided;
  const choice = await decideAdvice(exchange, { at: speaking, decided, relevant }, patternsContext);
  return choice === undefined ? decided : [...decided, { at: speaking, decision: choice, isNew: true }];
}

/** The decisions stored for the messages of this conversation. */
async function recallDecisions(exchange: Exchange, kit: PatternsKit): Promise<readonly PlacedDecision[]> {
  const recalled = await recallAppendedTexts(exchange, kit, parseAdviceDecision);
  return recalled.map((placed) => ({ ...placed, isNew: false }));
}

async function findRelevantPatterns(
  exchange: Exchange,
  at: number,
  { kit, indexes, patterns: own }: PatternsContext,
): Promise<readonly RelevantPattern[]> {
  const { request } = exchange;
  const open = await own.listUnretired();
  const index = open.length === 0 ? undefined : await indexes.indexFor(kit.scope, open);
  if (index === undefined) return [];
  const message = request.messages[at];
  const userText = message === undefined ? '' : userTextOf(message).slice(0, limits.userTextCharactersMax);
  const { relevant, why } = await rankPatterns(
    index,
    { request, userText, scope: endUserScope(exchange, kit) },
    kit,
  );
  if (why !== undefined && why !== 'off') kit.note({ vectors: why });
  return relevant;
}

async function decideAdvice(
  exchange: Exchange,
  {
    at,
    decided,
    relevant,
  }: {
    readonly at: number;
    readonly decided: readonly PlacedDecision[];
    readonly relevant: readonly RelevantPattern[];
  },
  { kit, patterns: own }: PatternsContext,
): Promise<AdviceDecision | undefined> {
  const { budget_tokens, holdout } = kit.options;
  const spent = decided.reduce(
    (sum, { decision: adviceDecision }) => sum + estimateTokens(adviceDecision.text),
    0,
  );
  const before = new Set(
    decided.flatMap(({ decision: adviceDecision }) => [...adviceDecision.with, ...adviceDecision.without]),
  );
  const earlier = (await own.listUnretired()).filter(({ id }) => before.has(id));
  const choice = chooseAdvice(
    withoutContradicted(
      relevant.filter(({ pattern }) => !before.has(pattern.id)),
      earlier,
    ),
    {
      budgetTokens: budget_tokens - spent,
      holdOut: holdout,
      place: exchange.conversation.name,
      patterns: own,
    },
  );
  if (choice === undefined) return undefined;
  return decideAppendedText(exchange, kit, { at, decision: choice, parse: parseAdviceDecision });
}

/** Adds the decided advice, unless that would break a prefix that the provider has cached. */
function injectAdvice(exchange: Exchange, decided: readonly PlacedDecision[], kit: PatternsKit): Exchange {
  const isAllHeldOut = decided.length > 0 && decided.every(({ decision }) => decision.text === '');
  if (isAllHeldOut) kit.note({ aside: 'holdout' });
  return appendTexts(exchange, decided, kit);
}

/** The scope of the call's end user, or of all unnamed ones; null with `scope=account`. */
function endUserScope({ clientRequest }: Exchange, kit: PatternsKit): string | null {
  if (kit.options.scope === 'account') return null;
  return endUserRefOf(clientRequest, kit.scope) ?? unnamedScope;
}

function adviceTokensOf(decided: readonly PlacedDecision[]) {
  const tokens = (isNew: boolean) =>
    estimateTokens(decided.flatMap((one) => (one.isNew === isNew ? [one.decision.text] : [])).join('\n'));
  return { fresh: tokens(true), earlier: tokens(false) };
}

/** A conversation without any advice is no trial of a single pattern. */
function trialsOf({ with: on, without, isBare }: AdviceDecision) {
  if (isBare) return [];
  return [
    ...on.map((patternId) => ({ patternId, isHeldOut: false })),
    ...without.map((patternId) => ({ patternId, isHeldOut: true })),
  ];
}
