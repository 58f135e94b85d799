import { GatewayError } from '../../kernel/errors.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import { OpenApiConnection } from '../openapi/openapi-connection.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { CallMailbox } from './call-mailbox.ts';
import { ChannelTransport } from './channel-transport.ts';
import type { ClientIdentity } from './era.ts';
import { FallbackTransport } from './fallback-transport.ts';
import type { RequestCredential } from './http-transport.ts';
import { limits } from './limits.ts';
import { ProgramStarter } from './program-channel.ts';
import { RpcConnection } from './rpc-connection.ts';
import type { UpstreamCredential } from './server-connection.ts';
import type { OpenConnection } from './server-connections.ts';
import type { Transport } from './transport.ts';

interface OpenConnectionParts {
  readonly identity: ClientIdentity;
  /** For the calls of one connection; undefined where there is one process. */
  mailboxFor(accountId: string, connection: string): CallMailbox | undefined;
  /** For servers of accounts, and for those of the operator. */
  fetchFor(server: McpServer): EgressFetch;
  secretsOf(server: McpServer): Promise<Readonly<Record<string, string>>>;
  /** Why this program is not started; undefined if it is. */
  programRefusal(server: McpServer): string | undefined;
  /** Whether callers may see what a failed program wrote last. */
  readonly showsOutput: boolean;
  onErrorLine(server: McpServer, line: string): void;
}

/** Opens connections of every kind. */
export function createOpenConnection(parts: OpenConnectionParts): OpenConnection {
  return ({ server, accountId, credential }, memory) => {
    const { transport: target, name, timeoutMs } = server;
    const secrets = () => parts.secretsOf(server);
    if (target.kind === 'openapi') {
      const { document, baseUrl, operations } = target;
      const definition = { document, baseUrl, operations };
      return new OpenApiConnection({ name, definition, fetch: parts.fetchFor(server), timeoutMs, secrets });
    }
    const person = credential.kind === 'person' ? credential.personId : '';
    // Nobody else's calls: a call goes on with answers of those that could have made it.
    const calls = JSON.stringify([accountId, server.accountId ?? '', name, server.version, person]);
    const common = {
      server: name,
      identity: parts.identity,
      timeoutMs,
      memory,
      mailbox: parts.mailboxFor(accountId, calls),
    };
    const rpc = (transport: Transport, probeMs?: number) =>
      new RpcConnection({ ...common, transport, probeMs });
    if (target.kind === 'http')
      return rpc(
        new FallbackTransport({
          server: name,
          url: target.url,
          fetch: parts.fetchFor(server),
          credential: () => credentialFor(credential, secrets),
        }),
      );
    const refusal = parts.programRefusal(server);
    if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
    const starter = new ProgramStarter({
      server: name,
      command: target.command,
      args: target.args,
      environment: secrets,
      onErrorLine: (line) => parts.onErrorLine(server, line),
      showsOutput: parts.showsOutput,
    });
    return rpc(new ChannelTransport(name, (events) => starter.open(events)), limits.probeOfProgramMs);
  };
}

/** A person's token goes with the headers that are stored, in place of one of the same name. */
async function credentialFor(
  credential: UpstreamCredential,
  secrets: () => Promise<Readonly<Record<string, string>>>,
): Promise<RequestCredential> {
  if (credential.kind === 'none') return { headers: {}, onRejected: async () => false };
  const stored = Object.entries(await secrets()).map(([name, value]) => [name.toLowerCase(), value]);
  const headers: Readonly<Record<string, string>> = Object.fromEntries(stored);
  if (credential.kind === 'shared') return { headers, onRejected: async () => false };
  const token = await credential.accessToken();
  return {
    headers: { ...headers, authorization: `Bearer ${token}` },
    onRejected: (challenge) => credential.onRejected(token, challenge),
  };
}
