import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { createInstanceConfigurations } from '../src/calls/instance-configurations.ts';
import { configurationSchema } from '../src/gateway/configuration-file/json-schema.ts';
import { describedModules } from '../src/gateway/described-modules.ts';
import { settingPlaces, settingVariables } from '../src/gateway/settings.ts';
import { loadAll } from '../src/process/load-settings.ts';
import { blocksIn, documents } from './support/documents.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

function fileWith(t: TestContext, text: string, name = 'weir.yaml'): string {
  const path = join(emptyFolder(t), name);
  writeFileSync(path, text);
  return path;
}

async function faultsIn(t: TestContext, text: string, environment = {}): Promise<readonly string[]> {
  const file = fileWith(t, text);
  return loadAll(environment, { file }).then(
    () => [],
    ({ faults }: { readonly faults: readonly string[] }) =>
      faults.map((fault) => fault.replace(`${file}:`, '')),
  );
}

test('every variable has a place in the file, but those that name it', () => {
  const placed = new Set(settingPlaces.map(({ variable }) => variable));
  assert.deepEqual(
    settingVariables.filter((variable) => !placed.has(variable)),
    ['WEIR_CONFIG', 'WEIR_CONFIG_EXEC'],
  );
});

test('a file sets what variables set: texts, numbers, switches, lists, maps, documents and providers', async (t) => {
  const file = fileWith(
    t,
    `mode: cloud
server: {port: 0, dashboard: false, keep_alive: 20s, allowed_hosts: [a.example.com, b.example.com]}
request_log: &log {days: 7}
limits: {requests_per_minute: 60}
sandbox: {daily_usd: 0.50}
providers:
  openai: {keys: [sk-one, sk-two], base_url: https://eu.example.com/v1}
  own-name: {base_url: https://own.example.com}
  azure:
    keys: [{resource: mine, key: secret-key}]
    resources: [mine]
    deployments: {house: gpt-5-mini}
configurations: {cost-guard: {team: {day: 5}}}
modules: {settings: {tally: {word: "yes"}}}
opentelemetry: {headers: {authorization: Bearer a b}}
`,
  );
  const { settings } = await loadAll({}, { file });
  assert.equal(settings.mode, 'cloud');
  assert.equal(settings.dashboard, 'off');
  assert.equal(settings.keepAliveMs, 20_000);
  assert.deepEqual(settings.allowedHosts, ['a.example.com', 'b.example.com']);
  assert.equal(settings.requestLog.retentionMs, 7 * 86_400_000);
  assert.equal(settings.callLimits.of(undefined)?.requestsPerMinute, 60);
  assert.equal(settings.sandbox.dailyUsd, '0.50');
  assert.equal(settings.keyPools.get('openai')?.length, 2);
  assert.deepEqual([...settings.baseUrls.keys()], ['openai', 'own-name']);
  assert.equal(settings.credentials.get('azure')?.reveal(), '{"resource":"mine","key":"secret-key"}');
  assert.equal(settings.deployments.get('azure')?.get('house'), 'gpt-5-mini');
  assert.deepEqual(settings.configurations, { 'cost-guard': { team: { day: 5 } } });
  assert.equal(settings.rest.get('WEIR_TALLY_WORD')?.reveal(), 'yes');
});

test('the environment wins over the file, under every name of a setting, and the command line over both', async (t) => {
  const file = fileWith(
    t,
    'log: {level: warn}\nproviders: {azure: {keys: [{resource: r, key: file}]}}\nlimits: {concurrent: 5}\n',
  );
  const environment = {
    AZURE_OPENAI_API_KEY: '{"resource":"r","key":"env"}',
    WEIR_LIMIT_CONCURRENT: '6',
    WEIR_LOG_LEVEL: ' ',
  };
  const loaded = await loadAll(environment, { file, assignments: ['limits.concurrent=7'] });
  assert.equal(loaded.environment.AZURE_API_KEY, undefined);
  assert.equal(loaded.settings.callLimits.of(undefined)?.concurrent, 7);
  assert.equal(loaded.settings.logLevel, 'warn');
  assert.equal(loaded.sourceOf('WEIR_LIMIT_CONCURRENT'), 'command line');
  await assert.rejects(
    loadAll({}, { file, assignments: ['log.levle=debug', 'x'] }),
    /did you mean log.level\?\n--set x/,
  );
});

