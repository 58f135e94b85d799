import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestHeaderFilter } from './forwarded-headers.ts';

const travelling = [
  ...['anthropic-version', 'anthropic-beta', 'anthropic-dangerous-direct-browser-access'],
  ...['openai-organization', 'openai-project', 'openai-beta', 'openai-sentinel-chat-requirements'],
  ...['x-stainless-lang', 'x-stainless-retry-count', 'x-stainless-helper-method'],
  ...['idempotency-key', 'x-idempotency-key', 'x-client-request-id', 'x-request-id', 'request-id'],
  ...['baggage', 'x-b3-traceid', 'x-amzn-trace-id', 'x-datadog-trace-id'],
  ...['user-agent', 'x-user-agent', 'accept', 'accept-language', 'content-type', 'prefer', 'priority'],
  ...['x-claude-code-session-id', 'x-app', 'session_id', 'conversation_id', 'originator', 'version'],
  ...['x-goog-api-client', 'x-goog-user-project', 'x-ms-client-request-id'],
  ...['http-referer', 'x-title', 'x-grok-conv-id', 'x-brand-new', 'x-max-tokens', 'x-tokenizer'],
  ...['x-reusers', 'x-passwordless', 'x-cfo', 'x-viable', 'x-flying', 'x-originality', 'remotely'],
];

const staying: Readonly<Record<string, readonly string[]>> = {
  'of one connection': ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host'],
  'as the place in a trace': ['traceparent', 'tracestate'],
  'for this gateway': ['x-weir-trace', 'x-weir-brand-new', 'x-provider-key', 'expect'],
  'from a browser': [
    'origin',
    'referer',
    'cookie',
    'sec-fetch-site',
    'sec-ch-ua',
    'x-csrf-token',
    'x-xsrf-x',
  ],
  'from a proxy': [
    ...[
      'x-forwarded-for',
      'x-forwarded-user',
      'forwarded',
      'via',
      'x-real-ip',
      'client-ip',
      'true-client-ip',
    ],
    ...['x-client-ip', 'fastly-client-ip', 'x-cluster-client-ip', 'cf-connecting-ip', 'fly-client-ip'],
    ...['x-envoy-external-address', 'x-envoy-peer-metadata', 'x-original-url', 'x-original-forwarded-for'],
  ],
  'from a log-in in front of the gateway': [
    ...['remote-user', 'remote-groups', 'remote-email', 'x-remote-user', 'x-webauth-user', 'x-webauth-role'],
    ...['tailscale-user-login', 'tailscale-user-name', 'x-authentik-username', 'x-authentik-jwt'],
    ...[
      'x-authelia-user',
      'x-vouch-user',
      'x-vouch-idp-claims-groups',
      'x-auth-request-email',
      'x-auth-user',
    ],
    ...['x-pomerium-claim-email', 'x-amzn-oidc-data', 'x-amzn-oidc-identity', 'x-goog-iap-jwt-assertion'],
    ...['x-goog-authenticated-user-email', 'x-goog-authenticated-user-id', 'x-ms-client-principal'],
    ...['x-ms-client-principal-name', 'x-ms-token-aad-id-token', 'cf-access-authenticated-user-email'],
    ...['x-user', 'x-user-id', 'x-userinfo', 'x-username', 'x-authenticated-userid', 'x-consumer-username'],
    ...['x-token-subject', 'x-jwt-claims', 'x-session', 'x-session-id', 'x-email', 'x-groups'],
  ],
  'from a client certificate': [
    ...['x-ssl-client-cert', 'x-ssl-client-s-dn', 'ssl-client-cert', 'x-client-cert', 'x-client-cert-dn'],
    ...['client-cert', 'client-cert-chain', 'x-client-certificate'],
  ],
  'with a secret': [
    ...['authorization', 'proxy-authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'x-authorization'],
    ...['x-auth-token', 'x-access-token', 'x-gitlab-token', 'private-token', 'x-amz-security-token', 'token'],
    ...['x-secret', 'x-secret-sauce', 'x-client-secret', 'x-db-password', 'password', 'x-admin-passwd'],
    ...['x-internal-api-key', 'apikey', 'x-private-key', 'x-access-key', 'x-id-jwt', 'x-service-credentials'],
    ...['x-forwarded-access-token', 'helicone-auth', 'x-amzn-oidc-accesstoken'],
  ],
};

describe("of a client's headers", () => {
  test('what a provider defines, and what has no meaning that we know, travels on', () => {
    assert.deepEqual(kept(travelling), travelling);
  });

  for (const [what, names] of Object.entries(staying))
    test(`what comes ${what} stays here, in whatever case`, () => {
      assert.deepEqual(kept(names), []);
      assert.deepEqual(kept(names.map((name) => name.toUpperCase())), []);
    });
});

/** Those of the names that pass. */
function kept(names: readonly string[]): readonly string[] {
  const passed = new RequestHeaderFilter().filter(names.flatMap((name) => [name, 'value']));
  return passed.filter((_, at) => at % 2 === 0);
}
