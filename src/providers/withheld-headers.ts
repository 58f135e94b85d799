import { isProxyHeader, secretHeaders } from '../lib/headers.ts';

/** Whether a client header of this lower-case name must not be forwarded to a provider. */
export function isWithheldHeader(name: string): boolean {
  return secretHeaders.has(name) || isProxyHeader(name) || withheldPatterns.some((names) => names.test(name));
}

/** Headers that match no pattern are forwarded, so that new provider headers work. */
const withheldPatterns: readonly RegExp[] = [
  // Hop-by-hop (RFC 9110, 7.6.1).
  /^((proxy-)?connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host)$/,
  // The body is measured and encoded anew.
  /^(content-length|content-encoding|accept-encoding)$/,
  // Written anew, with the attempt's span.
  /^trace(parent|state)$/,
  // For this gateway only.
  /^x-weir-/,
  // Makes Google omit usage from a response.
  /^x-goog-fieldmask$/,
  // Browser page and session protection.
  /^(origin$|referer$|sec-fetch-|sec-ch-|x-csrf|x-xsrf)/,
  // User identity from a proxy in front of us.
  /^(x-)?(remote|webauth|tailscale|authentik|authelia|vouch|pomerium|authenticated)(-|$)/,
  /^x-(auth|jwt|token|session|consumer|email|groups)(-|$)/,
  // The same; `x-user-agent` names a program.
  /^x-user(?!-agent$)/,
  // The same, in cloud providers' names, among headers of their APIs.
  /^(x-amzn-oidc|x-goog-(iap|authenticated)|x-ms-(client-principal|token))(-|$)/,
  // Client certificate seen by a proxy (RFC 9440).
  /^(x-)?(ssl-|client-cert)/,
  // Secrets, by suffix.
  /(^|-)(token|accesstoken|jwt|auth|authorization|password|passwd|secret|credentials?)$/,
  /(^|-)(api|access|private|secret)-?key$/,
  /^x-secret/,
];
