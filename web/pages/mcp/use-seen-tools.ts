import { useEffect, useState } from 'react';
import type { McpServerTool } from '../../api/queries.ts';
import { useStored } from '../../parts/use-stored.ts';

/** Which definitions of tools somebody has read in this browser; all of them, when they are listed for the first time. */
export function useSeenTools(server: string, tools: readonly McpServerTool[] | undefined) {
  const [stored, store] = useStored(`weir-mcp-tools:${server}`, '');
  const [isFirst] = useState(stored === '');
  const note = () => store(JSON.stringify((tools ?? []).map(({ name, digest }) => [name, digest])));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is there
  useEffect(() => {
    if (stored === '' && tools !== undefined) note();
  }, [tools]);
  const seen = digestsIn(stored);
  const stateOf = ({ name, digest }: McpServerTool): 'seen' | 'new' | 'changed' => {
    const known = seen.get(name);
    return known === undefined ? 'new' : known === digest ? 'seen' : 'changed';
  };
  return { isFirst, note, stateOf };
}

function digestsIn(text: string): ReadonlyMap<unknown, unknown> {
  try {
    const entries: unknown = JSON.parse(text);
    return new Map(
      Array.isArray(entries) ? entries.filter(Array.isArray).map(([name, digest]) => [name, digest]) : [],
    );
  } catch {
    return new Map();
  }
}
