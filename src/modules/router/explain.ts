import { formatUsd, type JsonObject } from '../../module-api.ts';
import type { RouteCandidate } from './decide.ts';
import type { RouterOptions } from './options.ts';
import type { Route } from './route.ts';

/** A decision as `GET /v1/route` shows it: all candidates, those that would be called first, in their order. */
export function explainRoute({ decision, input }: Route, { strategy, sticky }: RouterOptions): JsonObject {
  const [first] = decision.choices;
  return {
    target: first?.candidate.name ?? null,
    reason: first?.reason ?? null,
    strategy,
    sticky,
    needs: [...input.needs],
    candidates: [
      ...decision.choices.map(({ candidate, reason }, at) => ({
        ...describeCandidate(candidate),
        position: at + 1,
        reason,
        excluded: null,
      })),
      ...decision.excluded.map(({ candidate, reason }) => ({
        ...describeCandidate(candidate),
        position: null,
        reason: null,
        excluded: reason,
      })),
    ],
  };
}

function describeCandidate(candidate: RouteCandidate): JsonObject {
  const { name, region = null, abilitySource, cost, inputTokens, isWarm, weight, health } = candidate;
  const { breaker, errorRate, firstContentMs = null, restsUntilMs } = health;
  return {
    target: name,
    region,
    abilities_from:
      abilitySource === undefined
        ? null
        : { source: abilitySource.source ?? null, checked_on: abilitySource.checkedOn },
    expected_usd: cost === undefined ? null : formatUsd(cost),
    input_tokens: inputTokens,
    warm: isWarm,
    weight,
    health: {
      breaker,
      error_rate: Math.round(errorRate * 1000) / 1000,
      first_content_ms: firstContentMs,
      rests_until: restsUntilMs === undefined ? null : new Date(restsUntilMs).toISOString(),
    },
  };
}
