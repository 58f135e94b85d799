// Walks real agent programs through a gateway: npm run test:agents -- [--cache <folder>] [agent or scenario …]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Agent, agents } from '../test/agents/agents.ts';
import { runScenario, type ScenarioResult } from '../test/agents/run-scenario.ts';
import { type Scenario, scenarios } from '../test/agents/scenarios.ts';
import { installPackage } from '../test/support/install-package.ts';

const { values, positionals } = parseArgs({
  options: { cache: { type: 'string' }, verbose: { type: 'boolean' } },
  allowPositionals: true,
});
const folder = values.cache ?? mkdtempSync(join(tmpdir(), 'weir-agents-'));
const chosen = <Item>(all: readonly Item[], names: (item: Item) => readonly string[]) => {
  const named = all.filter((item) => names(item).some((name) => positionals.includes(name)));
  return named.length > 0 ? named : all;
};

try {
  const rows: string[] = [];
  for (const agent of chosen(agents, ({ name, command }) => [name, command])) {
    const { package: name, version } = agent;
    const installed = await installPackage({ name, version }, folder);
    for (const scenario of chosen(scenarios, ({ name }) => [name])) {
      if (!isFor(agent, scenario)) continue;
      const walked = await runScenario(agent, installed, scenario);
      if (!walked.passed) process.exitCode = 1;
      if (values.verbose === true || !walked.passed) console.error(walked.output);
      const row = rowOf([`${agent.name} ${agent.version}`, scenario.name], walked);
      console.error(row);
      rows.push(row);
    }
  }
  console.log('| agent | scenario | | the person saw | seconds | calls |');
  console.log('|---|---|---|---|---|---|');
  for (const row of rows) console.log(row);
} finally {
  if (values.cache === undefined) rmSync(folder, { recursive: true, force: true });
}

function isFor(agent: Agent, scenario: Scenario): boolean {
  if (scenario.manyTools === true && agent.takesServers !== true) return false;
  if (scenario.endpoint === true && agent.takesEndpoints !== true) return false;
  if (scenario.webSocket === true && agent.hasWebSocket !== true) return false;
  if (scenario.modelBefore !== undefined && agent.continues !== true) return false;
  return scenario.only === undefined || scenario.only === agent.command;
}

function rowOf(
  head: readonly string[],
  { passed, saw, seconds, refusalSeconds, calls }: ScenarioResult,
): string {
  const told = saw.replaceAll(/[|\n]/g, ' ').slice(0, 160);
  const time = refusalSeconds === undefined ? '' : ` (${refusalSeconds.toFixed(1)} after the refusal)`;
  const cells = [...head, passed ? 'ok' : '**FAIL**', told, `${seconds.toFixed(1)}${time}`, String(calls)];
  return `| ${cells.join(' | ')} |`;
}
