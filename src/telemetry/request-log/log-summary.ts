import { limits } from '../../kernel/limits.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { LoggedCall, RequestLog } from '../../kernel/ports/request-log.ts';

/** What is asked for: calls of an account from one moment to another. */
export interface SummaryQuestion {
  /** Undefined asks about all there are. */
  readonly accountId: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface LogSummary {
  readonly stepMs: number;
  /** Calls that were looked at: the newest, up to a bound. */
  readonly calls: number;
  /** From when on all calls were looked at; undefined where that is all of the time. */
  readonly sinceMs: number | undefined;
  readonly all: Group;
  readonly spans: readonly { readonly atMs: number; readonly group: Group }[];
  readonly models: ReadonlyMap<string, Group>;
  /** By the id of an API key; empty for calls without one. */
  readonly keys: ReadonlyMap<string, Group>;
  readonly errors: ReadonlyMap<string, ErrorGroup>;
  readonly modules: ReadonlyMap<string, ModuleGroup>;
}

export interface ErrorGroup {
  readonly status: number;
  readonly code: string | null;
  count: number;
}

/** What one module did. */
export interface ModuleGroup {
  calls: number;
  savedNanoUsd: NanoUsd;
  ownMs: number;
  readonly effects: Map<string, number>;
}

/** Sums of some calls. */
export class Group {
  requests = 0;
  failed = 0;
  cached = 0;
  inputTokens = 0;
  outputTokens = 0;
  costNanoUsd = 0;
  savedNanoUsd = 0;
  readonly models = new Map<string, NanoUsd>();
  readonly firstContentMs: number[] = [];
  readonly overheadMs: number[] = [];

  add(call: LoggedCall): void {
    this.requests++;
    if (isAmiss(call)) this.failed++;
    if (call.steps.some(({ effect }) => effect === 'answered')) this.cached++;
    this.inputTokens += (call.inputTokens ?? 0) + (call.cacheReadTokens ?? 0) + (call.cacheWriteTokens ?? 0);
    this.outputTokens += call.outputTokens ?? 0;
    this.costNanoUsd += call.costNanoUsd ?? 0;
    this.savedNanoUsd += call.savedNanoUsd;
    const model = call.modelUsed ?? call.modelAsked;
    this.models.set(model, (this.models.get(model) ?? 0) + (call.costNanoUsd ?? 0));
    if (call.contentMs !== null && call.askedBy === null) this.firstContentMs.push(call.contentMs);
    if (call.askedBy === null) this.overheadMs.push(call.overheadMs);
  }
}

/** In this many steps at most, so that a chart has as many points as a screen shows. */
const stepsMax = 60;
const minuteMs = 60_000;
const stepsMs = [1, 5, 15, 30, 60, 180, 360, 1440].map((minutes) => minutes * minuteMs);

/** Reads page by page, so that others have their turn in between. */
export async function summaryOf(
  log: Pick<RequestLog, 'page'>,
  { accountId, fromMs, toMs }: SummaryQuestion,
): Promise<LogSummary> {
  const sums = new Sums(fromMs, toMs);
  let last: string | undefined;
  let read = 0;
  let more = true;
  while (more && read < limits.requestLogSummaryRows) {
    const beside = last === undefined ? undefined : { id: last, side: 'older' as const };
    const page = await log.page({
      accountId,
      filter: { fromMs, toMs },
      beside,
      limit: limits.requestLogSummaryPage,
    });
    for (const call of page.calls) sums.add(call);
    read += page.calls.length;
    last = page.reached;
    more = page.more && last !== undefined;
  }
  return sums.summary(more);
}

class Sums {
  readonly #fromMs: number;
  readonly #stepMs: number;
  readonly #spans: { readonly atMs: number; readonly group: Group }[] = [];
  readonly #all = new Group();
  readonly #models = new Map<string, Group>();
  readonly #keys = new Map<string, Group>();
  readonly #errors = new Map<string, ErrorGroup>();
  readonly #modules = new Map<string, ModuleGroup>();
  #earliestMs: number | undefined;

  constructor(fromMs: number, toMs: number) {
    this.#stepMs =
      stepsMs.find((step) => (toMs - fromMs) / step <= stepsMax) ?? Math.ceil((toMs - fromMs) / stepsMax);
    this.#fromMs = Math.floor(fromMs / this.#stepMs) * this.#stepMs;
    for (let atMs = this.#fromMs; atMs < toMs; atMs += this.#stepMs)
      this.#spans.push({ atMs, group: new Group() });
  }

  add(call: LoggedCall): void {
    this.#earliestMs = call.atMs;
    this.#all.add(call);
    this.#spans[Math.floor((call.atMs - this.#fromMs) / this.#stepMs)]?.group.add(call);
    kept(this.#models, `${call.provider ?? ''}\n${call.modelUsed ?? call.modelAsked}`, () => new Group()).add(
      call,
    );
    kept(this.#keys, call.keyId ?? '', () => new Group()).add(call);
    if (isAmiss(call)) {
      const code = call.errorCode ?? (call.ending === 'complete' ? null : call.ending);
      const { status } = call;
      kept(this.#errors, `${status} ${code}`, () => ({ status, code, count: 0 })).count++;
    }
    for (const { module, effect, ms } of call.steps) {
      const group = kept(this.#modules, module, emptyModule);
      group.calls++;
      group.ownMs += ms;
      group.effects.set(effect, (group.effects.get(effect) ?? 0) + 1);
      if (effect === 'answered') group.savedNanoUsd += call.savedNanoUsd;
    }
  }

  summary(isCut: boolean): LogSummary {
    return {
      stepMs: this.#stepMs,
      calls: this.#all.requests,
      sinceMs: isCut ? this.#earliestMs : undefined,
      all: this.#all,
      spans: this.#spans,
      models: this.#models,
      keys: this.#keys,
      errors: this.#errors,
      modules: this.#modules,
    };
  }
}

function emptyModule(): ModuleGroup {
  return { calls: 0, savedNanoUsd: 0, ownMs: 0, effects: new Map() };
}

function isAmiss({ status, ending }: LoggedCall): boolean {
  return status >= 400 || ending === 'failed';
}

function kept<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}
