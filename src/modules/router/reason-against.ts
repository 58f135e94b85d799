import { type Ability, formatUsd } from '../../module-api.ts';
import type { RouteCandidate, RouteInput } from './decide.ts';

export interface ReasonAgainst {
  readonly reason: string;
  /** Whether it can take the call, but not now. */
  readonly isTemporary: boolean;
}

/** Why a target can't take a call, from what is known about it; undefined if it can. */
export function reasonAgainst(candidate: RouteCandidate, input: RouteInput): ReasonAgainst | undefined {
  const reason =
    (candidate.isAllowed ? undefined : 'not allowed for this API key') ??
    placeReason(candidate, input) ??
    (candidate.hasCredential ? undefined : 'no provider key') ??
    abilityReason(candidate, input) ??
    sizeReason(candidate, input) ??
    costReason(candidate, input);
  if (reason !== undefined) return { reason, isTemporary: false };
  const wait = healthReason(candidate);
  return wait === undefined ? undefined : { reason: wait, isTemporary: true };
}

function placeReason(
  { provider, region, hasCredential }: RouteCandidate,
  { providers, regions }: RouteInput,
): string | undefined {
  if (providers?.has(provider) === false) return `${provider} is not among the providers`;
  if (regions === undefined || !hasCredential) return undefined;
  if (region === undefined) return 'region: unknown';
  return regions.has(region) ? undefined : `region ${region}`;
}

/** A client that asks for one model by its name gets it, also if little is known about it. */
function abilityReason(
  { abilities, isRequested }: RouteCandidate,
  { needs }: RouteInput,
): string | undefined {
  for (const ability of needs) {
    if (abilities[ability] === true) continue;
    if (abilities[ability] === false) return `no ${abilityNames[ability]}`;
    if (!isRequested) return `${abilityNames[ability]}: unknown`;
  }
  return undefined;
}

function sizeReason(
  { contextTokens, outputTokensMax, inputTokens }: RouteCandidate,
  { outputTokens = 0 }: RouteInput,
): string | undefined {
  if (outputTokensMax !== undefined && outputTokens > outputTokensMax)
    return `${outputTokens} output tokens requested, ${outputTokensMax} possible`;
  if (contextTokens !== undefined && inputTokens + outputTokens > contextTokens)
    return `${inputTokens + outputTokens} tokens, context window ${contextTokens}`;
  return undefined;
}

function costReason({ cost }: RouteCandidate, { maxNanoUsd }: RouteInput): string | undefined {
  if (maxNanoUsd === undefined) return undefined;
  if (cost === undefined) return 'no known price, and max_usd is set';
  return cost > maxNanoUsd
    ? `expected cost $${formatUsd(cost)}, max_usd $${formatUsd(maxNanoUsd)}`
    : undefined;
}

function healthReason({ health }: RouteCandidate): string | undefined {
  if (health.restsUntilMs === undefined) return undefined;
  if (health.isRejected) return 'the provider rejected the key';
  const until = new Date(health.restsUntilMs).toISOString();
  return health.breaker === 'open'
    ? `failing, rests until ${until}`
    : `the provider asked to wait until ${until}`;
}

const abilityNames: Readonly<Record<Ability, string>> = {
  tools: 'tools',
  forcedTool: 'forced tools',
  forcedToolWithThinking: 'forced tools with a thinking budget',
  parallelTools: 'parallel tool calls',
  structuredOutput: 'structured output',
  images: 'images',
  documents: 'documents',
  audio: 'audio',
  video: 'video',
  reasoning: 'such reasoning settings',
  serverTools: 'server-side tools',
  searchOptions: 'web_search_options',
  stopSequences: 'stop sequences',
  severalAnswers: 'several answers',
  logProbabilities: 'log probabilities',
  streaming: 'streaming',
};
