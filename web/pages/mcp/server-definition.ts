import type { McpServer, McpServerInput } from '../../api/queries.ts';

/** What is stored of a server, as it is sent to store it again. Secrets stay. */
export function storedDefinition(server: McpServer): McpServerInput {
  const { url, command, args, openapi, authorization, tools, access, projects, timeout_ms, enabled } = server;
  const kept = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
  return {
    ...(url !== undefined && { url }),
    ...(command !== undefined && { command, env: kept(server.env) }),
    ...(args !== undefined && { args }),
    ...(openapi !== undefined && { openapi }),
    ...(command === undefined && { headers: kept(server.headers) }),
    ...(authorization !== undefined && { authorization }),
    ...(tools !== undefined && { tools }),
    ...(access !== undefined && { access }),
    ...(projects !== undefined && { projects }),
    timeout_ms,
    enabled,
  };
}
