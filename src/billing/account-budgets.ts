import { randomUUID } from 'node:crypto';
import { scopeOf } from '../kernel/caller.ts';
import { endUserRefFromName } from '../kernel/end-user.ts';
import { GatewayError } from '../kernel/errors.ts';
import { invalidFieldError } from '../kernel/input-validation.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { Projects } from '../kernel/ports/projects.ts';
import type { ApiKeys } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type {
  BudgetChanges,
  BudgetScope,
  StoredBudget,
  StoredBudgets,
} from '../kernel/ports/stored-budgets.ts';
import { isTagName, isTagValue } from '../kernel/tags.ts';
import type { Clock } from '../lib/clock.ts';

interface AccountBudgetsParts {
  readonly table: StoredBudgets;
  readonly apiKeys: Pick<ApiKeys, 'byId'>;
  readonly projects: Pick<Projects, 'find'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly clock: Clock;
}

export type BudgetInput = Pick<
  StoredBudget,
  'accountId' | 'name' | 'scope' | 'period' | 'limitNanoUsd' | 'mode' | 'thresholds'
>;

const endUserPattern = /^user-[0-9a-f]{24}$/;

/** The budgets that accounts store. A change holds for the next call on all replicas once it is confirmed. */
export class AccountBudgets {
  readonly #parts: AccountBudgetsParts;

  constructor(parts: AccountBudgetsParts) {
    this.#parts = parts;
  }

  list(accountId: string): Promise<readonly StoredBudget[]> {
    return this.#parts.table.list(accountId);
  }

  async find(accountId: string, id: string): Promise<StoredBudget> {
    const found = (await this.list(accountId)).find((budget) => budget.id === id);
    if (found === undefined) throw unknownBudgetError();
    return found;
  }

  async create(input: BudgetInput): Promise<StoredBudget> {
    const { table, versions, clock } = this.#parts;
    const { accountId } = input;
    const nowMs = clock.now();
    const scope = await this.#checkScope(accountId, input.scope);
    const budget = { ...input, scope, id: randomUUID(), createdAtMs: nowMs, updatedAtMs: nowMs };
    if (!(await table.add(budget, kernelLimits.storedBudgetsMax)))
      throw new GatewayError(
        'budget_limit_reached',
        `the account has reached the limit of ${kernelLimits.storedBudgetsMax} budgets; delete one first`,
      );
    await versions.renew(accountId);
    return budget;
  }

  async change(accountId: string, id: string, changes: BudgetChanges): Promise<StoredBudget> {
    const { table, versions, clock } = this.#parts;
    const changed = await table.change(accountId, id, changes, clock.now());
    await versions.renew(accountId);
    if (changed === undefined) throw unknownBudgetError();
    return changed;
  }

  async delete(accountId: string, id: string): Promise<void> {
    const { table, versions } = this.#parts;
    const isDeleted = await table.delete(accountId, id);
    await versions.renew(accountId);
    if (!isDeleted) throw unknownBudgetError();
  }

  async #checkScope(accountId: string, scope: BudgetScope): Promise<BudgetScope> {
    switch (scope.kind) {
      case 'organization':
        return scope;
      case 'project':
        if ((await this.#parts.projects.find(accountId, scope.projectId)) !== undefined) return scope;
        throw invalidFieldError(
          'is no project of the organization; GET /v1/organization/projects lists them',
          'project_id',
        );
      case 'key': {
        const key = await this.#parts.apiKeys.byId(scope.keyId);
        if (key?.accountId === accountId && key.revokedAtMs === null) return scope;
        throw invalidFieldError('is no active API key of the account; GET /v1/keys lists them', 'key_id');
      }
      case 'end_user':
        return { kind: 'end_user', endUser: scope.endUser && pseudonymOf(accountId, scope.endUser) };
      case 'tag':
        if (!isTagName(scope.tag)) throw invalidFieldError('is no name of a tag', 'tag');
        if (scope.value !== undefined && !isTagValue(scope.value))
          throw invalidFieldError('is no value of a tag', 'tag_value');
        return scope;
    }
  }
}

/** As the log has it; a pseudonym stays as it is. */
function pseudonymOf(accountId: string, endUser: string): string {
  if (endUserPattern.test(endUser)) return endUser;
  return endUserRefFromName(endUser, scopeOf({ kind: 'account', accountId, keyId: '' }));
}

function unknownBudgetError(): GatewayError {
  return new GatewayError(
    'not_found',
    'the account has no such budget; GET /v1/organization/budgets lists them',
  );
}
