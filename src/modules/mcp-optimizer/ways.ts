import { type Exchange, type Kit, type ToolSearch, wireTowards } from '../../module-api.ts';
import type { Way } from './decision.ts';
import type { McpOptimizerOptions } from './options.ts';

/** How the model of a call looks for tools by itself, where its provider has that in the format that it is asked in. */
export function searchOf(
  { target, received }: Exchange,
  { catalog }: Pick<Kit<McpOptimizerOptions>, 'catalog'>,
): ToolSearch | undefined {
  const search = catalog.priced(target)?.toolSearch;
  return search?.wire === wireTowards(target, received.wire)?.name ? search : undefined;
}

/** How it gets at what is left out. */
export function wayOf(exchange: Exchange, kit: Pick<Kit<McpOptimizerOptions>, 'catalog' | 'options'>): Way {
  const { way_back: wanted } = kit.options;
  if (wanted === 'none') return wanted;
  return wanted === 'auto' && searchOf(exchange, kit) !== undefined ? 'defer' : 'find';
}
