import type { ChatRequest, Message, Thinking } from '../../kernel/message.ts';
import type { ModelCapabilities } from './model-capabilities.ts';

/** The settings that depend on thinking. */
export interface ThinkingSettings {
  readonly thinking?: Thinking | undefined;
  readonly effort?: string | undefined;
  readonly max_tokens: number;
}

/** Translates an effort level into the kind of thinking that the model's generation supports. */
export function thinkingSettingsOf(
  request: ChatRequest,
  modelCapabilities: ModelCapabilities,
  dropped: Set<string>,
): ThinkingSettings {
  const { thinking, output_config: config, max_tokens: requestedMax } = request;
  const effort = config?.effort ?? undefined;
  const max_tokens = requestedMax ?? defaultMaxTokens(thinking);
  if (effort === undefined || thinking !== undefined) return { thinking, effort, max_tokens };
  if (effort === 'none')
    return modelCapabilities.thinkingControl === 'never'
      ? { max_tokens }
      : { thinking: { type: 'disabled' }, max_tokens };
  if (modelCapabilities.thinkingControl === 'by effort')
    return { thinking: { type: 'adaptive' }, effort: supportedEffort(effort, modelCapabilities), max_tokens };
  const budget_tokens = Math.min(
    budgetByEffort[effort] ?? budgetByEffort.high,
    (requestedMax ?? Number.POSITIVE_INFINITY) - 1,
  );
  if (
    modelCapabilities.thinkingControl === 'by budget' &&
    budget_tokens >= budgetMin &&
    allowsBudget(request)
  )
    return {
      thinking: { type: 'enabled', budget_tokens },
      max_tokens: requestedMax ?? budget_tokens + replyTokensDefault,
    };
  dropped.add('output_config.effort');
  return { max_tokens };
}

export function supportedEffort(effort: string, { effortMax }: ModelCapabilities): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' ? effortMax : effort;
}

/** This format requires a limit, others don't: enough for a long answer, and accepted by every current model. */
const replyTokensDefault = 8192;
const budgetMin = 1024;
const budgetByEffort: Readonly<Record<string, number>> & { readonly high: number } = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};

function defaultMaxTokens(thinking: Thinking | undefined): number {
  return thinking?.type === 'enabled' ? thinking.budget_tokens + replyTokensDefault : replyTokensDefault;
}

/** With a budget, the provider rejects a forced tool, and a tool loop that started without thinking. */
function allowsBudget({ tool_choice: choice, messages }: ChatRequest): boolean {
  return choice?.type !== 'any' && choice?.type !== 'tool' && !isToolLoopWithoutThinking(messages);
}

function isToolLoopWithoutThinking(messages: readonly Message[]): boolean {
  const turn = messages.findLast((message) => message.role === 'assistant');
  if (turn === undefined || typeof turn.content === 'string') return false;
  const kinds = new Set<string>(turn.content.map((block) => block.type));
  return kinds.has('tool_use') && !kinds.has('thinking') && !kinds.has('redacted_thinking');
}
