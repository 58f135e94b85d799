import type { McpCaller } from '../../kernel/ports/mcp.ts';
import { Wildcard } from '../../lib/wildcard.ts';
import type { McpAccessRule, McpServer } from '../servers/mcp-server.ts';

/**
 * Whether a caller may see and use a tool or a prompt of a server, by its name at the server. Lists and calls both ask this, so
 * what a caller may not use does not exist for it.
 */
export function isAllowed(caller: McpCaller, server: McpServer, name: string): boolean {
  return (
    isOffered(server, name) &&
    caller.access?.allowsTool(`${server.name}__${name}`) !== false &&
    rulesFor(caller, server).some(({ tools }) => matchesAny(tools, name))
  );
}

/** Whether the caller may use anything of the server. What is not about one tool, such as its description, needs this. */
export function isVisible(caller: McpCaller, server: McpServer): boolean {
  return caller.access?.mayAllowTools(`${server.name}__`) !== false && rulesFor(caller, server).length > 0;
}

/** Whether the caller may use all that the server offers. Resources have no names that rules could list, so they need this. */
export function isUnrestricted(caller: McpCaller, server: McpServer): boolean {
  return (
    caller.access?.allowsAllTools(`${server.name}__`) !== false &&
    rulesFor(caller, server).some(({ tools }) => tools.includes('*'))
  );
}

const everything: readonly McpAccessRule[] = [{ tools: ['*'] }];

/** The rules that hold for this caller; none if it may not use the server. */
function rulesFor(caller: McpCaller, server: McpServer): readonly McpAccessRule[] {
  const isOfCaller = server.accountId === undefined || server.accountId === caller.accountId;
  if (!isOfCaller || !server.isEnabled || !isInProjects(caller, server)) return [];
  return server.access.length === 0 ? everything : server.access.filter((rule) => isFor(rule, caller));
}

/** Servers of some projects are for their keys only. */
function isInProjects({ projectId }: McpCaller, { projects }: McpServer): boolean {
  return projects.length === 0 || (projectId !== null && projects.includes(projectId));
}

/** Without a list, a rule is for everybody; with several, for who is in any of them. */
function isFor({ keys, roles, people }: McpAccessRule, { keyId, personId, roles: held }: McpCaller): boolean {
  if (keys === undefined && roles === undefined && people === undefined) return true;
  return (
    (keyId !== null && keys?.includes(keyId) === true) ||
    (personId !== undefined && people?.includes(personId) === true) ||
    held.some((role) => roles?.includes(role) === true)
  );
}

/** What the server offers to anybody. */
function isOffered({ tools: { allow, deny } }: McpServer, name: string): boolean {
  return (allow.length === 0 || matchesAny(allow, name)) && !matchesAny(deny, name);
}

function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => new Wildcard(pattern).matches(name));
}
