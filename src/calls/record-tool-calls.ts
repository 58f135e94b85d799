import { hash } from 'node:crypto';
import type { McpTools } from '../kernel/ports/mcp.ts';
import type { Trace } from '../kernel/trace.ts';
import { canonicalJson } from '../lib/json.ts';

/** The same tools, with each call in the trace. Digests are of canonical JSON, so that who has the values can check them. */
export function recordToolCalls(tools: McpTools, trace: Pick<Trace, 'addToolCall'>): McpTools {
  return {
    list: (servers) => tools.list(servers),
    async call(name, input, options) {
      const record = (result: unknown) =>
        trace.addToolCall({
          tool: name,
          argumentsSha256: hash('sha256', canonicalJson(input)),
          resultSha256: result === undefined ? null : hash('sha256', canonicalJson(result)),
        });
      try {
        const result = await tools.call(name, input, options);
        record(result);
        return result;
      } catch (failure) {
        record(undefined);
        throw failure;
      }
    },
  };
}
