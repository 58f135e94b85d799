import type { HeaderList } from '../../lib/headers.ts';

/** The headers of an upgrade request that are not about the connection. */
export function withoutHandshake(headers: HeaderList): HeaderList {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!handshakeHeader.test(name)) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}

const handshakeHeader =
  /^(connection|upgrade|sec-websocket-[a-z]+|content-type|content-length|content-encoding|transfer-encoding)$/i;
