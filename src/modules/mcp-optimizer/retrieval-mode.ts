import { chooseWire, type Exchange, type Kit, type ToolSearch } from '../../module-api.ts';
import type { McpOptimizerOptions } from './options.ts';
import type { RetrievalMode } from './tool-decision-log.ts';

/** The provider's own tool search for the call's model, if the wire format supports it. */
export function providerToolSearchOf(
  { target, clientRequest }: Exchange,
  { catalog }: Pick<Kit<McpOptimizerOptions>, 'catalog'>,
): ToolSearch | undefined {
  const search = catalog.priceOf(target)?.toolSearch;
  return search?.wire === chooseWire(target, clientRequest.wire)?.name ? search : undefined;
}

/** How the model reaches omitted tools. */
export function retrievalModeOf(
  exchange: Exchange,
  kit: Pick<Kit<McpOptimizerOptions>, 'catalog' | 'options'>,
): RetrievalMode {
  const { way_back: wanted } = kit.options;
  if (wanted === 'none') return wanted;
  return wanted === 'auto' && providerToolSearchOf(exchange, kit) !== undefined ? 'defer' : 'find';
}
