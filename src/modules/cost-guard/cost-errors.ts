import { formatUsd, GatewayError, type HoldDecision, type NanoUsd, type Target } from '../../module-api.ts';
import type { WorstCase } from './worst-case.ts';

/** The call by itself is too dear. */
export function requestCostError(worst: WorstCase, ceiling: NanoUsd): GatewayError {
  return new GatewayError(
    'request_cost_exceeded',
    `${describeWorstCase(worst)}, and a request may cost ${usd(ceiling)} at most; lower its limit of output tokens, or send less${clampAdvice(worst)}`,
  );
}

/** There isn't enough left of the day or of the month. */
export function ceilingExceededError(
  { window, spent, held, endsAtMs }: Extract<HoldDecision, { outcome: 'refused' }>,
  ceiling: NanoUsd,
  worst: WorstCase,
): GatewayError {
  const left = Math.max(0, ceiling - spent - held);
  const underWay = held > 0 ? `, ${usd(held)} held for calls under way` : '';
  return new GatewayError(
    'cost_ceiling_exceeded',
    `${describeWorstCase(worst)}, and ${usd(left)} of the ${window}'s ${usd(ceiling)} are left ` +
      `(${usd(spent)} spent${underWay}); the next ${window} begins at ${new Date(endsAtMs).toISOString()}${clampAdvice(worst)}`,
    { resetsAtMs: endsAtMs },
  );
}

export function unpricedModelError({ provider, model }: Target): GatewayError {
  return new GatewayError(
    'model_not_priced',
    `nobody here knows what "${model}" of ${provider.title} costs, so a ceiling in dollars can't be kept; ` +
      'give it a price in the file that WEIR_PRICES names, or say cost-guard?unknown=allow',
  );
}

function describeWorstCase({
  cost,
  sentTokens,
  inputTokens,
  outputTokens,
  unboundedInput,
}: WorstCase): string {
  const cause = unboundedInput === undefined ? '' : ` because of "${unboundedInput}"`;
  const unseen =
    inputTokens > sentTokens
      ? `, most of them what its provider may read by itself${cause}, for which cost-guard?assume_input=… sets another number`
      : '';
  return `this call could cost ${usd(cost)} (${inputTokens} tokens in${unseen}, ${outputTokens} out)`;
}

/** Agents that set no limit can't be told to lower it. */
function clampAdvice({ isLimited }: WorstCase): string {
  return isLimited ? '' : '; it sets no limit of output, and cost-guard?clamp=true would set one';
}

function usd(nano: NanoUsd): string {
  return `${formatUsd(nano)} USD`;
}
