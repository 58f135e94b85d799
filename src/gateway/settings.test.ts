import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { type Environment, readSettings, SettingsError } from './settings.ts';

test('nothing set means local mode on port 3099 of this machine', () => {
  const settings = readSettings({});
  assert.deepEqual(
    [settings.mode, settings.host, settings.port, settings.dataDir, settings.keyPrefix],
    ['local', '127.0.0.1', 3099, './data', 'gw'],
  );
  assert.deepEqual(
    [
      settings.keepAliveMs,
      settings.upstreamTimeoutMs,
      settings.drainMs,
      settings.logLevel,
      settings.revision,
    ],
    [15_000, 600_000, 30_000, 'info', 'dev'],
  );
  assert.deepEqual(
    [settings.pipeline, settings.localToken, settings.secret, settings.metricsToken, settings.baseUrl],
    [undefined, undefined, undefined, undefined, undefined],
  );
  assert.deepEqual([settings.allowedHosts, settings.corsOrigins, settings.modulePackages], [[], [], []]);
  assert.deepEqual(
    [settings.baseUrls.size, settings.credentials.size, settings.unknownVariables.length],
    [0, 0, 0],
  );
});

test('an empty value counts as absent', () => {
  const settings = readSettings({ PORT: '', WEIR_PIPELINE: '', WEIR_LOCAL_TOKEN: '', OPENAI_API_KEY: '' });
  assert.equal(settings.port, 3099);
  assert.equal(settings.pipeline, undefined);
  assert.equal(settings.localToken, undefined);
  assert.equal(settings.credentials.size, 0);
});

test('blanks around secrets, as files bring them along, are no part of them', () => {
  const { credentials, localToken, metricsToken, secret } = readSettings({
    ANTHROPIC_API_KEY: ' sk-ant-operator\n',
    AZURE_OPENAI_API_KEY: '{"resource": "mine", "key": "one"}\r\n',
    GROQ_API_KEY: ' \n',
    WEIR_LOCAL_TOKEN: 'token\n',
    WEIR_METRICS_TOKEN: '\tmetrics',
    WEIR_SECRET: `${'s'.repeat(32)}\n`,
  });
  assert.deepEqual(
    [...credentials].map(([name, key]) => [name, key.reveal()]),
    [
      ['anthropic', 'sk-ant-operator'],
      ['azure', '{"resource": "mine", "key": "one"}'],
    ],
  );
  assert.deepEqual([localToken?.reveal(), metricsToken?.reveal()], ['token', 'metrics']);
  // From this one others derive: it stays what it was.
  assert.equal(secret?.reveal(), `${'s'.repeat(32)}\n`);
});

test('a key that no header can carry stops the start, if it is that of a provider', () => {
  for (const key of ['sk-ant-one\nsk-ant-two', 'sk ant', 'schlüssel', '“sk-ant”']) {
    const faults = faultsOf({
      ANTHROPIC_API_KEY: key,
      WEIR_MINE_BASE_URL: 'http://mine.example',
      MINE_API_KEY: key,
    });
    assert.deepEqual(
      faults.map((fault) => fault.split(':')[0]),
      ['ANTHROPIC_API_KEY', 'MINE_API_KEY'],
    );
    assert.ok(!faults.join().includes(key));
    assert.doesNotThrow(() => readSettings({ SOMEBODY_ELSES_API_KEY: key, OTHER_API_KEY: key }));
  }
});

test('an address that contains a name and a password, which would not be sent, stops the start', () => {
  for (const address of ['http://user:password@proxy.example', 'https://user@proxy.example/v1']) {
    const [fault = ''] = faultsOf({ WEIR_OPENAI_BASE_URL: address });
    assert.match(fault, /^WEIR_OPENAI_BASE_URL: .*password/);
  }
});

