import type { CacheControl, Tool } from '../../module-api.ts';
import { isClients } from './needed.ts';

/** The tools without those that are left out. A cache marker on one of them goes to the last that stays before it, or else the first. */
export function withoutTools(tools: readonly Tool[], left: ReadonlySet<string>): readonly Tool[] {
  const kept: Tool[] = [];
  let waiting: CacheControl | undefined;
  for (const tool of tools) {
    if (!left.has(tool.name) || !isClients(tool)) {
      kept.push(waiting === undefined ? tool : marked(tool, waiting));
      waiting = undefined;
      continue;
    }
    const { cache_control: marker } = tool;
    if (marker == null) continue;
    const last = kept.pop();
    if (last === undefined) waiting = marker;
    else kept.push(marked(last, marker));
  }
  return kept;
}

/** Of two markers the longer one stays. */
function marked(tool: Tool, marker: CacheControl): Tool {
  return tool.cache_control?.ttl === '1h' ? tool : { ...tool, cache_control: marker };
}

/** About what a model reads of them, four bytes each. */
export function tokensOf(tools: readonly Tool[]): number {
  return tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools)) / 4;
}