test('every fault is listed with line, column, what was expected and the nearest name; secrets are not', async (t) => {
  const faults = await faultsIn(
    t,
    `mode: locall
log: {levle: debug, level: [1]}
log: {file: x}
server: {port: 99999}
egress: {allow: ["https://a.example", "https://b.example,c"]}
providers: {"Open AI": {}}
limits: 5
metrics: {token: "\${NOPE}"}
mail: {server: "exec:echo hunter2"}
`,
  );
  assert.deepEqual(faults, [
    '1:7: mode: must be "local" or "cloud"',
    '2:7: log has no setting "levle"; did you mean "level"?',
    '2:28: log.level: must be one of debug, info, warn, error, silent',
    '3:1: "log" is there twice',
    '4:16: server.port: must be a port number',
    '5:39: egress.allow: must not contain a comma',
    '6:13: "Open AI" must consist of lower-case letters, digits and hyphens',
    '7:9: limits: must have names and values: requests_per_minute, tokens_per_minute, concurrent, tiers, keys',
    `8:18: metrics.token: the variable NOPE is not set; \${NOPE:-…} has a default`,
    '9:16: mail.server: commands are not allowed; the environment allows them with WEIR_CONFIG_EXEC=on',
  ]);
});

test('faults of providers are listed at their line: names, kinds, keys, headers, models, times and prices', async (t) => {
  const faults = await faultsIn(
    t,
    `providers:
  opnai: {keys: [sk-hunter2]}
  eu: {kind: opnai}
  mine:
    base_url: http://mine.example
    headers: {Content-Length: 5, x-ok: yes, x-bad: "a\u0001"}
    timeouts: {answer: soon, connct: 1s}
    keys: [{secret: hunter2, wieght: 3}, {secret: hunter2, name: a}, {name: a, secret: b}]
    prices:
      m: {prices: {input: 1, output: much}}
prices: {models: {"openai/x": {prices: {input: -1, output: 1}}, y: {prices: {input: 1, output: 1}}}}
`,
  );
  assert.deepEqual(faults, [
    '3:14: providers.eu.kind: is unknown; did you mean openai?',
    '6:31: providers.mine.headers.Content-Length: Content-Length: is written by Weir and can’t be set',
    '6:52: providers.mine.headers.x-bad: x-bad: must be printable ASCII of at most 4096 characters',
    '7:24: providers.mine.timeouts.answer: must be a duration such as 500ms, 30s, 5m, 24h or 7d, and 24d at most',
    '7:30: providers.mine.timeouts has no setting "connct"; did you mean "connect"?',
    '8:12: providers.mine.keys.0: Unrecognized key: "wieght"',
    '8:77: providers.mine.keys.2.name: two keys have this name',
    '10:38: providers.mine.prices.m.prices.output: must be an amount in US dollars',
    '11:48: prices.models.openai/x.prices.input: must be at least 0',
    '11:68: prices.models.y: must be named provider/model, or provider/* for all others',
  ]);
  const names = await faultsIn(
    t,
    `providers:
  opnai: {keys: [sk-hunter2]}
  openai: {kind: anthropic, regions: [eu-west-1]}
  nobody: {headers: {x-a: b}, timeouts: {answer: 1s}, proxy: "off"}
`,
  );
  assert.deepEqual(names, [
    '3:18: providers.openai.kind: "openai" is a built-in provider; give this one another name',
    '3:38: providers.openai.regions: is only for bedrock and vertex',
    ...[
      '4:21: providers.nobody.headers',
      '4:50: providers.nobody.timeouts.answer',
      '4:62: providers.nobody.proxy',
    ].map((place) => `${place}: there is no provider "nobody". One of your own has a base address or a kind`),
  ]);
  assert.deepEqual(
    await faultsIn(t, 'limits: {tiers: {free: {concurrent: 0}}, keys: {"ci-*": {requests: 1}}}'),
    [
      '1:37: limits.tiers.free.concurrent: must be at least 1',
      '1:57: limits.keys.ci-*: Unrecognized key: "requests"',
    ],
  );
  assert.deepEqual(await faultsIn(t, 'providers: {opnai: {keys: [sk-hunter2]}}'), [
    '1:27: providers.opnai.keys: there is no provider "opnai"; did you mean "openai"? One of your own has a base address or a kind',
  ]);
});

