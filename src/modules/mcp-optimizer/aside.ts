import { changesState, type Exchange, isBeyondUs } from '../../module-api.ts';
import type { CallWithTools } from './choosing.ts';
import { toolsMax, toolTokensMin } from './limits.ts';
import { isLostAnew, isToolSearch } from './needed.ts';

/** Why all tools are sent, as the trace says it. */
export type Aside = BeforeChoosing | 'vectors' | 'vague' | 'needed' | 'prefix' | 'forced' | 'costs';

type BeforeChoosing =
  | 'few-tools'
  | 'many-tools'
  | 'small-tools'
  | 'stateful'
  | 'request-fields'
  | 'tool-search'
  | 'tool-type';

/** The reason not to choose among the tools of a call; undefined where there is none. */
export function asideBeforeChoosing(call: CallWithTools): BeforeChoosing | undefined {
  const { exchange, kit, offered, lists } = call;
  if (offered.length < kit.options.min_tools) return 'few-tools';
  if (offered.length > toolsMax) return 'many-tools';
  return asideInRequest(exchange) ?? (lists.tokensOf(offered) < toolTokensMin ? 'small-tools' : undefined);
}

/**
 * Calls whose answer can't be continued here, a client that searches for its tools itself, and tools of a format's own whose
 * calls would be missing in an answer that is written anew.
 */
function asideInRequest(exchange: Exchange): BeforeChoosing | undefined {
  if (changesState(exchange.received)) return 'stateful';
  if (isBeyondUs(exchange)) return 'request-fields';
  const { tools = [] } = exchange.request;
  if (tools.some((tool) => tool.defer_loading === true || isToolSearch(tool))) return 'tool-search';
  return tools.some(isLostAnew) ? 'tool-type' : undefined;
}
