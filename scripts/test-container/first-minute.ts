import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../test/support/at.ts';
import { Container } from './container.ts';
import type { Engine } from './engine.ts';
import { revision } from './image.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');

/** What the README says to do first, and the end that an orchestrator makes of it. */
export async function walkFirstMinute(engine: Engine, image: string): Promise<void> {
  const container = await Container.start(engine, { image });
  try {
    const health = await (await fetch(`${container.url}/health`)).json();
    assert.equal(at(health, 'version'), revision);
    await container.checkHealth();
    const answer = execFileSync('sh', ['-c', firstCall(container.url)], { encoding: 'utf8' });
    assert.match(answer, /You wrote: Hello/);
    const page = await fetch(container.url, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<title>Weir/);
    assert.equal((await fetch(`${container.url}/docs/`)).status, 200);
    assert.equal((await container.run(['id', '-u'])).trim(), '10001');
    assert.match(await container.run(['ls', '/data']), /weir\.db/);
    assert.match(await container.run(['weir', '--version']), /^\d/);
    await assert.rejects(container.run(['touch', '/weir/changed']), /Read-only file system/);
  } finally {
    assert.equal(await container.stop(), 0);
  }
}

/** The README's own, at the container's address. */
function firstCall(url: string): string {
  const [, call] = /```sh\n(curl http:\/\/127\.0\.0\.1:3099\/v1\/messages[^`]*)```/.exec(readme) ?? [];
  assert.ok(call !== undefined, 'the README has its first call');
  return call.replace('http://127.0.0.1:3099', url).replace('curl', 'curl --silent --show-error');
}
