import { createHash } from 'node:crypto';
import { limits } from './limits.ts';

/** How the names and addresses of servers are written at the gateway. */
export interface Naming {
  /** The name of a tool or prompt. */
  nameOf(server: string, ownName: string): string;
  /** A resource's address, or the template of addresses. */
  uriOf(server: string, ownUri: string): string;
  /** The server of a name or an address; undefined if it has none. */
  serverOf(nameOrUri: string): string | undefined;
  ownUri(server: string, uri: string): string;
}

const separator = '__';

/** `<server>__<name>` and `mcp-<server>+<uri>`: both say where to send a request, on any replica and without a table. */
export const mergedNaming: Naming = {
  nameOf: mergedName,
  uriOf: (server, ownUri) => `${uriPrefix(server)}${ownUri}`,
  serverOf(text) {
    const uriServer = /^mcp-([a-z0-9-]+)\+/.exec(text)?.[1];
    if (uriServer !== undefined) return uriServer;
    const end = text.indexOf(separator);
    return end < 1 ? undefined : text.slice(0, end);
  },
  ownUri: (server, uri) => uri.slice(uriPrefix(server).length),
};

/** For one server alone, which keeps its names. */
export function ownNaming(only: string): Naming {
  return {
    nameOf: (_server, ownName) => ownName,
    uriOf: (_server, ownUri) => ownUri,
    serverOf: () => only,
    ownUri: (_server, uri) => uri,
  };
}

function uriPrefix(server: string): string {
  return `mcp-${server}+`;
}

/**
 * The name depends on nothing but the server and its own name, so that it stays when other tools come and go. Where providers of models
 * would reject it, a digest takes the place of what they reject.
 */
function mergedName(server: string, ownName: string): string {
  const name = `${server}${separator}${ownName}`;
  if (name.length <= limits.nameMax && /^[\w-]+$/.test(name)) return name;
  const digest = createHash('sha256').update(ownName).digest('hex').slice(0, 10);
  const readable = name.replace(/[^\w-]/gu, '_').slice(0, limits.nameMax - digest.length - 1);
  return `${readable}_${digest}`;
}
