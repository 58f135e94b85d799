import type { ProviderEgress } from '../../egress/provider-egress.ts';
import type { Provider } from '../../kernel/provider.ts';
import type { SignedRequest } from '../../kernel/signing.ts';
import type { SocketFormat } from '../../kernel/socket-format.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { limits } from '../limits.ts';
import { ProviderSocket } from './provider-socket.ts';

interface SocketRequest {
  readonly provider: Provider;
  readonly format: SocketFormat;
  readonly signed: SignedRequest;
  readonly lane: string | undefined;
  readonly handshakeHeaders: HeaderList;
}

/** The WebSockets to providers that belong to one client: one for each address and credential. */
export class ProviderSockets {
  readonly #egress: ProviderEgress;
  /** The least recently used first. */
  readonly #sockets = new Map<ProviderSocket, SignedRequest>();
  /** Requests that an address refused to upgrade: their calls are sent over HTTP. */
  readonly #refused: SignedRequest[] = [];

  constructor(egress: ProviderEgress) {
    this.#egress = egress;
  }

  /** The WebSocket for a call; undefined if the call has to be sent over HTTP. */
  find(request: SocketRequest): ProviderSocket | undefined {
    const { signed, lane } = request;
    if (this.#refused.some((refused) => hasSameDestination(refused, signed))) return undefined;
    const [found] =
      [...this.#sockets].find(([{ isUsable }, other]) => isUsable && hasSameDestination(other, signed)) ?? [];
    if (found === undefined) return this.#open(request);
    this.#sockets.delete(found);
    this.#sockets.set(found, signed);
    return found.isFree(lane) ? found : undefined;
  }

  close(): void {
    for (const socket of this.#sockets.keys()) socket.close();
  }

  #open({ provider, format, signed, handshakeHeaders }: SocketRequest): ProviderSocket | undefined {
    if (!this.#makeRoom()) return undefined;
    const endpoint = this.#egress.endpointFor(provider, signed.baseUrl);
    const socket = new ProviderSocket({
      endpoint,
      path: endpoint.basePath + signed.path,
      headers: [...withoutBodyHeaders(signed.headers), ...handshakeHeaders],
      format,
      hasLanes: provider.callSockets === 'lanes',
      onClose: () => this.#sockets.delete(socket),
    });
    // The headers are needed once, the body never.
    const kept = { ...signed, headers: [], body: noBytes };
    socket.opened.catch(() => this.#refused.push(kept));
    this.#sockets.set(socket, kept);
    return socket;
  }

  /** Closes an idle WebSocket if there are too many. */
  #makeRoom(): boolean {
    if (this.#refused.length >= limits.providerSocketsMax) return false;
    if (this.#sockets.size < limits.providerSocketsMax) return true;
    const idle = [...this.#sockets.keys()].find(({ isIdle }) => isIdle);
    if (idle === undefined) return false;
    this.#sockets.delete(idle);
    idle.close();
    return true;
  }
}

function hasSameDestination(one: SignedRequest, other: SignedRequest): boolean {
  return (
    one.baseUrl === other.baseUrl &&
    one.path === other.path &&
    one.secrets.length === other.secrets.length &&
    one.secrets.every((secret, at) => secret === other.secrets[at])
  );
}

function withoutBodyHeaders(headers: HeaderList): HeaderList {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!bodyHeaders.has(name.toLowerCase())) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}

const bodyHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'accept',
  'accept-encoding',
]);
const noBytes = new Uint8Array();
