import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import { patchJson } from '../../kernel/json/patch-json.ts';
import type { RelayRoute } from '../../kernel/relay.ts';
import type { SessionProtocol, SessionSetup } from '../../kernel/session-protocol.ts';
import { gemini } from '../gemini/gemini.ts';
import { countOf, objectOf, stringOf } from '../json-values.ts';
import { createRelayFormat } from '../relay-format.ts';
import { closeCodeFor } from './close-codes.ts';
import { GeminiLiveReader } from './gemini-live-reader.ts';

const versions = ['v1beta', 'v1alpha'];

function pathOf(version: string): string {
  return `/ws/google.ai.generativelanguage.${version}.GenerativeService.BidiGenerateContent`;
}

/** A generation of a session. Its usage is in the provider's messages. */
const route: RelayRoute = {
  purpose: 'relay',
  endpoint: 'live',
  method: 'GET',
  path: pathOf('v1beta'),
  summary: 'Gemini Live over WebSocket: talk with a model',
  body: 'none',
  price: 'tokens',
};

/** Google's Live API, whose first message names the model: https://ai.google.dev/api/live. */
export const geminiLive: SessionProtocol = {
  route,
  paths: versions.map(pathOf),
  // Google's client for JavaScript puts a slash too much in between, which Google accepts.
  otherPaths: versions.map((version) => `/${pathOf(version)}`),
  wire: createRelayFormat(gemini, route),
  readHandshake: (headers) => ({ headers, protocol: undefined, setup: undefined }),
  readSetup,
  providerTarget: ({ base, path, query }) => base + path.replace(/^\/\/?ws/, '') + query,
  createReader: (setup) => new GeminiLiveReader(setup),
  // The API announces an end so; an error is in the reason of the closing.
  encodeEnd: () => JSON.stringify({ goAway: { timeLeft: '0s' } }),
  encodeError: () => undefined,
  closeCodeOf: (error) => (error.status === 400 ? invalidData : closeCodeFor(error)),
};

/** What Google closes with if a message is wrong. */
const invalidData = 1007;

function readSetup(message: Buffer): SessionSetup {
  const fields = LazyJsonObject.of(message);
  const setup = objectOf(fields.get('setup'));
  const name = stringOf(setup?.model);
  if (setup === undefined || name === undefined)
    throw new GatewayError('invalid_request', 'the first message must be a "setup" with a "model"', {
      param: 'setup.model',
    });
  const model = name.replace(/^models\//, '');
  return {
    model,
    outputTokens: countOf(objectOf(setup.generationConfig)?.maxOutputTokens),
    withModel: (named) =>
      named === model
        ? message
        : Buffer.from(patchJson(fields, { setup: { ...setup, model: `models/${named}` } })),
  };
}
