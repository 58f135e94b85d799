import { ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { headerOf } from '../kernel/headers.ts';
import { LazyJsonObject } from '../kernel/lazy-json-object.ts';
import { patchJson } from '../kernel/patch-json.ts';
import { checkGuestBody } from './guest-body.ts';

/** A call as it is let through where the operator pays. */
export interface GuestCall {
  readonly clientRequest: ClientRequest;
  readonly maxTokens: number;
}

/** Headers that may stay: how the answer is told, and nothing that switches something on. */
const allowedHeaders = ['content-type', 'anthropic-version', 'x-weir-trace'];

/** The model is the operator's choice and the answer has its bound; the rest stays as it came, byte for byte. */
export function createGuestCall(came: ClientRequest, model: string): GuestCall {
  const { maxTokens } = checkGuestBody(came.body);
  const changed = patchJson(came.fields, { model, max_tokens: maxTokens });
  const given = rawHeadersOf(came);
  const headers = allowedHeaders.flatMap((name) => {
    const value = headerOf(given, name);
    return value === undefined ? [] : [name, value];
  });
  const { wire } = came;
  return {
    clientRequest: new ClientRequest({ wire, fields: LazyJsonObject.of(changed), headers, query: '' }),
    maxTokens,
  };
}
