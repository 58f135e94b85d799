import type { NanoUsd } from '../../kernel/money.ts';
import type {
  CallSums,
  ErrorSums,
  IntervalSums,
  KindSums,
  LogSums,
  LogSumsQuery,
  RequestLog,
} from '../../kernel/ports/request-log.ts';
import { limits } from '../limits.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** Selects calls of an account in a time range. */
export interface SummaryQuery {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

export interface LogSummary {
  /** Whole steps: the first and the last may extend beyond the requested range. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly all: CallGroup;
  readonly spans: readonly { readonly atMs: number; readonly group: CallGroup }[];
  /** By provider and model, joined by a line break. */
  readonly models: ReadonlyMap<string, CallGroup>;
  /** By name; empty for calls without a provider. */
  readonly providers: ReadonlyMap<string, CallGroup>;
  /** By the id of an API key; empty for calls without one. */
  readonly keys: ReadonlyMap<string, CallGroup>;
  readonly errors: ReadonlyMap<string, ErrorGroup>;
  readonly modules: ReadonlyMap<string, ModuleGroup>;
}

interface ErrorGroup extends CallCause {
  count: number;
}

/** Why calls failed. */
export interface CallCause {
  readonly status: number;
  readonly code: string | null;
  /** What the provider calls it. */
  readonly providerError: string | null;
  /** The provider whose error it is; null if it is the gateway's. */
  readonly provider: string | null;
}

/** The effects of one module. */
export interface ModuleGroup {
  calls: number;
  savedNanoUsd: NanoUsd;
  ownMs: number;
  /** Its own time in a call. */
  readonly times: LatencyHistogram;
  readonly effects: Map<string, number>;
}

/** Input tokens that a provider did not read from its cache. */
export interface InputSums {
  /** Neither read from there nor written to it. */
  readonly full: number;
  readonly written: number;
}

/** Sums of some calls of one model. */
interface ModelGroup {
  costNanoUsd: NanoUsd;
  input: InputSums;
}

/** Sums of some calls. */
export class CallGroup {
  requests = 0;
  failed = 0;
  cached = 0;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  costNanoUsd = 0;
  savedNanoUsd = 0;
  /** Of calls that no module answered. */
  input: InputSums = { full: 0, written: 0 };
  readonly models = new Map<string, ModelGroup>();
  readonly content = new LatencyHistogram();
  readonly overhead = new LatencyHistogram();

