/** An error of a call, as the log and its summary have it. */
export interface CallError {
  readonly status: number;
  /** One of the gateway's codes, or how an answer broke off. */
  readonly code: string | null;
  /** The provider whose error it is. */
  readonly provider: string | null;
  readonly provider_error: string | null;
}

/** Why a call failed, in a few words. */
export function causeOf({ status, code, provider, provider_error: named }: CallError): string {
  if (code !== null && code !== 'upstream_error') return causes[code] ?? wordsOf(code);
  const who = provider ?? 'the provider';
  const cause = providerCauses.find(({ names, statuses }) =>
    named === null || !allNames.has(named) ? statuses.includes(status) : names.includes(named),
  );
  if (cause !== undefined) return cause.say(who);
  if (named !== null) return `${wordsOf(named)} (${who})`;
  return status >= 500 ? `${who} failed` : `rejected by ${who}`;
}

/** Errors with the same cause, in words. */
export interface CauseGroup<Counted extends CallError> {
  readonly cause: string;
  readonly tone: 'refused' | 'failed';
  readonly count: number;
  /** The most frequent first. */
  readonly errors: readonly [Counted, ...Counted[]];
}

/** The causes with the most errors first; those with equally many keep their order when they are read again. */
export function groupByCause<Counted extends CallError & { readonly count: number }>(
  errors: readonly Counted[],
): readonly CauseGroup<Counted>[] {
  const groups = new Map<string, CauseGroup<Counted>>();
  for (const error of errors.toSorted((one, other) => other.count - one.count)) {
    const cause = causeOf(error);
    const { tone = toneOf(error.status), count = 0, errors: before } = groups.get(cause) ?? {};
    groups.set(cause, {
      ...{ cause, tone, count: count + error.count },
      errors: before === undefined ? [error] : [...before, error],
    });
  }
  return [...groups.values()].sort(
    (one, other) => other.count - one.count || (one.cause < other.cause ? -1 : 1),
  );
}

/** What stands in for a code where an answer broke off. */
const endings: ReadonlySet<string> = new Set(['failed', 'aborted']);

/** A filter of the log for errors with the same cause: what all of them share. */
export function filterOfErrors(errors: readonly [CallError, ...CallError[]]) {
  const shared = <Value>(of: (error: CallError) => Value): Value | undefined => {
    const [first, ...others] = errors.map(of);
    return others.every((value) => value === first) ? first : undefined;
  };
  const status = shared((error) => error.status) ?? 0;
  const search = shared(
    ({ code, provider_error: named }) => named ?? (endings.has(code ?? '') ? null : code),
  );
  const provider = shared((error) => error.provider);
  return {
    status: status >= 400 ? String(status) : 'error',
    ...(typeof search === 'string' && { search }),
    ...(typeof provider === 'string' && { provider }),
  };
}

/** Refused by the gateway or a provider, or a failure. */
function toneOf(status: number): 'refused' | 'failed' {
  return status >= 500 || status < 400 ? 'failed' : 'refused';
}

/** Codes whose own words say too little. */
const causes: Readonly<Record<string, string>> = {
  aborted: 'client disconnected',
  failed: 'answer broke off',
  client_gone: 'client disconnected',
  cost_ceiling_exceeded: 'budget used up',
  request_cost_exceeded: 'call too expensive',
  provider_key_missing: 'no provider key',
  provider_key_mismatch: 'key of another provider',
  tier_cap_reached: 'monthly quota used up',
  rate_limited: 'rate limit of the key',
  concurrency_limit: 'too many calls at once',
  upstream_unreachable: 'provider unreachable',
  upstream_timeout: 'provider timed out',
  upstream_broken: 'answer broke off',
  blocked_by_module: 'blocked by a module',
  no_route: 'no model can take the call',
  targets_unavailable: 'all models unavailable',
  internal: 'bug in Weir',
};

interface ProviderCause {
  readonly names: readonly string[];
  readonly statuses: readonly number[];
  readonly say: (provider: string) => string;
}

const providerCauses: readonly ProviderCause[] = [
  {
    names: ['context_length_exceeded', 'request_too_large'],
    statuses: [413],
    say: () => 'prompt too long',
  },
  {
    names: ['insufficient_quota', 'billing_not_active', 'billing_hard_limit_reached', 'billing_error'],
    statuses: [402],
    say: (provider) => `no credit left at ${provider}`,
  },
  {
    names: ['rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED', 'ThrottlingException'],
    statuses: [429],
    say: (provider) => `rate-limited by ${provider}`,
  },
  {
    names: ['overloaded_error', 'UNAVAILABLE', 'ServiceUnavailableException'],
    statuses: [503, 529],
    say: (provider) => `${provider} is overloaded`,
  },
  {
    names: ['authentication_error', 'invalid_api_key', 'UNAUTHENTICATED'],
    statuses: [401],
    say: (provider) => `key rejected by ${provider}`,
  },
  {
    names: ['permission_error', 'PERMISSION_DENIED', 'AccessDeniedException'],
    statuses: [403],
    say: (provider) => `forbidden by ${provider}`,
  },
  {
    names: ['not_found_error', 'model_not_found', 'NOT_FOUND'],
    statuses: [404],
    say: (provider) => `unknown to ${provider}`,
  },
  {
    names: ['content_filter', 'content_policy_violation'],
    statuses: [],
    say: (provider) => `content filter of ${provider}`,
  },
];

const allNames: ReadonlySet<string> = new Set(providerCauses.flatMap(({ names }) => names));

function wordsOf(code: string): string {
  return code.replaceAll('_', ' ');
}
