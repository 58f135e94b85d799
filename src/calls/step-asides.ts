import { reasonToStepAside } from '../billing/verdict.ts';
import type { StepAside } from '../kernel/module.ts';
import type { KeyValueStore, KeyValueStores } from '../kernel/ports/module-store.ts';
import type { ModuleDay } from '../kernel/ports/records.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import { limits } from './limits.ts';

export interface StepAsidesParts {
  readonly stores: KeyValueStores;
  readonly clock: Clock;
  /** What modules did for an account since a day. */
  days(accountId: string, from: string): Promise<readonly ModuleDay[]>;
}

/** A module in the calls of one account. */
export interface AccountModule {
  readonly module: string;
  readonly scope: string;
  readonly accountId: string;
}

interface Check {
  readonly atMs: number;
  readonly stepAside: Promise<StepAside | undefined>;
}

const dayMs = 86_400_000;
const storeKey = 'step aside';

/** Modules that step aside for an account, because they lose money or show no saving. All replicas share the decision. */
export class StepAsides {
  readonly #parts: StepAsidesParts;
  readonly #checks = new Lru<Check>(limits.stepAsideChecksMax);

  constructor(parts: StepAsidesParts) {
    this.#parts = parts;
  }

  /** The step aside that a module is in; it is judged again every minute. */
  current(accountModule: AccountModule): Promise<StepAside | undefined> {
    const name = `${accountModule.module}\n${accountModule.scope}`;
    const nowMs = this.#parts.clock.now();
    const known = this.#checks.get(name);
    if (known !== undefined && nowMs - known.atMs < limits.stepAsideCheckMs) return known.stepAside;
    const stepAside = this.#judge(accountModule, nowMs);
    this.#checks.set(name, { atMs: nowMs, stepAside });
    stepAside.catch(() => this.#checks.delete(name));
    return stepAside;
  }

  /** The same as stored, without judging. */
  async stored({ module, scope }: Pick<AccountModule, 'module' | 'scope'>): Promise<StepAside | undefined> {
    const last = parse((await this.#storeOf(module, scope).get(storeKey))?.value);
    return last !== undefined && this.#parts.clock.now() < last.untilMs ? last : undefined;
  }

  async #judge({ module, scope, accountId }: AccountModule, nowMs: number): Promise<StepAside | undefined> {
    const store = this.#storeOf(module, scope);
    const stored = await store.get(storeKey);
    const last = parse(stored?.value);
    if (last !== undefined && nowMs < last.untilMs) return last;
    // The day on which it ended has calls without the module.
    const from = last === undefined ? '' : dayOf(last.untilMs + dayMs);
    const days = await this.#parts.days(accountId, from);
    const reason = reasonToStepAside(days.filter((day) => day.module === module));
    if (reason === undefined) return undefined;
    const stepAside: StepAside = { sinceMs: nowMs, untilMs: nowMs + limits.stepAsideMs, reason };
    const isStored = (await store.put(storeKey, stepAside, stored?.version ?? 0)) !== undefined;
    // Else another process was first.
    return isStored ? stepAside : this.stored({ module, scope });
  }

  #storeOf(module: string, scope: string): KeyValueStore {
    return this.#parts.stores.store(`${module}/auto`, scope);
  }
}

function parse(value: unknown): StepAside | undefined {
  if (!isJsonObject(value)) return undefined;
  const { sinceMs, untilMs, reason } = value;
  if (typeof sinceMs !== 'number' || typeof untilMs !== 'number') return undefined;
  return reason === 'loses' || reason === 'nothing_shown' ? { sinceMs, untilMs, reason } : undefined;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
