import {
  type BudgetTag,
  type CallBudget,
  formatUsd,
  GatewayError,
  type HoldDecision,
  type NanoUsd,
  type Target,
} from '../../module-api.ts';
import type { WorstCase } from './worst-case.ts';

/** What a call could cost and why, as a sentence without an end, and how to lower it. */
export interface CostDescription {
  readonly text: string;
  /** Empty, or an advice with a semicolon before it. */
  readonly advice: string;
}

/** For a call that exceeds the ceiling per request. */
export function requestCostError({ text, advice }: CostDescription, ceiling: NanoUsd): GatewayError {
  return new GatewayError(
    'request_cost_exceeded',
    `${text}, but a request may cost at most ${usd(ceiling)}; lower its output token limit or send less input${advice}`,
  );
}

interface ExceededCeiling {
  readonly ceiling: NanoUsd;
  /** Undefined for the ceiling of a key. */
  readonly tag: BudgetTag | undefined;
}

/** For a call that exceeds what is left of a stored budget. */
export function budgetExceededError(
  { spent, held, endsAtMs }: Extract<HoldDecision, { outcome: 'refused' }>,
  callBudget: CallBudget,
  { text, advice }: CostDescription,
): GatewayError {
  const { name, limitNanoUsd } = callBudget.budget;
  const left = Math.max(0, limitNanoUsd - spent - held);
  const inFlight = held > 0 ? `, ${usd(held)} held for calls in flight` : '';
  return new GatewayError(
    'cost_ceiling_exceeded',
    `${text}, but only ${usd(left)} of the budget "${name}", ${usd(limitNanoUsd)} ${budgetText(callBudget)}, is left ` +
      `(${usd(spent)} spent${inFlight}); it renews at ${new Date(endsAtMs).toISOString()}${advice}`,
    { resetsAtMs: endsAtMs },
  );
}

/** `a day for team=search` */
function budgetText({ budget: { scope, period }, value }: CallBudget): string {
  const unit = period.kind === 'rolling' ? `in ${period.parts} ${period.unit}s` : `a ${period.kind}`;
  switch (scope.kind) {
    case 'organization':
      return `${unit} for the organization`;
    case 'project':
      return `${unit} for the project of this API key`;
    case 'key':
      return `${unit} for this API key`;
    case 'end_user':
      return `${unit} for the end user ${scope.endUser ?? value}`;
    case 'tag':
      return `${unit} for ${scope.tag}=${scope.value ?? value}`;
  }
}

/** For a call that exceeds what is left of the day's or the month's ceiling. */
export function ceilingExceededError(
  { window, spent, held, endsAtMs }: Extract<HoldDecision, { outcome: 'refused' }>,
  { ceiling, tag }: ExceededCeiling,
  { text, advice }: CostDescription,
): GatewayError {
  const left = Math.max(0, ceiling - spent - held);
  const inFlight = held > 0 ? `, ${usd(held)} held for calls in flight` : '';
  return new GatewayError(
    'cost_ceiling_exceeded',
    `${text}, but only ${usd(left)} of the ${window}'s ${usd(ceiling)}${ownerText(tag)} is left ` +
      `(${usd(spent)} spent${inFlight}); the next ${window} begins at ${new Date(endsAtMs).toISOString()}${advice}`,
    { resetsAtMs: endsAtMs },
  );
}

function ownerText(tag: BudgetTag | undefined): string {
  if (tag === undefined) return '';
  return tag.value === '' ? ` for calls without the tag ${tag.name}` : ` for ${tag.name}=${tag.value}`;
}

export function unpricedModelError({ provider, model }: Target): GatewayError {
  return new GatewayError(
    'model_not_priced',
    `there is no price for the model "${model}" of ${provider.title}, so its cost can't be limited; ` +
      'set a price in the file named by WEIR_PRICES, or use cost-guard?unknown=allow',
  );
}

export function describeWorstCase(worst: WorstCase): CostDescription {
  const { cost, sentTokens, inputTokens, outputTokens, unboundedInput } = worst;
  const cause = unboundedInput === undefined ? '' : ` because of "${unboundedInput}"`;
  const unseen =
    inputTokens > sentTokens
      ? `, an estimate that includes what the provider may read on its own${cause} and that cost-guard?assume_input=… overrides`
      : '';
  return {
    text: `this call could cost ${usd(cost)} (${inputTokens} tokens in${unseen}, ${outputTokens} out)`,
    advice: clampAdvice(worst),
  };
}

/** For a call without a canonical form. */
export function describeRelayCost(cost: NanoUsd, isBound: boolean): CostDescription {
  return {
    text: `this call could cost ${usd(cost)}${isBound ? '' : ', an assumption that cost-guard?assume_relay=… overrides'}`,
    advice: '',
  };
}

/** For a call without an output limit, which the client can't lower. */
function clampAdvice({ isLimited }: WorstCase): string {
  return isLimited ? '' : '; the call sets no output limit, and cost-guard?clamp=true would set one';
}

function usd(nano: NanoUsd): string {
  return `${formatUsd(nano)} USD`;
}
