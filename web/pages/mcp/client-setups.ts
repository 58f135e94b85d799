export type McpClient = 'claude' | 'codex' | 'gemini' | 'cursor';

export const clientNames: readonly (readonly [McpClient, string])[] = [
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['cursor', 'Cursor'],
];

interface Endpoint {
  readonly url: string;
  /** The variable of the environment with what the gateway asks for; undefined where it asks for nothing. */
  readonly secret: 'WEIR_KEY' | 'WEIR_LOCAL_TOKEN' | undefined;
}

/** A command for a shell, or what belongs into the client's file. */
export function setupFor(client: McpClient, { url, secret }: Endpoint): string {
  switch (client) {
    case 'claude':
      return `claude mcp add --transport http weir ${url}${secret === undefined ? '' : ` \\\n  --header "Authorization: Bearer $${secret}"`}`;
    case 'codex':
      return `# ~/.codex/config.toml
[mcp_servers.weir]
url = "${url}"${secret === undefined ? '' : `\nbearer_token_env_var = "${secret}"`}`;
    case 'gemini':
      return `gemini mcp add --transport http weir ${url}${secret === undefined ? '' : ` \\\n  --header "Authorization: Bearer $${secret}"`}`;
    case 'cursor': {
      const headers = secret === undefined ? {} : { headers: { Authorization: `Bearer \${env:${secret}}` } };
      return `// ~/.cursor/mcp.json
${JSON.stringify({ mcpServers: { weir: { url, ...headers } } }, null, 2)}`;
    }
  }
}
