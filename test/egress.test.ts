import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, test } from 'node:test';

/** Files outside `src/egress` that may use the network, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'cli/doctor/network.ts': 'listens, to see whether the port is free',
  'cli/key-set.ts': 'a command that reads an address of its user, without a gateway',
  'http/node-connection.ts': 'the server',
  'http/server.ts': 'the server',
  'http/websocket.ts': 'WebSockets that clients open',
  'process/control-socket.ts': 'a Unix socket between processes of one gateway',
  'workers/confined/connector.ts': 'connects for workers in an airgap, by its own list',
  'workers/confined/handed-connections.ts': 'gives those connections to the clients of stores',
  'testing/global-fetch-guard.ts': 'keeps modules in tests from the global fetch',
  'testing/fake-upstream.ts': 'a server for tests',
  'storage/sql/postgres-pool.ts': 'the database client connects by itself',
  'storage/redis/connect-redis.ts': 'the Redis client connects by itself',
  'accounts/mail/account-pages.ts': 'a script in the browser',
  'receipts/page/receipt-page.ts': 'a script in the browser',
};

/** Names in these packages that connect to nothing. */
const harmless = /^(?:type .*|isIP|isIPv4|isIPv6|BlockList|STATUS_CODES|RESP_TYPES)$/;
const networkPackages =
  /^(?:(?:node:)?(?:net|http|https|http2|tls|dgram|undici|pg|@redis\/client|ws)|(?:\.\.\/)+lib\/node-http\.ts)$/;
const callsGlobal = /(?<![.#\w]|get )fetch\(|\bglobalThis\.fetch\b|\bnew (?:WebSocket|EventSource)\(/;

const source = join(import.meta.dirname, '..', 'src');
const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'));

describe('every outbound connection goes through src/egress', () => {
  const users = files
    .filter(
      (file) => !file.startsWith(`egress${sep}`) && usesNetwork(readFileSync(join(source, file), 'utf8')),
    )
    .map((file) => file.replaceAll(sep, '/'));

  test('no other file connects by itself', () => {
    assert.deepEqual(
      users.filter((file) => !(file in exceptions)),
      [],
    );
  });

  test('every exception is needed', () => {
    assert.deepEqual(
      Object.keys(exceptions).filter((file) => !users.includes(file)),
      [],
    );
  });

  test('example modules use kit.fetch and host.fetch', () => {
    const examples = globSync('examples/*/*.js', { cwd: join(source, '..') });
    assert.ok(examples.length >= 4);
    for (const file of examples)
      assert.equal(usesNetwork(readFileSync(join(source, '..', file), 'utf8')), false, file);
  });
});

test('what counts as use of the network', () => {
  for (const text of [
    "await fetch('https://example.com');",
    'return fetch(url)',
    'globalThis.fetch',
    "const { fetch: get } = globalThis;\nimport { request } from 'node:https';",
    "import { connect } from 'node:net';",
    "import net from 'net';",
    "import * as tls from 'node:tls';",
    "const { Agent } = await import('undici');",
    "import { Pool, type Dispatcher } from 'undici';",
    "import { createSocket } from 'node:dgram';",
    'new WebSocket(url)',
    "new EventSource('/')",
  ])
    assert.equal(usesNetwork(text), true, text);
  for (const text of [
    "const answer = await kit.fetch('https://example.com');",
    'await host.fetch(url)',
    'this.#fetch(accountId)',
    'get fetch(): EgressFetch {',
    "import type { Socket } from 'node:net';",
    "import { isIP, type Socket } from 'node:net';",
    "import { BlockList, isIPv4 } from 'node:net';",
    "import { STATUS_CODES } from 'node:http';",
    '/** Standard `fetch` (see above). */',
    '// fetch(url) is not allowed here',
    'const prefetch = (x) => x;',
  ])
    assert.equal(usesNetwork(text), false, text);
});

/** Whether a source file imports something that connects, or calls a global that does. */
function usesNetwork(text: string): boolean {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const imports = [...code.matchAll(/^import (?!type )(.+?) from '([^']+)';$/gms)];
  const importsNetwork = imports.some(
    ([, names = '', name = '']) =>
      networkPackages.test(name) && !namesOf(names).every((one) => harmless.test(one)),
  );
  const loadsNetwork = [...code.matchAll(/\b(?:import|require)\(\s*'([^']+)'/g)].some(([, name = '']) =>
    networkPackages.test(name),
  );
  return importsNetwork || loadsNetwork || callsGlobal.test(code);
}

function namesOf(names: string): readonly string[] {
  return names
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
