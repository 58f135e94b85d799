import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import type { RelayRoute } from '../../kernel/relay.ts';
import type { ProviderTarget, SessionProtocol, SessionSetup } from '../../kernel/session-protocol.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { headerOf } from '../../lib/headers.ts';
import { openaiErrorType } from '../openai/errors.ts';
import { openaiChat } from '../openai-chat/openai-chat.ts';
import { createRelayFormat } from '../relay-format.ts';
import { closeCodeFor } from './close-codes.ts';
import { OpenaiRealtimeReader } from './openai-realtime-reader.ts';

/** A response of a session. Its usage is in the provider's events. */
const route: RelayRoute = {
  purpose: 'relay',
  endpoint: 'realtime',
  method: 'GET',
  path: '/v1/realtime',
  summary: 'OpenAI Realtime over WebSocket: talk with a model',
  body: 'none',
  price: 'tokens',
};

/**
 * OpenAI's Realtime API, as released and in its earlier beta form; Azure and xAI have it, too.
 * https://developers.openai.com/api/docs/guides/realtime-websocket
 */
export const openaiRealtime: SessionProtocol = {
  route,
  paths: [route.path],
  wire: createRelayFormat(openaiChat, route),
  readHandshake: (headers, query) => ({
    ...readProtocols(headers),
    setup: setupIn(new URLSearchParams(query)),
  }),
  providerTarget,
  createReader: (setup) => new OpenaiRealtimeReader(setup),
  encodeEnd: encodeError,
  encodeError,
  closeCodeOf: closeCodeFor,
};

function setupIn(query: URLSearchParams): SessionSetup {
  if (query.has('call_id'))
    throw new GatewayError(
      'invalid_request',
      'the gateway cannot join calls that were made elsewhere; leave out "call_id" and name a model',
      { param: 'call_id' },
    );
  const isTranscription = query.get('intent') === 'transcription';
  // The settings of the session may name another one.
  const model = query.get('model') ?? query.get('deployment') ?? (isTranscription ? 'gpt-4o-transcribe' : '');
  return { model, isTranscription };
}

/** Browsers can't send headers with a WebSocket: OpenAI's clients send theirs as subprotocols. */
function readProtocols(headers: HeaderList): { headers: HeaderList; protocol: string | undefined } {
  const offered = (headerOf(headers, 'sec-websocket-protocol') ?? '').split(',').map((one) => one.trim());
  const added: string[] = [];
  for (const [prefix, name, scheme] of headersInProtocols) {
    const sent = offered.find((protocol) => protocol.startsWith(prefix));
    if (sent !== undefined && headerOf(headers, name.toLowerCase()) === undefined)
      added.push(name, scheme + sent.slice(prefix.length));
  }
  if (offered.includes('openai-beta.realtime-v1') && headerOf(headers, 'openai-beta') === undefined)
    added.push('OpenAI-Beta', 'realtime=v1');
  return {
    headers: [...headers, ...added],
    protocol: offered.includes('realtime') ? 'realtime' : undefined,
  };
}

const headersInProtocols = [
  ['openai-insecure-api-key.', 'Authorization', 'Bearer '],
  ['openai-organization.', 'OpenAI-Organization', ''],
  ['openai-project.', 'OpenAI-Project', ''],
] as const;

/** The client's own query, with the provider's name of the model. */
function providerTarget({ base, setup, model, query }: ProviderTarget): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('deployment');
  if (setup.isTranscription === true && !parameters.has('model')) return `${base}?${parameters}`;
  parameters.set('model', model);
  return `${base}?${parameters}`;
}

function encodeError(error: GatewayError, id: string): string {
  const { code, status, message, details } = error;
  return JSON.stringify({
    type: 'error',
    event_id: `event_${randomUUID().replaceAll('-', '')}`,
    error: {
      type: openaiErrorType(status),
      code: details.providerCode ?? openaiChat.errorCodes?.[code] ?? code,
      message,
      param: details.param ?? null,
      event_id: null,
    },
    request_id: id,
  });
}
