/** Where a server listens: a host with its port, or the path of a Unix socket. */
export type RedisEndpoint = { readonly host: string; readonly port: number } | { readonly path: string };

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** The parts of a Redis URL. */
export interface RedisAddress extends Credentials {
  /** The servers to ask first, or the sentinels that know the master. */
  readonly endpoints: readonly RedisEndpoint[];
  readonly isTls: boolean;
  readonly database: number;
  /** Undefined if the endpoints are the servers themselves. */
  readonly sentinel: ({ readonly master: string } & Credentials) | undefined;
}

const kinds: Readonly<
  Record<string, { readonly isTls: boolean; readonly by: 'host' | 'sentinel' | 'path' }>
> = {
  redis: { isTls: false, by: 'host' },
  rediss: { isTls: true, by: 'host' },
  'redis+sentinel': { isTls: false, by: 'sentinel' },
  'rediss+sentinel': { isTls: true, by: 'sentinel' },
  unix: { isTls: false, by: 'path' },
  'redis+unix': { isTls: false, by: 'path' },
};

/**
 * Parses `redis://host`, `redis://one,two,three` (nodes of a cluster), `redis+sentinel://one,two/master` and
 * `unix:///path`. Messages leave the URL out, because it may contain a password.
 */
export function parseRedisUrl(text: string): RedisAddress {
  const [scheme = '', rest] = splitOnce(text, '://');
  const kind = kinds[scheme];
  if (kind === undefined || rest === undefined)
    throw new Error(
      'the Redis URL must start with redis://, rediss://, redis+sentinel://, rediss+sentinel:// or unix://',
    );
  const [location = '', query = ''] = splitOnce(rest, '?');
  const at = location.lastIndexOf('@');
  const options = new URLSearchParams(query);
  const shared = { isTls: kind.isTls, ...credentialsOf(location.slice(0, Math.max(at, 0))) };
  const place = location.slice(at + 1);
  if (kind.by === 'path') {
    if (!place.startsWith('/')) throw new Error('the path of a Redis socket must be absolute: unix:///path');
    const database = databaseNumber(options.get('db') ?? '');
    return { ...shared, endpoints: [{ path: decodeURIComponent(place) }], database, sentinel: undefined };
  }
  const [hosts = '', first = '', second] = place.split('/');
  const isSentinel = kind.by === 'sentinel';
  const endpoints = hosts.split(',').map((host) => parseHost(host, isSentinel ? 26_379 : 6379));
  const number = isSentinel ? (second ?? '') : first;
  const database = databaseNumber(options.get('db') ?? number);
  if (!isSentinel) return { ...shared, endpoints, database, sentinel: undefined };
  if (first === '')
    throw new Error(
      'the Redis URL must name the master that the sentinels watch: redis+sentinel://host/master',
    );
  const username = options.get('sentinel_username');
  const password = options.get('sentinel_password');
  const sentinel = {
    master: decodeURIComponent(first),
    ...(username !== null && { username }),
    ...(password !== null && { password }),
  };
  return { ...shared, endpoints, database, sentinel };
}

function credentialsOf(text: string): Credentials {
  if (text === '') return {};
  const [username = '', password] = splitOnce(text, ':').map(decodeURIComponent);
  return { ...(username !== '' && { username }), ...(password !== undefined && { password }) };
}

function parseHost(text: string, defaultPort: number): RedisEndpoint {
  // An IPv6 address has brackets.
  const url = URL.parse(`redis://${text}`);
  if (url === null || url.hostname === '')
    throw new Error('the Redis URL must have a host, or several separated by commas');
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return { host, port: url.port === '' ? defaultPort : Number(url.port) };
}

function databaseNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new Error('the database in the Redis URL must be a number');
  return number;
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
