import { randomBytes } from 'node:crypto';
import { KeyedHasher } from '../accounts/keyed-hasher.ts';
import { rawHeadersOf } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { aliasesOf, credentialsOf, type Exchange } from '../kernel/exchange.ts';
import type { ChatRequest } from '../kernel/message.ts';
import type { ConversationContext } from '../kernel/module.ts';
import type { Provider } from '../kernel/provider.ts';
import { headerValuesOf } from '../lib/headers.ts';
import { Lru } from '../lib/lru.ts';
import { Secret } from '../lib/secret.ts';
import { apiKeysIn } from './api-key.ts';
import { apiHeadersIn, blocksOf, ContentHasher, hashParts } from './content-hasher.ts';
import { limits } from './limits.ts';

/** Computes request keys: hashes over everything that can change the answer. */
export class RequestKeys {
  /** Caches keys by a hash of the body, so that identical requests are hashed once. */
  readonly #keysByBytes = new Lru<readonly CachedRequestKey[]>(limits.cachedRequestKeysMax);
  readonly #contentHashes = new ContentHasher();
  /** Hashes bodies. Its key is random, so that no client can construct a collision. */
  readonly #bodyHashes = new KeyedHasher(randomBytes(16));
  /** The key for digests of credentials. */
  readonly #credentialDigestKey: Uint8Array;

  constructor(nameKey: Uint8Array) {
    this.#credentialDigestKey = nameKey;
  }

  get size(): number {
    return this.#keysByBytes.size;
  }

  async of(exchange: Exchange): Promise<string> {
    const payer = await this.#payerOf(exchange);
    if (exchange.relay !== undefined)
      return hashParts([
        ...destinationParts(exchange, payer),
        ...this.#contentHashes.relayPartsOf(exchange, exchange.relay),
      ]);
    if (!exchange.isUnmodified) return this.#hashRequest(exchange, payer);
    const spelling = this.#bodyHashes.hashBytes(exchange.clientRequest.bytes);
    const alike = this.#keysByBytes.get(spelling) ?? none;
    for (const one of alike) if (matchesCall(one, exchange, payer)) return one.key;
    const key = this.#hashRequest(exchange, payer);
    const cachedRequestKey = createCachedKey(exchange, payer, key);
    this.#keysByBytes.set(spelling, [cachedRequestKey, ...alike.slice(0, limits.requestKeyVariantsMax - 1)]);
    return key;
  }

  /**
   * The key over everything but the newest user text; undefined if the newest turn isn't the user's, or is more than
   * text.
   */
  async contextKey(exchange: Exchange): Promise<ConversationContext | undefined> {
    const text = newestText(exchange.request);
    if (text === undefined) return undefined;
    const parts = this.#contentHashes.partsOf(exchange, text);
    if (parts.includes(undefined)) return undefined;
    return { key: hashParts([...destinationParts(exchange, await this.#payerOf(exchange)), ...parts]), text };
  }

  /** Hashes everything that can change the answer, and nothing else. The tenant is not part of it. */
  #hashRequest(exchange: Exchange, payer: string): string {
    return hashParts([...destinationParts(exchange, payer), ...this.#contentHashes.partsOf(exchange)]);
  }

  /**
   * A digest of the credential, the first of several. If an inner module has yet to choose the provider, of all keys that the client sent, and
   * the models of the alias that it asked for.
   */
  async #payerOf(exchange: Exchange): Promise<string> {
    const payer = await this.#payingCredentialOf(exchange);
    // A module behind a cache may have chosen a target that is not allowed for other keys of the account.
    const { targetsDigest = '' } = credentialsOf(exchange);
    return targetsDigest === '' ? payer : `${payer}\n${targetsDigest}`;
  }

  async #payingCredentialOf(exchange: Exchange): Promise<string> {
    try {
      if (exchange.isTargetResolved) {
        const credential = await credentialsOf(exchange).find(exchange.target, 'first');
        return credential?.keyedDigest(this.#credentialDigestKey) ?? '';
      }
    } catch (refusal) {
      if (!isUnusableKey(refusal)) throw refusal;
    }
    const headers = rawHeadersOf(exchange.clientRequest);
    const sent = [...headerValuesOf(headers, 'x-provider-key'), ...apiKeysIn(headers)];
    const digest =
      sent.length === 0 ? '' : new Secret(sent.join('\n')).keyedDigest(this.#credentialDigestKey);
    return [digest, ...(aliasesOf(exchange)?.requested ?? [])].join('\n');
  }
}

/** Whether there is no credential for the client's own target, which a call that is rerouted doesn't need. */
function isUnusableKey(refusal: unknown): boolean {
  return (
    GatewayError.is(refusal) &&
    (refusal.code === 'provider_key_missing' || refusal.code === 'provider_key_mismatch')
  );
}

/** A request key with everything it depends on besides the body. */
interface CachedRequestKey {
  readonly provider: Provider;
  readonly model: string;
  readonly payer: string;
  readonly wire: string;
  readonly query: string;
  readonly streamed: boolean;
  readonly apiHeaders: string;
  readonly key: string;
}

const none: readonly CachedRequestKey[] = [];

function createCachedKey(exchange: Exchange, payer: string, key: string): CachedRequestKey {
  const { target, clientRequest } = exchange;
  const { provider, model } = target;
  const { wire, query, streamed } = clientRequest;
  const apiHeaders = apiHeadersIn(clientRequest);
  return {
    provider,
    model,
    payer,
    wire: wire.name,
    query,
    streamed,
    apiHeaders,
    key,
  };
}

/** True only for equivalent calls. */
function matchesCall(one: CachedRequestKey, { target, clientRequest }: Exchange, payer: string): boolean {
  return (
    one.payer === payer &&
    one.model === target.model &&
    one.provider === target.provider &&
    one.wire === clientRequest.wire.name &&
    one.query === clientRequest.query &&
    one.streamed === clientRequest.streamed &&
    one.apiHeaders === apiHeadersIn(clientRequest)
  );
}

function destinationParts({ target: { provider, model } }: Exchange, payer: string): readonly string[] {
  return [provider.name, provider.baseUrl, ...(provider.headers ?? []), model, payer];
}

/** The last text of the user's turn that ends the call. */
function newestText({ messages }: ChatRequest): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const blocks = blocksOf(last.content);
  const text = blocks.at(-1);
  return text?.type === 'text' && blocks.every(({ type }) => type === 'text') ? text.text : undefined;
}
