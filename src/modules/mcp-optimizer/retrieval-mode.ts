import { chooseWire, type Exchange, type Kit, type ToolSearch } from '../../module-api.ts';
import type { McpOptimizerOptions } from './options.ts';
import type { RetrievalMode } from './tool-decision-log.ts';

/** How the model of a call looks for tools by itself, where its provider has that in the format that it is asked in. */
export function providerToolSearchOf(
  { target, clientRequest }: Exchange,
  { catalog }: Pick<Kit<McpOptimizerOptions>, 'catalog'>,
): ToolSearch | undefined {
  const search = catalog.priceOf(target)?.toolSearch;
  return search?.wire === chooseWire(target, clientRequest.wire)?.name ? search : undefined;
}

/** How it gets at what is left out. */
export function retrievalModeOf(
  exchange: Exchange,
  kit: Pick<Kit<McpOptimizerOptions>, 'catalog' | 'options'>,
): RetrievalMode {
  const { way_back: wanted } = kit.options;
  if (wanted === 'none') return wanted;
  return wanted === 'auto' && providerToolSearchOf(exchange, kit) !== undefined ? 'defer' : 'find';
}
