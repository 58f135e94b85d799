import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startScenarioServer } from './mcp/scenario-server.ts';
import { serveEndpoint } from './mcp/serve-endpoint.ts';

const run = promisify(execFile);
const packages = join(import.meta.dirname, '..', 'node_modules');

/** Scenarios that a gateway can't pass; docs/how-it-works/mcp.md has the reasons. */
const notApplicable = {
  tasks: 'the gateway does not offer the extension',
  'sep-2640': 'the gateway does not offer the extension of skills',
  'server-session-lifecycle': 'it is a draft, and expects a server without a store',
  'dns-rebinding-protection':
    'the routes run without the guard of requests here; test/guards.test.ts tests that',
} as const;

const suites = [
  ['2026-07-28', '@modelcontextprotocol/conformance', ['--suite', 'all', '--spec-version', '2026-07-28']],
  ['2025-11-25', 'mcp-conformance-sessions', ['--suite', 'all']],
] as const;

for (const [revision, name, options] of suites)
  test(`the official conformance suite of ${revision} runs through the gateway`, async (t) => {
    const { url } = await serveEndpoint(t, { servers: { scenarios: await startScenarioServer(t) } });
    const suite = join(packages, name, 'dist', 'index.js');
    const args = [suite, 'server', '--url', `${url}/servers/scenarios`, ...options];
    // It ends with 1 if any scenario fails.
    const { stdout } = await run(process.execPath, args).catch((failed: { stdout: string }) => failed);
    const results = [...stdout.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gmu)];
    const failed = results
      .filter(([, , , failures]) => failures !== '0')
      .map(([, scenario = '']) => scenario);
    const excuses = Object.keys(notApplicable);
    const unexpected = failed.filter((scenario) => !excuses.some((start) => scenario.startsWith(start)));
    assert.deepEqual(unexpected, [], stdout);
    assert.ok(results.length >= 32, stdout);
  });
