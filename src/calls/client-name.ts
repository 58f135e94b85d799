import type { ClientRequest } from '../kernel/client-request.ts';

/** The first product of a user agent, without its version: `claude-cli`, `OpenAI/Python`. */
const product = /^[\w.-]{1,40}(?:\/[A-Za-z][\w.-]{0,20})?/;

/** The program that made a call; undefined if it does not say. */
export function clientNameOf(clientRequest: Pick<ClientRequest, 'header'>): string | undefined {
  return product.exec(clientRequest.header('user-agent') ?? '')?.[0];
}
