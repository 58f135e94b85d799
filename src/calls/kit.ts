import { countName } from '../billing/module-counts.ts';
import type { UsageRecorder } from '../billing/usage-recorder.ts';
import { type Attempt, billOf } from '../kernel/attempt.ts';
import { scopeOf } from '../kernel/caller.ts';
import type { ClientRequest } from '../kernel/client-request.ts';
import type { DecisionLog } from '../kernel/conversation/decision-log.ts';
import type { PrefixKit } from '../kernel/conversation/prefix.ts';
import { endUserRefOf } from '../kernel/end-user.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { ConversationContext, Kit, Models, StepAside } from '../kernel/module.ts';
import type { Count, CountOptions, ModuleSlot } from '../kernel/module-counters.ts';
import type { ModuleExecution } from '../kernel/module-execution.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { KitFactory, ModuleContext } from '../kernel/pipeline.ts';
import type { Archive } from '../kernel/ports/archive.ts';
import { type Budget, type BudgetHolder, budgetHolderOf, type CallBudget } from '../kernel/ports/budget.ts';
import type { CounterName, Counters } from '../kernel/ports/counters.ts';
import type { Embeddings } from '../kernel/ports/embeddings.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';
import { type McpTools, type McpToolsFinder, noMcpTools } from '../kernel/ports/mcp.ts';
import type { ModuleStore, ModuleStores } from '../kernel/ports/module-store.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { CacheBackend, ScopedCache } from '../kernel/ports/scoped-cache.ts';
import type { TextModels } from '../kernel/ports/text-models.ts';
import type { VectorStores, Vectors } from '../kernel/ports/vectors.ts';
import type { Target } from '../kernel/provider.ts';
import type { Recording } from '../kernel/reply/recording.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { Rewrite } from '../kernel/reply/rewrite-events.ts';
import type { ToolAnswer } from '../kernel/tools/gateway-tool.ts';
import { ToolAnswers } from '../kernel/tools/tool-answers.ts';
import type { Attributes, Trace } from '../kernel/trace.ts';
import { parseSpanReference } from '../kernel/trace-parent.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { runAfterCall } from './after-airgap.ts';
import type { Archives } from './archive/archives.ts';
import { autoSettleHolds } from './auto-settle-holds.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import { fetchDuringCall } from './call-fetch.ts';
import type { DecisionLogs } from './decision-logs.ts';
import { cacheName } from './module-caches.ts';
import { countForModule, takeModuleSlot } from './module-counters.ts';
import { createModels, type ModuleModelsParts } from './module-models.ts';
import type { RequestKeys } from './request-keys.ts';
import { scopeEmbeddings } from './scoped-embeddings.ts';
import { scopeTextModels } from './scoped-text-models.ts';
import type { StepAsides } from './step-asides.ts';
import { addTrialCost } from './trials.ts';

export interface KitParts extends ModuleModelsParts {
  readonly cacheBackend: CacheBackend;
  readonly counters: Counters;
  readonly stores: ModuleStores;
  readonly embeddings: Embeddings;
  readonly textModels: TextModels;
  readonly vectors: VectorStores;
  readonly archives: Archives;
  readonly decisionLogs: DecisionLogs;
  readonly catalog: Prices;
  readonly requestKeys: RequestKeys;
  readonly mcp: McpToolsFinder;
  readonly backgroundTasks: Pick<BackgroundTasks, 'add'>;
  readonly usage: Pick<UsageRecorder, 'recordModule'>;
  readonly stepAsides: Pick<StepAsides, 'current'>;
  /** The budget of the caller's key, with the stored budgets that limit the call. */
  budget(
    budgetHolder: BudgetHolder,
    call: Pick<Trace, 'isEnded' | 'isAirgapped'>,
    ofCall: readonly CallBudget[],
  ): Budget;
  wireByName(name: string): ProviderFormat | undefined;
  /** The `fetch` of a module. */
  fetchFor(module: string): EgressFetch;
}

/** Creates the kits of modules, for gateways and for module tests. */
export function createKitFactory(parts: KitParts): KitFactory {
  const toolAnswersInFlight = new Map<string, Promise<ToolAnswer>>();
  const callKitParts = { ...parts, toolAnswersInFlight };
  return (at) => new CallKit(callKitParts, at);
}