  add(sums: CallSums & Pick<IntervalSums, 'isFailed' | 'isCached' | 'model'>): void {
    this.requests += sums.requests;
    if (sums.isFailed) this.failed += sums.requests;
    if (sums.isCached) this.cached += sums.requests;
    this.inputTokens += sums.inputTokens;
    this.outputTokens += sums.outputTokens;
    this.cacheReadTokens += sums.cacheReadTokens;
    this.cacheWriteTokens += sums.cacheWriteTokens;
    this.costNanoUsd += sums.costNanoUsd;
    this.savedNanoUsd += sums.savedNanoUsd;
    const model = getOrCreate(this.models, sums.model, newModelGroup);
    model.costNanoUsd += sums.costNanoUsd;
    if (sums.isCached) return;
    for (const group of [this, model])
      group.input = {
        full: group.input.full + sums.inputTokens,
        written: group.input.written + sums.cacheWriteTokens,
      };
  }
}

/** The maximum number of steps: as many points as a chart can show. */
const stepsMax = 60;
const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const stepLengthsMs = [1, 5, 15, 30, 60, 180, 360, 1440].map((minutes) => minutes * minuteMs);

export async function summarizeLog(
  log: Pick<RequestLog, 'sums'>,
  { accountId, ...range }: SummaryQuery,
): Promise<LogSummary> {
  const query = { accountId, ...alignToSteps(range) };
  return buildSummary(query, await log.sums(query));
}

/** As fine as a chart can show, and no finer than the stored resolution. */
export function alignToSteps({
  fromMs,
  toMs,
  nowMs,
}: Omit<SummaryQuery, 'accountId'>): Omit<LogSumsQuery, 'accountId'> {
  const finest = finestStoredStepMs(nowMs - fromMs);
  const shortest = stepLengthsMs.find((step) => step >= finest && (toMs - fromMs) / step <= stepsMax);
  const stepMs = shortest ?? Math.ceil((toMs - fromMs) / stepsMax / dayMs) * dayMs;
  const endMs = Math.ceil(toMs / stepMs) * stepMs;
  return {
    stepMs,
    fromMs: Math.floor(fromMs / stepMs) * stepMs,
    toMs: endMs > nowMs ? Math.max(toMs, nowMs) : endMs,
  };
}

/** The step in progress at the time of folding may not have ended. */
function finestStoredStepMs(agoMs: number): number {
  if (agoMs > limits.requestSumsByHourMs - dayMs) return dayMs;
  if (agoMs > limits.requestSumsByQuarterMs - hourMs) return hourMs;
  return agoMs > limits.requestSumsByMinuteMs - quarterMs ? quarterMs : minuteMs;
}

function buildSummary({ fromMs, toMs, stepMs }: LogSumsQuery, sums: LogSums): LogSummary {
  const all = new CallGroup();
  const spans: { readonly atMs: number; readonly group: CallGroup }[] = [];
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) spans.push({ atMs, group: new CallGroup() });
  const [models, providers, keys] = [newGroups(), newGroups(), newGroups()];
  const errors = new Map<string, ErrorGroup>();
  for (const kind of sums.kinds) {
    all.add(kind);
    getOrCreate(models, `${kind.provider ?? ''}\n${kind.model}`, newGroup).add(kind);
    getOrCreate(providers, kind.provider ?? '', newGroup).add(kind);
    getOrCreate(keys, kind.keyId ?? '', newGroup).add(kind);
    if (kind.isFailed) addError(errors, kind);
  }
  for (const step of sums.steps) spans[step.step]?.group.add(step);
  for (const { what, step, bin, requests } of sums.stepTimes)
    for (const group of [all, spans[step]?.group]) group?.[what].add(bin, requests);
  for (const { provider, model, bin, requests } of sums.modelTimes)
    for (const group of [models.get(`${provider}\n${model}`), providers.get(provider)])
      group?.content.add(bin, requests);
  return { fromMs, toMs, stepMs, all, spans, models, providers, keys, errors, modules: groupModules(sums) };
}

function addError(errors: Map<string, ErrorGroup>, kind: KindSums): void {
  const cause = causeOf(kind);
  getOrCreate(errors, JSON.stringify(cause), () => ({ ...cause, count: 0 })).count += kind.requests;
}

export function causeOf({
  status,
  ending,
  errorCode,
  providerError,
  provider,
}: Omit<ErrorSums, 'step' | 'requests'>): CallCause {
  const code = errorCode ?? (ending === 'complete' ? null : ending);
  // Which provider it was matters only if the error is the provider's own.
  const source = code?.startsWith('upstream_') === true ? provider : null;
  return { status, code, providerError, provider: source };
}

function groupModules({ modules, moduleTimes }: LogSums): ReadonlyMap<string, ModuleGroup> {
  const groups = new Map<string, ModuleGroup>();
  for (const { module, effect, requests, ownUs, savedNanoUsd } of modules) {
    const group = getOrCreate(groups, module, () => ({
      calls: 0,
      savedNanoUsd: 0,
      ownMs: 0,
      times: new LatencyHistogram(),
      effects: new Map(),
    }));
    group.calls += requests;
    group.ownMs += ownUs / 1000;
    group.savedNanoUsd += savedNanoUsd;
    group.effects.set(effect, (group.effects.get(effect) ?? 0) + requests);
  }
  for (const { module, bin, requests } of moduleTimes) groups.get(module)?.times.add(bin, requests);
  return groups;
}

function newModelGroup(): ModelGroup {
  return { costNanoUsd: 0, input: { full: 0, written: 0 } };
}

function newGroups(): Map<string, CallGroup> {
  return new Map();
}

function newGroup(): CallGroup {
  return new CallGroup();
}

function getOrCreate<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const existing = map.get(name);
  if (existing !== undefined) return existing;
  const made = make();
  map.set(name, made);
  return made;
}