test('every variable reaches its setting', () => {
  const settings = readSettings({
    PORT: '8080',
    HOST: '0.0.0.0',
    WEIR_MODE: 'local',
    WEIR_LOCAL_TOKEN: 'token',
    WEIR_DATA_DIR: '/var/lib/weir',
    WEIR_SECRET: 's'.repeat(32),
    WEIR_BASE_URL: 'https://gateway.example.com/',
    WEIR_KEY_PREFIX: 'wr',
    WEIR_PIPELINE: 'exact-cache?ttl=1h',
    WEIR_MODULES: 'weir-module-one, @scope/two ,',
    WEIR_ALLOWED_HOSTS: 'Gateway.Example.com, other',
    WEIR_CORS_ORIGINS: 'https://App.example.com,http://localhost:5173',
    WEIR_METRICS_TOKEN: 'metrics',
    WEIR_KEEP_ALIVE: '500ms',
    WEIR_UPSTREAM_TIMEOUT: '5m',
    WEIR_DRAIN: '2h',
    WEIR_LOG_LEVEL: 'debug',
    WEIR_REVISION: 'abc1234',
  });
  assert.deepEqual([settings.port, settings.host, settings.dataDir], [8080, '0.0.0.0', '/var/lib/weir']);
  assert.deepEqual(
    [settings.localToken, settings.secret, settings.metricsToken].map((secret) => secret?.reveal()),
    ['token', 's'.repeat(32), 'metrics'],
  );
  assert.equal(settings.baseUrl, 'https://gateway.example.com');
  assert.deepEqual([settings.keyPrefix, settings.pipeline], ['wr', 'exact-cache?ttl=1h']);
  assert.deepEqual(settings.modulePackages, ['weir-module-one', '@scope/two']);
  assert.deepEqual(settings.allowedHosts, ['gateway.example.com', 'other']);
  assert.deepEqual(settings.corsOrigins, ['https://app.example.com', 'http://localhost:5173']);
  assert.deepEqual(
    [settings.keepAliveMs, settings.upstreamTimeoutMs, settings.drainMs],
    [500, 300_000, 7_200_000],
  );
  assert.deepEqual([settings.logLevel, settings.revision], ['debug', 'abc1234']);
});

test('all faults are listed at once, each with its variable', () => {
  const faults = faultsOf({
    PORT: '70000',
    WEIR_MODE: 'moon',
    WEIR_SECRET: 'short',
    WEIR_BASE_URL: 'ftp://example.com',
    WEIR_KEY_PREFIX: 'a_b',
    WEIR_PIPELINE: 'x'.repeat(8001),
    WEIR_CORS_ORIGINS: 'https://app.example.com/path',
    WEIR_KEEP_ALIVE: 'soon',
    WEIR_UPSTREAM_TIMEOUT: '0s',
    WEIR_DRAIN: '30',
    WEIR_LOG_LEVEL: 'loud',
    WEIR_OPENAI_BASE_URL: 'not an address',
    WEIR_MINE_BASE_URL: 'http://example.com/v1?key=value',
  });
  assert.deepEqual(
    faults.map((fault) => fault.split(': ')[0]),
    [
      'PORT',
      'WEIR_MODE',
      'WEIR_SECRET',
      'WEIR_BASE_URL',
      'WEIR_KEY_PREFIX',
      'WEIR_PIPELINE',
      'WEIR_CORS_ORIGINS',
      'WEIR_KEEP_ALIVE',
      'WEIR_UPSTREAM_TIMEOUT',
      'WEIR_DRAIN',
      'WEIR_LOG_LEVEL',
      'WEIR_OPENAI_BASE_URL',
      'WEIR_MINE_BASE_URL',
    ],
  );
});

test('a port is a whole number from 0 to 65535', () => {
  for (const port of ['abc', '-1', '3.5', '65536', '1e9'])
    assert.match(faultsOf({ PORT: port })[0] ?? '', /^PORT: /);
  for (const port of [0, 1, 65_535]) assert.equal(readSettings({ PORT: String(port) }).port, port);
});

test('a gateway is one process, the configured number, or one for each core', () => {
  const workers = (text?: string) => readSettings({ WEIR_WORKERS: text }).workers;
  assert.equal(workers(), 1);
  assert.equal(workers('64'), 64);
  assert.equal(workers('auto'), Math.min(availableParallelism(), 64));
  for (const wrong of ['0', '65', '2.5', '-1', 'many', 'AUTO'])
    assert.throws(() => workers(wrong), /WEIR_WORKERS: must be auto, or a number from 1 to 64/, wrong);
});

test('the watchdog has a time or is off', () => {
  const watchdogMs = (text?: string) => readSettings({ WEIR_WATCHDOG: text }).watchdogMs;
  assert.deepEqual([watchdogMs(), watchdogMs('1s'), watchdogMs('2m')], [10_000, 1000, 120_000]);
  assert.deepEqual([watchdogMs('off'), watchdogMs('0s')], [Infinity, Infinity]);
  for (const wrong of ['10', '500ms', '25d', 'never', 'OFF'])
    assert.throws(() => watchdogMs(wrong), /WEIR_WATCHDOG: must be off, or a duration/, wrong);
});

test('WEIR_HTTP is own or node', () => {
  const implementation = (text: string) => readSettings({ WEIR_HTTP: text }).httpImplementation;
  assert.deepEqual(['', 'own', 'node'].map(implementation), ['own', 'own', 'node']);
  assert.throws(() => implementation('fast'), /^SettingsError: WEIR_HTTP: must be own or node$/);
});

