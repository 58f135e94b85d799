import { headerOf } from '../kernel/headers.ts';
import { Outline } from '../kernel/outline.ts';
import { patchJson } from '../kernel/patch-json.ts';
import { Received, rawHeadersOf } from '../kernel/received.ts';
import { checkedGuestBody } from './guest-body.ts';

/** A call as it is let through where the operator pays. */
export interface GuestCall {
  readonly received: Received;
  readonly maxTokens: number;
}

/** Headers that may stay: how the answer is told, and nothing that switches something on. */
const kept = ['content-type', 'anthropic-version', 'x-weir-trace'];

/** The model is the operator's choice and the answer has its bound; the rest stays as it came, byte for byte. */
export function guestCall(came: Received, model: string): GuestCall {
  const { maxTokens } = checkedGuestBody(came.body);
  const changed = patchJson(came.fields, { model, max_tokens: maxTokens });
  const given = rawHeadersOf(came);
  const headers = kept.flatMap((name) => {
    const value = headerOf(given, name);
    return value === undefined ? [] : [name, value];
  });
  const { wire } = came;
  return { received: new Received({ wire, fields: Outline.of(changed), headers, query: '' }), maxTokens };
}
