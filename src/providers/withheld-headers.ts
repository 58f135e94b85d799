import { isProxyHeader, secretHeaders } from '../kernel/headers.ts';

/** Whether a client's header of this lower-case name must not travel on to a provider. */
export function isWithheldHeader(name: string): boolean {
  return secretHeaders.has(name) || isProxyHeader(name) || withheldPatterns.some((names) => names.test(name));
}

/** What no line names goes through, so that what a provider comes up with does. */
const withheldPatterns: readonly RegExp[] = [
  // Meant for one connection (RFC 9110, 7.6.1).
  /^((proxy-)?connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host)$/,
  // About bytes that are counted and packed anew.
  /^(content-length|content-encoding|accept-encoding)$/,
  // Meant for this gateway.
  /^x-weir-/,
  // By which Google leaves out of an answer what it cost.
  /^x-goog-fieldmask$/,
  // Which page a browser shows, and what guards its session there.
  /^(origin$|referer$|sec-fetch-|sec-ch-|x-csrf|x-xsrf)/,
  // Who logged in to a proxy in front of us.
  /^(x-)?(remote|webauth|tailscale|authentik|authelia|vouch|pomerium|authenticated)(-|$)/,
  /^x-(auth|jwt|token|session|consumer|email|groups)(-|$)/,
  // The same; `x-user-agent` is a program.
  /^x-user(?!-agent$)/,
  // The same, as clouds name it among headers that are their APIs'.
  /^(x-amzn-oidc|x-goog-(iap|authenticated)|x-ms-(client-principal|token))(-|$)/,
  // Whose certificate a proxy saw (RFC 9440).
  /^(x-)?(ssl-|client-cert)/,
  // Secrets, by what they end in.
  /(^|-)(token|accesstoken|jwt|auth|authorization|password|passwd|secret|credentials?)$/,
  /(^|-)(api|access|private|secret)-?key$/,
  /^x-secret/,
];