test('a notice of 0s is none', () => {
  assert.equal(readSettings({ WEIR_DRAIN_NOTICE: '0s' }).drainNoticeMs, 0);
  assert.match(faultsOf({ WEIR_DRAIN_NOTICE: '0' })[0] ?? '', /^WEIR_DRAIN_NOTICE: /);
  assert.match(faultsOf({ WEIR_DRAIN: '0s' })[0] ?? '', /^WEIR_DRAIN: /);
});

test('a duration that no timer can wait for is refused', () => {
  for (const variable of ['WEIR_KEEP_ALIVE', 'WEIR_UPSTREAM_TIMEOUT', 'WEIR_DRAIN']) {
    assert.match(faultsOf({ [variable]: '25d' })[0] ?? '', new RegExp(`^${variable}: .*24d`));
    assert.doesNotThrow(() => readSettings({ [variable]: '24d' }));
  }
});

test("a provider's address and key are found by its name", () => {
  const settings = readSettings({
    WEIR_ANTHROPIC_BASE_URL: 'https://proxy.example.com/anthropic/',
    WEIR_MINE_BASE_URL: 'http://10.0.0.7:8000/v1',
    ANTHROPIC_API_KEY: 'sk-ant-operator',
    MINE_API_KEY: 'secret',
    // The clients' own variables point clients at us, and must not point us at ourselves.
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:3099',
    OPENAI_BASE_URL: 'http://127.0.0.1:3099/v1',
  });
  assert.deepEqual(
    [...settings.baseUrls],
    [
      ['anthropic', 'https://proxy.example.com/anthropic'],
      ['mine', 'http://10.0.0.7:8000/v1'],
    ],
  );
  assert.equal(settings.credentials.get('anthropic')?.reveal(), 'sk-ant-operator');
  assert.equal(settings.credentials.get('mine')?.reveal(), 'secret');
  assert.deepEqual(settings.unknownVariables, []);
});

test('whether a provider has to be asked for usage can be said for each', () => {
  const settings = readSettings({
    WEIR_MINE_STREAM_USAGE: 'asked',
    WEIR_OPENAI_STREAM_USAGE: 'unasked',
  });
  assert.deepEqual(
    [...settings.streamUsage],
    [
      ['mine', 'asked'],
      ['openai', 'unasked'],
    ],
  );
  assert.deepEqual(settings.unknownVariables, []);
  assert.throws(
    () => readSettings({ WEIR_MINE_STREAM_USAGE: 'yes' }),
    /^SettingsError: WEIR_MINE_STREAM_USAGE: must be asked or unasked$/,
  );
});

test('an upstream that is this gateway is refused', () => {
  for (const environment of [
    { WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:3099/v1' },
    { WEIR_OPENAI_BASE_URL: 'http://localhost:3099' },
    { WEIR_OPENAI_BASE_URL: 'http://[::1]:3099' },
    { WEIR_OPENAI_BASE_URL: 'http://0.0.0.0:3099' },
    { WEIR_OPENAI_BASE_URL: 'http://localhost', PORT: '80' },
    { WEIR_OPENAI_BASE_URL: 'http://192.168.1.5:4000', HOST: '192.168.1.5', PORT: '4000' },
    { WEIR_OPENAI_BASE_URL: 'https://weir.example.com/v1', WEIR_BASE_URL: 'https://weir.example.com' },
  ])
    assert.match(faultsOf(environment)[0] ?? '', /^WEIR_OPENAI_BASE_URL: points back at this gateway/);
  assert.equal(readSettings({ WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:3098/v1' }).baseUrls.size, 1);
});

test('variables with our prefix that mean nothing are named, others are none of our business', () => {
  const { unknownVariables } = readSettings({
    WEIR_PIPELNE: 'exact-cache',
    WEIR_MY_LLM_BASE_URL: 'http://example.com',
    PATH: '/usr/bin',
    SOMETHING: 'else',
  });
  assert.deepEqual(unknownVariables, ['WEIR_PIPELNE', 'WEIR_MY_LLM_BASE_URL']);
});

test('secrets are not printed with the settings', () => {
  const secrets = {
    WEIR_LOCAL_TOKEN: 'canary-token',
    WEIR_SECRET: `canary-${'s'.repeat(32)}`,
    WEIR_METRICS_TOKEN: 'canary-metrics',
    OPENAI_API_KEY: 'canary-key',
  };
  const settings = readSettings(secrets);
  assert.doesNotMatch(inspect(settings, { depth: 9, showHidden: true }), /canary/);
  assert.doesNotMatch(JSON.stringify({ ...settings, credentials: [...settings.credentials] }), /canary/);
  assert.doesNotMatch(faultsOf({ WEIR_SECRET: 'canary', PORT: 'x' }).join(), /canary/);
});

function faultsOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment);
  } catch (thrown) {
    assert.ok(thrown instanceof SettingsError);
    return thrown.faults;
  }
  return [];
}
