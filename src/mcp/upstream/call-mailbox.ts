import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import type { ScopedCache } from '../../kernel/ports/scoped-cache.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../lib/json.ts';
import type { EraRequestOptions } from './era.ts';
import { limits } from './limits.ts';
import { RpcError } from './rpc-error.ts';
import { readError } from './rpc-message.ts';
import type { SuspendableCall } from './suspended-call.ts';

/** Where the mail of an account is in the cache. */
export function mailScope(accountId: string): string {
  return `mcp-calls:${accountId}`;
}

/** Carries answers of clients to the process in which a call waits, and its result back, through the shared cache. */
export class CallMailbox {
  readonly #cache: ScopedCache;
  readonly #connection: string;

  /** `connection` stands for the calls that may go on with each other's mail. */
  constructor(cache: ScopedCache, connection: string) {
    this.#cache = cache;
    this.#connection = connection;
  }

  write(name: string, mail: JsonObject): Promise<void> {
    return this.#cache.put(this.#keyOf(name), Buffer.from(JSON.stringify(mail)), limits.mailSeconds);
  }

  async read(name: string): Promise<JsonObject | undefined> {
    const bytes = await this.#cache.get(this.#keyOf(name));
    return bytes && jsonObjectIn(bytes);
  }

  #keyOf(name: string): string {
    return `${this.#connection} ${name}`;
  }

  /** Looks until there is something, or the signal aborts. */
  async waitFor(name: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    while (!signal.aborted) {
      const mail = await this.read(name);
      if (mail !== undefined) return mail;
      await wait(limits.mailPollMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }
}

/** Lets a call that waits here go on with answers that reach another process. */
export async function readMail(call: SuspendableCall, state: string, mailbox: CallMailbox): Promise<void> {
  while (call.waitsFor(state)) {
    const mail = await mailbox.read(`${state} answers`);
    if (mail === undefined) {
      await wait(limits.mailPollMs, undefined, { ref: false });
      continue;
    }
    if (!call.waitsFor(state)) return;
    await mailbox.write(`${state} seen`, {});
    const { inputResponses, clientCapabilities } = mail;
    const [leaving, ended] = [new AbortController(), new AbortController()];
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(limits.requestMsMax)]);
    const options = { signal, ...(isJsonObject(clientCapabilities) && { clientCapabilities }) };
    const outcome = call.resume(inputResponses, options).then((result) => ({ result }), errorMail);
    mailbox.waitFor(`${state} left`, ended.signal).then(
      (left) => left !== undefined && leaving.abort(new Error('the client has left')),
      // Without the cache, the call ends by itself.
      () => undefined,
    );
    await mailbox.write(`${state} result`, await outcome.finally(() => ended.abort()));
    return;
  }
}

interface ElsewhereParts {
  readonly server: string;
  readonly mailbox: CallMailbox | undefined;
}

/** Goes on with a call that waits in another process. */
export async function resumeElsewhere(
  { server, mailbox }: ElsewhereParts,
  state: string,
  { inputResponses, options }: { readonly inputResponses: unknown; readonly options: EraRequestOptions },
): Promise<JsonObject> {
  const { signal, clientCapabilities } = options;
  const seenIn = AbortSignal.any([signal, AbortSignal.timeout(limits.mailSeenMs)]);
  await mailbox?.write(`${state} answers`, {
    inputResponses,
    ...(clientCapabilities !== undefined && { clientCapabilities }),
  });
  const outcome =
    (await mailbox?.waitFor(`${state} seen`, seenIn)) && (await mailbox?.waitFor(`${state} result`, signal));
  if (signal.aborted) {
    await mailbox?.write(`${state} left`, {});
    throw signal.reason;
  }
  if (outcome === undefined)
    throw new RpcError(server, {
      code: -32602,
      message: `no call waits for these answers at "${server}": it has ended, or its session has`,
    });
  const { result, rpc, message } = outcome;
  if (isJsonObject(result)) return result;
  if (isJsonObject(rpc)) throw new RpcError(server, readError(rpc));
  throw new GatewayError('mcp_server_failed', String(message));
}

function errorMail(error: unknown): JsonObject {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { rpc: { code, message, data } };
  }
  return { message: error instanceof Error ? error.message : 'the call failed in another process' };
}