interface CallKitParts extends KitParts {
  readonly toolAnswersInFlight: Map<string, Promise<ToolAnswer>>;
}

/** The kit of one module in one call. Everything in it is created on first use, since every call creates kits. */
class CallKit implements Kit<unknown> {
  readonly options: unknown;
  readonly #parts: CallKitParts;
  readonly #context: ModuleContext;
  #decisions: DecisionLog | undefined;
  #models: Models | undefined;
  #mcp: McpTools | undefined;

  constructor(parts: CallKitParts, at: ModuleContext) {
    this.options = at.options;
    this.#parts = parts;
    this.#context = at;
  }

  get #execution(): ModuleExecution {
    return this.#context.execution;
  }

  get scope(): string {
    return scopeOf(this.#execution.exchange.caller);
  }

  get cache(): ScopedCache {
    return this.#parts.cacheBackend.cacheFor(cacheName(this.#execution.module.name, this.scope));
  }

  get store(): ModuleStore {
    return this.#parts.stores.store(this.#execution.module.name, this.scope);
  }

  get embeddings(): Embeddings {
    const isRedacted = this.#context.isRedacted() || this.#execution.exchange.trace.isAirgapped;
    return scopeEmbeddings(this.#parts.embeddings, { scope: this.scope, isRedacted });
  }

  get textModels(): TextModels {
    return scopeTextModels(this.#parts.textModels, this.scope);
  }

  get vectors(): Vectors {
    return this.#parts.vectors.vectors(this.#execution.module.name, this.scope);
  }

  get archive(): Archive {
    const { scope } = this;
    const { clientRequest } = this.#execution.exchange;
    return this.#parts.archives.of(scope, () => endUserRefOf(clientRequest, scope));
  }

  get decisions(): DecisionLog {
    const { module, exchange } = this.#execution;
    this.#decisions ??= this.#parts.decisionLogs.of({
      module: module.name,
      scope: this.scope,
      root: exchange.conversation.root,
    });
    return this.#decisions;
  }

  get prefix(): PrefixKit {
    return this.#execution.prefix;
  }

  get mayBeEditedDownstream(): boolean {
    return this.#context.mayBeEditedDownstream();
  }

  get mayBeShortenedDownstream(): boolean {
    return this.#context.mayBeShortenedDownstream();
  }

  get mcp(): McpTools {
    this.#mcp ??= this.#openMcp();
    return this.#mcp;
  }

  #openMcp(): McpTools {
    const { module, exchange } = this.#execution;
    const { caller, clientRequest, id: requestId, trace } = exchange;
    if (trace.isAirgapped) return noMcpTools;
    const endUser = endUserRefOf(clientRequest, this.scope) ?? undefined;
    return this.#parts.mcp.toolsFor({
      ...{ caller, endUser, requestId },
      askedBy: module.name,
      traceParent: trace.span?.parent,
      onToolCall: (toolCall) => trace.addToolCall(toolCall),
    });
  }

  get toolAnswers(): ToolAnswers {
    return new ToolAnswers({
      cache: this.cache,
      inFlight: this.#parts.toolAnswersInFlight,
      name: cacheName(this.#execution.module.name, this.scope),
      secondsMax: this.#context.toolAnswerSeconds(),
    });
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get catalog(): Prices {
    return this.#parts.catalog;
  }

  get budget(): Budget {
    const { caller, trace, budgets } = this.#execution.exchange;
    return autoSettleHolds(this.#parts.budget(budgetHolderOf(caller), trace, budgets), this.#execution);
  }

  get models(): Models {
    this.#models ??= createModels(this.#parts, this.#context, this);
    return this.#models;
  }

  get fetch(): EgressFetch {
    const { module, exchange } = this.#execution;
    return fetchDuringCall(this.#parts.fetchFor(module.name), exchange);
  }

  count(name: string, options: CountOptions): Promise<Count> {
    return countForModule(this.#parts.counters, this.#counterName(name), options);
  }

  takeSlot(name: string, { limit }: { readonly limit: number }): Promise<ModuleSlot> {
    const { trace } = this.#execution.exchange;
    return takeModuleSlot(this.#parts.counters, this.#counterName(name), { limit, trace });
  }

  #counterName(name: string): CounterName {
    return { scope: this.scope, name: `${this.#execution.module.name} ${name}` };
  }

  addSaving(nanoUsd: NanoUsd): void {
    if (!Number.isSafeInteger(nanoUsd)) throw new Error('a saving must be a whole number of nano USD');
    const { step, module, exchange } = this.#execution;
    step.savedNanoUsd += nanoUsd;
    if (nanoUsd === 0) return;
    const { accountId } = budgetHolderOf(exchange.caller);
    const { usage, clock } = this.#parts;
    usage.recordModule({ accountId, module: module.name, savedNanoUsd: nanoUsd }, clock.now());
  }

  recordTrial(isHeldOut: boolean): void {
    const { module, exchange } = this.#execution;
    const { accountId } = budgetHolderOf(exchange.caller);
    const { usage, clock } = this.#parts;
    this.onBilled((attempts) => {
      // The module's own calls are subtracted where they are billed.
      const ofOthers = attempts.filter(
        ({ isModuleCall, askedBy }) => !isModuleCall || askedBy !== module.name,
      );
      const costNanoUsd = billOf(ofOthers)?.nanoUsd;
      if (costNanoUsd === undefined) return;
      this.runInBackground(async () => {
        const beforeNanoUsd = await addTrialCost(this.cache, exchange.conversation.name, costNanoUsd);
        const trial = { isHeldOut, costNanoUsd, beforeNanoUsd };
        usage.recordModule({ accountId, module: module.name, trial }, clock.now());
      });
    });
  }

  stepAside(): Promise<StepAside | undefined> {
    const { module, exchange } = this.#execution;
    const { accountId } = budgetHolderOf(exchange.caller);
    return this.#parts.stepAsides.current({ module: module.name, scope: this.scope, accountId });
  }

  tally(name: string, by: number): void {
    if (!Number.isSafeInteger(by) || by < 1) throw new Error('a tally must be a whole number above 0');
    const { step, module, exchange } = this.#execution;
    step.tally(name, by);
    const { accountId } = budgetHolderOf(exchange.caller);
    const { usage, clock } = this.#parts;
    usage.recordModule({ accountId, module: countName(module.name, name), calls: by }, clock.now());
  }

  restore(reply: Reply, rewrite: Rewrite): Reply {
    const { recorder } = this.#execution.exchange.trace;
    if (recorder !== undefined) reply.tap(recorder.onRestored());
    return reply.map(rewrite);
  }

  note(facts: Attributes): void {
    this.#execution.step.note(facts);
  }

  addNote(facts: Attributes): void {
    this.#execution.step.add(facts);
  }

  setHeader(name: string, value: string): void {
    this.#execution.exchange.trace.setHeader(name, value);
  }

  requestKey(exchange: Exchange): Promise<string> {
    return this.#parts.requestKeys.of(exchange);
  }

  contextKey(exchange: Exchange): Promise<ConversationContext | undefined> {
    return this.#parts.requestKeys.contextKey(exchange);
  }

  keepUncached(): void {
    this.#execution.exchange.trace.keepUncached();
  }

  replay(recording: Recording, answeredBy?: Target, metadata?: JsonObject): Reply {
    const { clientRequest, trace } = this.#execution.exchange;
    trace.replayedFrom = answeredBy ?? trace.replayedFrom;
    trace.replayedSpan = parseSpanReference(metadata?.span) ?? trace.replayedSpan;
    return Reply.replay(reframeFor(clientRequest, recording), this.#parts.wireByName(recording.wire));
  }

  onBilled(then: (attempts: readonly Attempt[]) => void): void {
    this.#execution.innerAttempts.onBilled(then);
  }

  runInBackground(run: () => Promise<void>): void {
    const { module, exchange } = this.#execution;
    const release = exchange.clientRequest.retain();
    const { trace } = exchange;
    const task = { module: module.name, run: () => runAfterCall(trace, run), release };
    trace.onEnd(() => this.#parts.backgroundTasks.add(task));
  }
}

/** The framing that the client wants, if its format can convert without loss. */
function reframeFor({ wire, streamed }: ClientRequest, recording: Recording): Recording {
  const framing = streamed ? 'sse' : 'json';
  if (recording.wire !== wire.name || recording.framing === framing) return recording;
  const body = wire.reframe?.(recording, framing);
  return body === undefined ? recording : { wire: recording.wire, framing, body };
}
