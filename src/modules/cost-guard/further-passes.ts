import { isJsonObject, type JsonObject } from '../../module-api.ts';
import { limits } from './limits.ts';

/** A pass that the provider may make and bill beside the answer itself. */
export interface FurtherPass {
  /** The model, if it isn't that of the call. */
  readonly model?: string;
  /** How often it may happen. */
  readonly times: number;
  /** Its most output, if that isn't the limit of the call. */
  readonly outputTokens?: number;
  readonly speed?: string | null;
}

/** The passes that a request asks for: other models after a refusal, summaries of the conversation, advice. */
export function furtherPassesOf(fields: JsonObject, tools: readonly JsonObject[]): readonly FurtherPass[] {
  return [...fallbacksIn(fields), ...compactionsIn(fields), ...tools.flatMap(advisorsIn)];
}

/** A refusal in mid-answer is billed, and so is each attempt after it. By default the provider chooses the model. */
function fallbacksIn({ fallbacks }: JsonObject): readonly FurtherPass[] {
  if (fallbacks === 'default') return [{ times: 1 }];
  return objectsIn(fallbacks).map(({ model, max_tokens, speed }) => ({
    times: 1,
    ...(typeof model === 'string' && { model }),
    ...(typeof max_tokens === 'number' && { outputTokens: max_tokens }),
    ...((typeof speed === 'string' || speed === null) && { speed }),
  }));
}

/** Anthropic has a field and a list of edits, OpenAI a list. */
function compactionsIn({ compaction, context_management: management }: JsonObject): readonly FurtherPass[] {
  const edits = objectsIn(isJsonObject(management) ? management.edits : management);
  const isAsked =
    isJsonObject(compaction) || edits.some(({ type }) => typeof type === 'string' && /^compact/.test(type));
  return isAsked ? [{ times: 1, outputTokens: limits.summaryTokens }] : [];
}

function advisorsIn({ type, model, max_uses, max_tokens }: JsonObject): readonly FurtherPass[] {
  if (typeof type !== 'string' || !type.startsWith('advisor_')) return [];
  const uses = typeof max_uses === 'number' && max_uses > 0 ? Math.ceil(max_uses) : limits.defaultToolUses;
  return [
    {
      times: Math.min(uses, limits.estimatedUsesMax),
      ...(typeof model === 'string' && { model }),
      outputTokens: typeof max_tokens === 'number' ? max_tokens : limits.adviceTokens,
    },
  ];
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
