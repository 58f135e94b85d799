/** The module whose configurations with `models` are aliases. */
export const aliasModule = 'router';
/** The module whose rules accounts and operators name. */
export const rulesModule = 'guardrails';
export const rulesKind = `${rulesModule}.rules`;
/** What providers of accounts are stored as, beside the configurations of modules. */
export const ownProvidersKind = 'providers';
/** What MCP servers of accounts are stored as. */
export const mcpServersKind = 'mcp-servers';