test('broken, deep and multiplying files are refused in no time', async (t) => {
  const levels = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`);
  const files: Readonly<Record<string, RegExp>> = {
    'log: [1': /^1:8: is not valid YAML/,
    'log: *nothing': /there is no anchor "nothing"/,
    [`a0: &a0 [x, y]\n${levels.join('\n')}`]: /has more than 50000 values/,
    ['['.repeat(100_000)]: /nested too deeply/,
    [`${'- '.repeat(100_000)}x`]: /nested too deeply/,
    [`log: ${'x'.repeat(1024 * 1024)}`]: /has more than 1048576 bytes/,
    'just text': /must have names and values/,
  };
  for (const [text, fault] of Object.entries(files)) {
    const faults = await faultsIn(t, text);
    assert.ok(
      faults.some((one) => fault.test(one)),
      `${text.slice(0, 30)}: ${faults[0]}`,
    );
  }
});

test('values come from variables, files and allowed commands; what they contain is no reference', async (t) => {
  const secret = fileWith(t, 'from-a-file-0123456789\n', 'token');
  const file = fileWith(
    t,
    `accounts: {admin_token: "file:\${FOLDER}/token"}
metrics: {token: "exec:printf from-a-command"}
revision: \${REVISION:-r}-$\${X}
log: {level: "\${LEVEL}"}
configurations:
  cost-guard:
    team:
      day: \${DAY}
`,
  );
  const environment = {
    FOLDER: join(secret, '..'),
    WEIR_CONFIG_EXEC: 'on',
    LEVEL: 'warn',
    DAY: '5',
    REVISION: 'file:x',
  };
  const { settings, file: read } = await loadAll(environment, { file });
  assert.equal(settings.adminToken?.reveal(), 'from-a-file-0123456789');
  assert.equal(settings.metricsToken?.reveal(), 'from-a-command');
  assert.equal(settings.revision, `file:x-\${X}`);
  assert.deepEqual(settings.configurations, { 'cost-guard': { team: { day: 5 } } });
  assert.deepEqual([...(read?.digests.keys() ?? [])], [read?.path, secret]);
});

test('weir init writes a file that passes weir config check, and replaces none', async (t) => {
  const path = join(emptyFolder(t), 'weir.yaml');
  const written = await runCommand(
    t,
    ['init', path, '--mode', 'cloud', '--pipeline', 'exact-cache?ttl=10m'],
    {},
  );
  assert.equal(written.code, 0, written.complained);
  assert.equal(parse(readFileSync(path, 'utf8')).pipeline, 'exact-cache?ttl=10m');
  const checked = await runCommand(t, ['config', 'check', path], {});
  assert.deepEqual([checked.code, checked.complained], [0, '']);
  const again = await runCommand(t, ['init', path], {});
  assert.match(again.complained, /exists already/);
  assert.equal(again.code, 1);
});

test('weir config check finds faults of modules at their line; weir config show masks secrets', async (t) => {
  const file = fileWith(
    t,
    `configurations:
  nosuch: {a: {}}
  cost-guard: {team: {day: many}, team2: {day: 5}}
aliases:
  fast: {models: [demo-1], strategy: quickest}
  empty: {strategy: order}
guardrails:
  rules: {codenames: {words: falcon}}
pipelines:
  exact-cache: [cost-guard]
  strict:
    - guardrail
    - cost-guard: {day: many}
    - exact-cach: {ttl: 10m}
    - exact-cache?ttl=soon
  team2: [{cost-guard: {day: 6}}, cost-guard]
`,
  );
  const checked = await runCommand(t, ['config', 'check', file], {});
  assert.equal(checked.code, 1);
  const faults = checked.complained
    .trim()
    .split('\n')
    .map((fault) => fault.replace(`${file}:`, ''));
  assert.deepEqual(faults, [
    '2:15: configurations.nosuch.a: nosuch:a: there is no such module',
    '3:28: configurations.cost-guard.team.day: cost-guard:team: cost-guard:team?day: must be an amount in dollars above 0 and at most 1000000, like 0.50',
    '5:38: aliases.fast.strategy: fast: router:fast?strategy: must be of cheapest, order, fastest, weighted',
    '6:10: aliases.empty: empty: must have "models"',
    '8:22: guardrails.rules.codenames: codenames: words: Invalid input: expected array, received string; action: Invalid option: expected one of "monitor"|"redact"|"block"',
    '10:16: pipelines.exact-cache: exact-cache: is the name of a module; choose another',
    '12:7: pipelines.strict.0: strict.0: there is no module "guardrail" here; did you mean "guardrails"?',
    '13:25: pipelines.strict.1.cost-guard.day: strict.1.cost-guard: cost-guard:strict?day: must be an amount in dollars above 0 and at most 1000000, like 0.50',
    '14:7: pipelines.strict.2: strict.2: there is no module "exact-cach"; did you mean "exact-cache"?',
    '15:7: pipelines.strict.3: strict.3: exact-cache?ttl: must be a duration from 1s to 30d',
    '16:10: pipelines.team2: team2: the pipeline names "cost-guard" twice',
    '16:24: pipelines.team2.0.cost-guard: team2.0.cost-guard: there is another "cost-guard:team2" in the settings',
  ]);
  const good = fileWith(
    t,
    'providers: {openai: {keys: [{secret: sk-hunter2, name: a}], headers: {x-a: hunter2}}}\nlog: {level: warn}\n',
  );
  const shown = await runCommand(t, ['config', 'show', '--json'], { WEIR_CONFIG: good, WEIR_LOG_DAYS: '3' });
  const rows: readonly { setting: string; value: string; source: string }[] = JSON.parse(shown.said);
  const row = (name: string) => rows.find(({ setting }) => setting === name);
  assert.equal(row('providers.openai.keys')?.value, '***');
  assert.equal(row('providers.openai.headers')?.value, '***');
  assert.equal(row('log.level')?.source, `${good}:2:14`);
  assert.equal(row('request_log.days')?.source, 'environment');
  assert.ok(!shown.said.includes('hunter2'));
});

test('the JSON Schema accepts every documented file and finds the faults that weir config check finds', async (t) => {
  const described = describedModules();
  const modules = new Map(described.map((module) => [module.name, module]));
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(
    configurationSchema(settingPlaces, described),
  );
  const pathsOf = (value: unknown) => (validate(value) ? [] : (validate.errors ?? []).map(pathOf));
  const topNames = new Set(settingPlaces.map(({ at }) => at.split('.')[0]));
  const examples = documents.flatMap((file) =>
    blocksIn(file, 'yaml').flatMap((block) => {
      const value: unknown = parse(block);
      return Object.keys(Object(value)).every((name) => topNames.has(name)) ? [{ file, value }] : [];
    }),
  );
  assert.ok(examples.length > 7, `${examples.length} examples`);
  for (const { file, value } of examples)
    assert.deepEqual(pathsOf(value), [], `${file}: ${JSON.stringify(value)}`);

  // One fault each, at this place.
  const wrong = {
    'aliases.fast.strategy': 'aliases: {fast: {models: [demo-1], strategy: quickest}}',
    'aliases.fast.stratgy': 'aliases: {fast: {models: [demo-1], stratgy: order}}',
    'aliases.fast.timeout': 'aliases: {fast: {models: [demo-1], timeout: soon}}',
    'aliases.fast.retries': 'aliases: {fast: {models: [demo-1], retries: 9}}',
    'aliases.empty': 'aliases: {empty: {strategy: order}}',
    'aliases.none': 'aliases: {none: []}',
    'aliases.a b': 'aliases: {a b: [demo-1]}',
    'guardrails.rules.codenames.words': 'guardrails: {rules: {codenames: {words: falcon, action: block}}}',
    'guardrails.rules.codenames.action': 'guardrails: {rules: {codenames: {words: [falcon], action: blok}}}',
    'guardrails.rules.codenames.pattern': 'guardrails: {rules: {codenames: {action: block}}}',
    'guardrails.rules.codenames.replacement':
      'guardrails: {rules: {codenames: {words: [falcon], action: block, replacement: x}}}',
    'pipelines.exact-cache': 'pipelines: {exact-cache: [cost-guard]}',
    'pipelines.Strict': 'pipelines: {Strict: [cost-guard]}',
    'pipelines.strict': 'pipelines: {strict: []}',
    'pipelines.strict.0.cost-guard.day': 'pipelines: {strict: [{cost-guard: {day: many}}]}',
    'pipelines.strict.0.exact-cache.ttl': 'pipelines: {strict: [{exact-cache: {ttl: 10 minutes}}]}',
    'pipelines.strict.0.exact-cache.tl': 'pipelines: {strict: [{exact-cache: {tl: 10m}}]}',
    'pipelines.strict.0': 'pipelines: {strict: [{exact-cache: {}, cost-guard: {day: 5}}]}',
    'pipelines.strict.1.guardrails.pii': 'pipelines: {strict: [exact-cache, {guardrails: {pii: hide}}]}',
    'configurations.cost-guard.team.wait': 'configurations: {cost-guard: {team: {wait: soon}}}',
    'configurations.router.eu.on': 'configurations: {router: {eu: {on: 5}}}',
  };
  // These are found before anything starts.
  const wrongServers = {
    'mcp_servers.acme.timeout_ms': 'mcp_servers: {acme: {url: https://a.example, timeout_ms: soon}}',
    'mcp_servers.acme.enabled': 'mcp_servers: {acme: {url: https://a.example, enabled: 1}}',
    'mcp_servers.acme.tools.allow': 'mcp_servers: {acme: {url: https://a.example, tools: {allow: all}}}',
  };
  for (const [place, text] of Object.entries(wrongServers)) {
    assert.ok(pathsOf(parse(text)).includes(place), `${place}: ${pathsOf(parse(text))}`);
    assert.match((await faultsIn(t, text)).join('\n'), new RegExp(`${place}:`));
  }
  for (const [place, text] of Object.entries(wrong)) {
    const found = pathsOf(parse(text));
    assert.ok(found.includes(place), `${place}: ${found}`);
    const { settings, locate } = await loadAll({}, { file: fileWith(t, text) });
    const faults: string[] = [];
    createInstanceConfigurations(settings, modules, ({ variable, message }) =>
      faults.push(locate(`${variable}: ${message}`)),
    );
    const fault = faults.join('\n');
    // Options of a rule, and those that don't exist, are named behind the place.
    const [, name = ''] = /([^.]*)$/.exec(place) ?? [];
    const above = place.slice(0, -name.length - 1);
    assert.ok(
      fault.includes(` ${place}:`) || (fault.includes(` ${above}:`) && fault.includes(name)),
      `${place}: ${fault}`,
    );
  }
});

/** Where a fault is, in the way of `weir config check`. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.split('/').slice(1);
  const named: Readonly<Record<string, unknown>> = {
    additionalProperties: params.additionalProperty,
    propertyNames: params.propertyName,
    required: params.missingProperty,
  };
  const name = named[keyword];
  return (typeof name === 'string' ? [...path, name] : path).join('.');
}
