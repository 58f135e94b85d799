import type { CacheControl, Tool } from '../../module-api.ts';
import { isClientTool } from './required-tools.ts';

/** Removes omitted tools. A cache marker on one of them moves to the last remaining tool before it, or else to the first. */
export function removeTools(tools: readonly Tool[], left: ReadonlySet<string>): readonly Tool[] {
  const kept: Tool[] = [];
  let waiting: CacheControl | undefined;
  for (const tool of tools) {
    if (!left.has(tool.name) || !isClientTool(tool)) {
      kept.push(waiting === undefined ? tool : addCacheMarker(tool, waiting));
      waiting = undefined;
      continue;
    }
    const { cache_control: marker } = tool;
    if (marker == null) continue;
    const last = kept.pop();
    if (last === undefined) waiting = marker;
    else kept.push(addCacheMarker(last, marker));
  }
  return kept;
}

/** Of two markers, the one with the longer TTL stays. */
function addCacheMarker(tool: Tool, marker: CacheControl): Tool {
  return tool.cache_control?.ttl === '1h' ? tool : { ...tool, cache_control: marker };
}

/** Estimates their tokens at four bytes each. */
export function estimateToolTokens(tools: readonly Tool[]): number {
  return tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools)) / 4;
}
