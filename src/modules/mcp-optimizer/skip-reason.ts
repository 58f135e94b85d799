import { changesState, type Exchange, hasFormatOnlyFields, isLostInRewrite } from '../../module-api.ts';
import type { CallWithTools } from './choose-omission.ts';
import { toolsMax, toolTokensMin } from './limits.ts';
import { isToolSearch } from './required-tools.ts';

/** Why all tools are sent, as noted in the trace. */
export type SkipReason = EarlySkipReason | 'vectors' | 'vague' | 'needed' | 'prefix' | 'forced' | 'costs';

type EarlySkipReason =
  | 'few-tools'
  | 'many-tools'
  | 'small-tools'
  | 'stateful'
  | 'request-fields'
  | 'tool-search'
  | 'tool-type';

/** A reason not to choose among the tools of a call; undefined if there is none. */
export function skipReasonBeforeChoice(call: CallWithTools): EarlySkipReason | undefined {
  const { exchange, kit, clientTools, lists } = call;
  if (clientTools.length < kit.options.min_tools) return 'few-tools';
  if (clientTools.length > toolsMax) return 'many-tools';
  return (
    skipReasonOfRequest(exchange) ??
    (lists.estimateTokens(clientTools) < toolTokensMin ? 'small-tools' : undefined)
  );
}

/**
 * Calls whose answer the gateway can't continue, clients with their own tool search, and format-specific tools whose calls would
 * be lost in a rewritten answer.
 */
function skipReasonOfRequest(exchange: Exchange): EarlySkipReason | undefined {
  if (changesState(exchange.clientRequest)) return 'stateful';
  if (hasFormatOnlyFields(exchange)) return 'request-fields';
  const { tools = [] } = exchange.request;
  if (tools.some((tool) => tool.defer_loading === true || isToolSearch(tool))) return 'tool-search';
  return tools.some(isLostInRewrite) ? 'tool-type' : undefined;
}
