import type { BudgetHolder, CallBudget, WindowName } from '../kernel/ports/budget.ts';
import { formatBudgetPeriod } from '../kernel/ports/stored-budgets.ts';
import type { JsonObject } from '../lib/json.ts';
import { quoteName } from './texts.ts';

/** Whose budget it is: for people, and for programs. */
interface BudgetSubject {
  readonly text: string;
  readonly data: JsonObject;
  /** How to raise the ceiling. */
  readonly remedy: string;
}

interface SubjectParts {
  readonly window: WindowName;
  keyName(keyId: string): Promise<string>;
}

export async function describeSubject(
  { keyId, tag, callBudget }: BudgetHolder,
  { window, keyName }: SubjectParts,
): Promise<BudgetSubject> {
  if (callBudget !== undefined) return describeBudget(callBudget);
  const ownKeyId = tag === undefined ? keyId : '';
  const name = ownKeyId === '' ? '' : await keyName(ownKeyId);
  const value = tag === undefined || tag.value === '' ? null : tag.value;
  return {
    text: `the ceiling of ${tag === undefined ? describeKey(ownKeyId, name) : describeTag(tag.name, tag.value)} for the ${window}`,
    data: {
      key_id: ownKeyId === '' ? null : ownKeyId,
      key_name: name,
      tag: tag === undefined ? null : { name: tag.name, value },
      window,
    },
    remedy: `To raise the ceiling, change cost-guard in the pipeline${ownKeyId === '' ? '' : ' of the key'}.`,
  };
}

function describeBudget({ budget, value }: CallBudget): BudgetSubject {
  const { id, name, scope, period } = budget;
  const endUser = scope.kind === 'end_user' ? (scope.endUser ?? value) : null;
  const tag = scope.kind === 'tag' ? { name: scope.tag, value: scope.value ?? value } : null;
  const whose =
    tag !== null
      ? ` for ${describeTag(tag.name, tag.value)}`
      : endUser !== null
        ? ` for the end user ${endUser}`
        : '';
  return {
    text: `the budget ${quoteName(name)}${whose}`,
    data: {
      ...{ budget_id: id, budget_name: name, scope: scope.kind, mode: budget.mode },
      project_id: scope.kind === 'project' ? scope.projectId : null,
      key_id: scope.kind === 'key' ? scope.keyId : null,
      ...{ end_user: endUser, tag, window: formatBudgetPeriod(period) },
    },
    remedy: 'To raise the limit, change the budget.',
  };
}

function describeTag(name: string, value: string): string {
  return value === ''
    ? `calls without the tag ${quoteName(name)}`
    : `calls with the tag ${quoteName(`${name}=${value}`)}`;
}

function describeKey(keyId: string, name: string): string {
  return keyId === '' ? 'this gateway' : `API key ${quoteName(name)}`;
}
