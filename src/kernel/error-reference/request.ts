import type { ErrorDescriptions } from '../error-reference.ts';

export const requestErrors = {
  invalid_request: {
    cause:
      'A field, parameter, header or the HTTP request itself is invalid. `param` names the field, where there is one. A malformed HTTP request can have another status: 408 (too late), 417 (unsupported `Expect`) or 431 (headers too large).',
    remedy: 'Correct what the message names. `GET /openapi.json` describes the body of every route.',
  },
  invalid_json: {
    cause:
      'The body is not a JSON object in UTF-8, has a duplicate key, is nested too deeply or has too many values.',
    remedy: 'Send one valid JSON object within the [limits of a body](../how-it-works/limits.md#requests).',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use a method that the `allow` header of the response lists.',
  },
  upgrade_required: {
    cause: 'The path is for WebSockets, and the request is not a valid request for one.',
    remedy: 'Connect with a WebSocket client, over HTTP/1.1, with version 13 of the protocol.',
  },
  websocket_connection_limit_reached: {
    cause: 'The WebSocket is an hour old, which is as old as it may become.',
    remedy: 'Open another one and send the message again, with the whole conversation.',
  },
  not_found: {
    cause: 'There is no such path, or no such key, session, call, receipt or pattern in your account.',
    remedy: 'Check the path against `GET /openapi.json`, and the id against the list of its route.',
  },
  body_too_slow: {
    cause: 'The client sent the body too slowly, and the gateway closed the connection.',
    remedy: 'Send the whole body at once. Check the network, and proxies that buffer or throttle.',
  },
  body_too_large: {
    cause: 'The body, before or after decompression, has more bytes than the route accepts.',
    remedy: 'Send less, for example smaller images or a shorter conversation.',
  },
  unsupported_encoding: {
    cause: 'The `content-encoding` of the body is not supported.',
    remedy: 'Use `gzip`, `br` or `zstd`, or send the body uncompressed.',
  },
  unsupported_media_type: {
    cause: 'The `content-type` of the body is not `application/json`.',
    remedy: 'Send JSON with `content-type: application/json`.',
  },
  wrong_host: {
    cause: 'The `Host` header names a host that this gateway does not serve.',
    remedy: 'Call an address of the gateway, or add the name to [`WEIR_ALLOWED_HOSTS`](settings.md).',
  },
  cross_site: {
    cause:
      'A web page of another origin made the request, or used the session cookie from outside the gateway’s own pages.',
    remedy:
      'Add the origin to [`WEIR_CORS_ORIGINS`](settings.md); send a token in `authorization` instead of the cookie.',
  },
  loop_detected: {
    cause: 'The request has passed through this gateway before: a provider’s address points back at it.',
    remedy: 'Correct the `WEIR_<NAME>_BASE_URL` that leads to the gateway, or the proxy in between.',
  },
  client_gone: {
    cause: 'The client closed the connection before the answer was complete. Only the request log shows it.',
    remedy: 'None needed if the client stopped on purpose; otherwise raise the client’s timeout.',
  },
} as const satisfies ErrorDescriptions;
