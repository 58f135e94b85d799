import { limits } from '../../accounts/limits.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { HealthChange } from '../../kernel/ports/health.ts';
import type { Secret } from '../../lib/secret.ts';
import { localAccountId } from '../local-setting.ts';
import type { NamedRecord } from './credential-records.ts';

/** What is told to an account when it changes. */
interface HealthState {
  readonly isOpen: boolean;
  readonly isRejected: boolean;
}

export function stateOf({ record, ofCredential }: NamedRecord): HealthState {
  return { isOpen: record.isOpen, isRejected: record.isRejected || ofCredential.whole.record.isRejected };
}

/** The changes since a state. */
export function* changesOf(
  before: HealthState,
  named: NamedRecord,
  {
    accountId,
    credential,
    atMs,
  }: { readonly accountId: string; readonly credential: Secret | undefined; readonly atMs: number },
): Iterable<HealthChange> {
  const after = stateOf(named);
  const { target, ofCredential, name } = named;
  const common = { accountId, provider: target.provider.name, hint: hintOf(credential), atMs };
  const ofTarget = { ...common, model: target.model, name };
  if (after.isOpen !== before.isOpen)
    yield {
      ...ofTarget,
      kind: after.isOpen ? 'breaker.opened' : 'breaker.closed',
      sinceMs: named.record.openedAtMs,
    };
  if (after.isRejected && !before.isRejected) {
    const { whole } = ofCredential;
    const rejected = whole.record.isRejected ? { model: '', name: whole.name } : {};
    yield { ...ofTarget, ...rejected, kind: 'credential.failing', sinceMs: atMs };
  }
}

/** Undefined for callers without an account. */
export function alertedAccountOf(caller: Caller): string | undefined {
  if (caller.kind === 'account') return caller.accountId;
  return caller.kind === 'local' ? localAccountId : undefined;
}

function hintOf(credential: Secret | undefined): string | null {
  const text = credential?.reveal() ?? '';
  return text.length < limits.hintedKeyCharactersMin ? null : text.slice(-4);
}
