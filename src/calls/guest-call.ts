import { ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import { headerOf } from '../lib/headers.ts';
import { checkGuestBody } from './guest-body.ts';

/** A call that the operator pays for, ready to run. */
export interface GuestCall {
  readonly clientRequest: ClientRequest;
  readonly maxTokens: number;
}

/** Headers that are kept: they select the response framing and enable no features. */
const allowedHeaders = ['content-type', 'anthropic-version', 'x-weir-trace'];

/** Sets the operator's model and the output limit; keeps all other bytes. */
export function createGuestCall(incoming: ClientRequest, model: string): GuestCall {
  const { maxTokens } = checkGuestBody(incoming.body);
  const changed = patchJson(incoming.fields, { model, max_tokens: maxTokens });
  const given = rawHeadersOf(incoming);
  const headers = allowedHeaders.flatMap((name) => {
    const value = headerOf(given, name);
    return value === undefined ? [] : [name, value];
  });
  const { wire } = incoming;
  return {
    clientRequest: new ClientRequest({ wire, fields: LazyJsonObject.of(changed), headers, query: '' }),
    maxTokens,
  };
}
